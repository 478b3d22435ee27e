//! `/proc/PID/smaps_rollup` and `/proc/PID/smaps`: a process's share of the memory that it has mapped.
//!
//! Source: proc(5). PSS counts a page by how many processes map it. The first has one line a field (kernel 4.14), the
//! second one for each mapping; a zombie has none.

/// Sum of all `Pss` lines; `None` where there is none.
pub fn pss_kb(text: &str) -> Option<u64> {
    let shares = text.lines().filter_map(|line| line.strip_prefix("Pss:")?.split_whitespace().next()?.parse().ok());
    shares.reduce(|sum: u64, share| sum.saturating_add(share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_and_many_give_their_sum() {
        let mapping =
            "00400000-00452000 r-xp 00000000 08:02 173521 /a Pss: b\nRss: 8 kB\nPss: 5 kB\nPss_Dirty: 3 kB\n";
        assert_eq!(pss_kb(mapping), Some(5));
        assert_eq!(pss_kb(&mapping.repeat(3)), Some(15));
    }

    #[test]
    fn a_zombie_has_no_share() {
        assert_eq!(pss_kb(""), None);
        assert_eq!(pss_kb("Pss: many kB\n"), None);
    }
}
