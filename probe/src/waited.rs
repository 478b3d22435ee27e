//! What threads ran and waited.

/// So much CPU time may be missing, beside what the kernel's ticks leave open.
const MISSING: f64 = 0.01;

/// What threads ran and waited, in ns; `None` where the kernel does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waited {
    pub run_ns: u64,
    pub queue_ns: u64,
    pub block_io_ns: Option<u64>,
}

impl Waited {
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let block_io_ns = self.block_io_ns.zip(other.block_io_ns).map(|(one, two)| one + two);
        Self { run_ns: self.run_ns + other.run_ns, queue_ns: self.queue_ns + other.queue_ns, block_io_ns }
    }

    /// What came since an earlier reading.
    #[must_use]
    pub fn since(self, start: Self) -> Self {
        let block_io_ns = self.block_io_ns.zip(start.block_io_ns).map(|(now, then)| now.saturating_sub(then));
        let gone = |now: u64, then: u64| now.saturating_sub(then);
        Self { run_ns: gone(self.run_ns, start.run_ns), queue_ns: gone(self.queue_ns, start.queue_ns), block_io_ns }
    }

    /// The larger of each figure.
    #[must_use]
    pub fn at_least(self, least: Self) -> Self {
        let block_io_ns = self.block_io_ns.map(|now| now.max(least.block_io_ns.unwrap_or(0)));
        Self { run_ns: self.run_ns.max(least.run_ns), queue_ns: self.queue_ns.max(least.queue_ns), block_io_ns }
    }

    /// Whether it contains the CPU time that the job used, but for what the last ticks leave open.
    pub fn is_whole(self, cpu_ns: u64, slack_ns: u64) -> bool {
        self.run_ns + slack_ns + (cpu_ns as f64 * MISSING) as u64 >= cpu_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_without_the_work_of_children_that_others_waited_for_are_not_whole() {
        let waited = |run_ns| Waited { run_ns, ..Waited::default() };
        assert!(waited(980_000_000).is_whole(1_000_000_000, 20_000_000));
        assert!(!waited(500_000_000).is_whole(1_000_000_000, 20_000_000));
    }

    #[test]
    fn an_unknown_part_makes_the_sum_unknown() {
        let known = Waited { run_ns: 1, queue_ns: 2, block_io_ns: Some(3) };
        let twice = Waited { run_ns: 2, queue_ns: 4, block_io_ns: Some(6) };
        assert_eq!((known.plus(known), twice.since(known)), (twice, known));
        assert_eq!(known.plus(Waited::default()).block_io_ns, None);
        assert_eq!((known.at_least(twice), twice.at_least(Waited::default())), (twice, twice));
        assert_eq!(Waited::default().at_least(known).block_io_ns, None);
    }
}
