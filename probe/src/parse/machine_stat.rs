//! The `cpu` line of `/proc/stat`: what all processors did since boot.
//!
//! Source: proc(5). Guest time is contained in user time. Limits: steal is not there before kernel 2.6.11;
//! iowait is the kernel's own estimate and may go down.

/// Ticks since boot; `None` where the kernel does not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct MachineStat {
    pub user: u64,
    pub system: u64,
    pub idle: u64,
    pub iowait: Option<u64>,
    pub steal: Option<u64>,
}

/// Reads the first line, the sum over processors.
pub fn parse(text: &str) -> Option<MachineStat> {
    let line = text.lines().find(|line| line.starts_with("cpu "))?;
    let ticks: Vec<u64> = line.split_whitespace().skip(1).map_while(|word| word.parse().ok()).collect();
    let at = |index: usize| ticks.get(index).copied();
    Some(MachineStat {
        user: at(0)?.checked_add(at(1)?)?,
        system: at(2)?.checked_add(at(5).unwrap_or(0))?.checked_add(at(6).unwrap_or(0))?,
        idle: at(3)?,
        iowait: at(4),
        steal: at(7),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = include_str!("../../tests/machines/hybrid-guest/proc/stat");

    #[test]
    fn a_real_file_has_all_values() {
        let stat = parse(HERE).expect("a cpu line");
        assert!(stat.user > 0 && stat.idle > 0);
        assert!(stat.iowait.is_some() && stat.steal.is_some());
    }

    #[test]
    fn nice_counts_as_user_and_interrupts_as_system() {
        let stat = parse("cpu  10 2 30 400 5 6 7 8 9 0\ncpu0 1 1 1 1\n").expect("a cpu line");
        let expected = MachineStat { user: 12, system: 43, idle: 400, iowait: Some(5), steal: Some(8) };
        assert_eq!(stat, expected);
    }

    #[test]
    fn a_kernel_without_steal_does_not_report_zero() {
        let stat = parse("cpu  1 2 3 4\n").expect("a cpu line");
        assert_eq!((stat.iowait, stat.steal), (None, None));
    }

    #[test]
    fn no_cpu_line_is_no_value() {
        assert_eq!(parse("cpu0 1 2 3 4\n"), None);
    }
}
