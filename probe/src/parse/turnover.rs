//! Whether any process of the machine began or ended.
//!
//! Source: proc(5): `processes` of `/proc/stat` counts the forks since boot, the fourth field of `/proc/loadavg` ends in
//! the number of all threads. Where neither changed, none began and none was reaped. Limits: a process that has ended
//! and was not reaped yet is still there.

/// Forks since boot, and threads now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turnover {
    forks: u64,
    threads: u64,
}

pub fn parse(stat: &str, loadavg: &str) -> Option<Turnover> {
    // The line of interrupts before it may be very long.
    let at = stat.rfind("\nprocesses ")? + "\nprocesses ".len();
    let forks = stat[at..].lines().next()?.trim().parse().ok()?;
    let threads = loadavg.split(' ').nth(3)?.split_once('/')?.1.parse().ok()?;
    // Where they are not kept, as in some containers, they are 0.
    (forks > 0 && threads > 0).then_some(Turnover { forks, threads })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = include_str!("../../tests/machines/hybrid-guest/proc/stat");

    #[test]
    fn forks_and_threads_are_read() {
        let one = parse(STAT, "0.20 0.18 0.12 1/80 11206\n").expect("both");
        assert_eq!(one.threads, 80);
        assert_ne!(parse(STAT, "0.20 0.18 0.12 1/81 11206\n"), Some(one));
        assert_eq!(parse(STAT, ""), None);
        assert_eq!(parse("cpu 1 2 3 4\n", "0.20 0.18 0.12 1/80 11206\n"), None);
    }

    #[test]
    fn what_is_not_kept_is_unknown_and_never_the_same_as_before() {
        let of = |forks: &str, threads: &str| {
            parse(&format!("cpu 1\nprocesses {forks}\nbtime 5\n"), &format!("0 0 0 1/{threads} 7\n"))
        };
        assert_eq!(of("12", "80"), Some(Turnover { forks: 12, threads: 80 }));
        assert_eq!((of("0", "80"), of("12", "0"), of("0", "0")), (None, None, None));
    }
}
