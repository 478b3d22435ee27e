//! `/proc/PID/task/TID/schedstat`: how long one thread ran and waited for a processor.
//!
//! Source: Linux Documentation/scheduler/sched-stats.rst: ns on a processor, ns runnable and waiting, number of
//! time slices. Limits: needs CONFIG_SCHED_INFO (any kernel with taskstats or schedstats has it); the wait of a thread
//! that waits right now is not in it yet.

/// (ns on a processor, ns waiting for one).
pub fn parse(text: &str) -> Option<[u64; 2]> {
    let mut words = text.split_ascii_whitespace();
    Some([words.next()?.parse().ok()?, words.next()?.parse().ok()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_and_wait_are_read_and_garbage_is_no_value() {
        let here = parse(include_str!("../../tests/machines/hybrid-guest/proc/self/schedstat"));
        assert!(here.is_some());
        assert_eq!(parse("99628 58117 2\n"), Some([99_628, 58_117]));
        for broken in ["", "5", "5 x", "-1 2", "18446744073709551616 1"] {
            assert_eq!(parse(broken), None, "{broken}");
        }
    }
}
