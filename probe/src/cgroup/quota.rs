//! A share of processors' time as the kernel takes it: microseconds in each period.
//!
//! Source: Linux `Documentation/scheduler/sched-bwc.rst`. The kernel wants 1 ms to 1 s for either.

/// The kernel's default period.
const PERIOD_US: u64 = 100_000;
const SHORTEST_US: f64 = 1000.0;
const LONGEST_PERIOD_US: u64 = 1_000_000;

/// Quota and period of a share of `cpus` processors; a small share gets the longest period.
pub fn of_share(share: f64, cpus: usize) -> (u64, u64) {
    let quota = |period: u64| share * cpus as f64 * period as f64;
    let period = if quota(PERIOD_US) < SHORTEST_US { LONGEST_PERIOD_US } else { PERIOD_US };
    (quota(period).max(SHORTEST_US).round() as u64, period)
}

/// Share of `cpus` processors; 1.0 for "no limit" (`None` as the quota).
pub fn share((quota_us, period_us): (Option<u64>, u64), cpus: usize) -> f64 {
    quota_us.map_or(1.0, |quota| quota as f64 / period_us.max(1) as f64 / cpus.max(1) as f64)
}

/// Quota and period of v2's `cpu.max`: `50000 100000` or `max 100000`.
pub fn parse_max(text: &str) -> Option<(Option<u64>, u64)> {
    let (quota, period) = text.trim().split_once(' ')?;
    let quota = if quota == "max" { None } else { Some(quota.parse().ok()?) };
    Some((quota, period.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_holds_for_all_its_processors() {
        assert_eq!(of_share(0.5, 1), (50_000, 100_000));
        assert_eq!(of_share(0.5, 4), (200_000, 100_000));
        assert_eq!(of_share(0.005, 1), (5_000, 1_000_000));
        assert_eq!(of_share(0.01, 1), (1_000, 100_000));
        assert_eq!(of_share(0.0001, 1), (1_000, 1_000_000));
    }

    #[test]
    fn the_share_in_force_is_read_back() {
        assert!((share((Some(200_000), 100_000), 4) - 0.5).abs() < 1e-12);
        assert_eq!(parse_max("50000 100000\n"), Some((Some(50_000), 100_000)));
        assert_eq!(parse_max("max 100000\n"), Some((None, 100_000)));
        assert_eq!(parse_max("max\n"), None);
    }
}
