//! When the I/O of the job's processes is read: each is asked by itself, which is dear where there are many.
//!
//! The wall time of a read is taken, which is never less than its CPU time, and the next one is due when no more than
//! one part in `SPACING` of one processor has been spent. A sample in between has no I/O.

/// 0.08 % of one processor.
const SPACING: i64 = 1250;

#[derive(Debug, Default)]
pub struct IoPace {
    next_ns: i64,
}

impl IoPace {
    pub fn is_due(&self, now_ns: i64) -> bool {
        now_ns >= self.next_ns
    }

    /// Notes what a read took.
    pub fn spent(&mut self, now_ns: i64, spent_ns: i64) {
        self.next_ns = now_ns.saturating_add(spent_ns.saturating_mul(SPACING));
    }

    /// The next sample has it in any case.
    pub fn hurry(&mut self) {
        self.next_ns = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_its_part_of_the_time_is_spent() {
        let (mut pace, mut spent_ns) = (IoPace::default(), 0);
        for now_ns in (0..100_000_000_000).step_by(100_000_000) {
            if pace.is_due(now_ns) {
                spent_ns += 700_000;
                pace.spent(now_ns, 700_000);
            }
        }
        assert!(spent_ns <= 81_000_000 && spent_ns > 60_000_000, "{spent_ns}");
    }

    #[test]
    fn a_quick_read_is_in_every_sample_and_one_that_is_wanted_in_the_next() {
        let mut pace = IoPace::default();
        pace.spent(0, 10_000);
        assert!(pace.is_due(12_500_000) && !pace.is_due(12_000_000));
        pace.spent(12_500_000, 1_000_000_000);
        assert!(!pace.is_due(20_000_000));
        pace.hurry();
        assert!(pace.is_due(20_000_000));
    }
}
