//! CPU time of a job, in user mode and in the kernel.

/// Nanoseconds; the sum of both is exact where it comes from a group or from reaped children.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuTime {
    pub user_ns: u64,
    pub system_ns: u64,
}

impl CpuTime {
    pub fn total_ns(self) -> u64 {
        self.user_ns + self.system_ns
    }

    /// Leaves out time that was used in preparing, which is the kernel's for the most part.
    pub fn without(self, ns: u64) -> Self {
        let system_ns = self.system_ns.saturating_sub(ns);
        let rest = ns - (self.system_ns - system_ns);
        Self { user_ns: self.user_ns.saturating_sub(rest), system_ns }
    }

    /// Splits an exact total by the kernel's count of ticks in each mode, so that neither part ever goes down.
    ///
    /// The kernel splits the times of a single process in the same way (`cputime_adjust`).
    /// Source: Linux kernel/sched/cputime.c. Limits: a job shorter than a tick may count as user time only.
    pub fn grown(self, total_ns: u64, user_ticks: u64, system_ticks: u64) -> Self {
        let total_ns = total_ns.max(self.total_ns());
        let ticks = u128::from(user_ticks) + u128::from(system_ticks);
        let share = if ticks == 0 { total_ns } else { part(total_ns, user_ticks, ticks) };
        let highest = total_ns - self.system_ns;
        let user_ns = share.clamp(self.user_ns, highest);
        Self { user_ns, system_ns: total_ns - user_ns }
    }
}

fn part(total: u64, ticks: u64, of: u128) -> u64 {
    u64::try_from(u128::from(total) * u128::from(ticks) / of).unwrap_or(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_the_exact_total() {
        let time = CpuTime::default().grown(1_000_000_007, 3, 1);
        assert_eq!(time.total_ns(), 1_000_000_007);
        assert_eq!(time.user_ns, 750_000_005);
    }

    #[test]
    fn neither_part_goes_down() {
        let first = CpuTime::default().grown(1000, 1, 0);
        let then = first.grown(1100, 1, 9);
        assert_eq!(then, CpuTime { user_ns: 1000, system_ns: 100 });
        assert_eq!(then.grown(900, 1, 1), then);
    }

    #[test]
    fn preparation_is_left_out_of_the_total() {
        let time = CpuTime { user_ns: 100, system_ns: 30 };
        assert_eq!(time.without(50), CpuTime { user_ns: 80, system_ns: 0 });
    }

    #[test]
    fn without_ticks_all_is_user_time() {
        assert_eq!(CpuTime::default().grown(500, 0, 0).user_ns, 500);
    }
}
