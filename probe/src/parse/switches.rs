//! Context switches and migrations of one thread.
//!
//! Source: proc(5), `/proc/PID/task/TID/status` (switches, kernel 2.6.23) and Linux kernel/sched/debug.c, `…/sched`
//! (`se.nr_migrations`: how often the thread came to another processor). Limits: `sched` needs CONFIG_SCHED_DEBUG.

/// (voluntary, involuntary) context switches.
pub fn status(text: &str) -> Option<[u64; 2]> {
    // They are the last lines.
    let mut lines = text.lines().rev().map(|line| line.split_once(':').unwrap_or_default());
    let mut number = |key| lines.find(|(name, _)| *name == key)?.1.trim().parse().ok();
    let involuntary = number("nonvoluntary_ctxt_switches")?;
    Some([number("voluntary_ctxt_switches")?, involuntary])
}

/// Migrations.
pub fn sched(text: &str) -> Option<[u64; 1]> {
    let line = text.lines().find(|line| line.starts_with("se.nr_migrations"))?;
    Some([line.rsplit(':').next()?.trim().parse().ok()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_files_are_read() {
        assert_eq!(status(include_str!("../../tests/machines/hybrid-guest/proc/self/status")), Some([0, 1]));
        assert!(sched(include_str!("../../tests/machines/hybrid-guest/proc/self/sched")).is_some());
    }

    #[test]
    fn lines_of_a_newer_kernel_may_follow_and_missing_ones_are_no_value() {
        let text = "voluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t9\nx86_Thread_features:\t\n";
        assert_eq!(status(text), Some([7, 9]));
        assert_eq!(status("voluntary_ctxt_switches:\t7\n"), None);
        assert_eq!(status(""), None);
        assert_eq!(sched("nr_switches : 5\n"), None);
        assert_eq!(sched("se.nr_migrations    :   x\n"), None);
    }
}
