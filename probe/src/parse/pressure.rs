//! `/proc/pressure/*` and `*.pressure` of a group.
//!
//! Source: Linux Documentation/accounting/psi.rst. `cpu` of a whole machine has no `full` line before kernel 5.13.

/// Microseconds of stall since the file's beginning; `None` where the line is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pressure {
    pub some_us: Option<u64>,
    pub full_us: Option<u64>,
}

pub fn parse(text: &str) -> Pressure {
    let total = |kind: &str| {
        let line = text.lines().find(|line| line.split(' ').next() == Some(kind))?;
        line.split(' ').find_map(|word| word.strip_prefix("total="))?.parse().ok()
    };
    Pressure { some_us: total("some"), full_us: total("full") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_totals_are_read_and_an_absent_one_is_none() {
        let both =
            "some avg10=0.00 avg60=0.00 avg300=0.00 total=12\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=3\n";
        assert_eq!(parse(both), Pressure { some_us: Some(12), full_us: Some(3) });
        assert_eq!(parse("some avg10=0.00 total=7\n"), Pressure { some_us: Some(7), full_us: None });
        assert_eq!(parse(""), Pressure::default());
    }
}
