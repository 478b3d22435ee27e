//! How often and how long a group's limits held its members up.
//!
//! Source: Linux `Documentation/scheduler/sched-bwc.rst` (`throttled_time` in ns, `throttled_usec`),
//! `cgroup-v1/memory.rst` (`memory.failcnt`) and `cgroup-v2.rst` (`memory.events`, `max`).
//! Limits: time is summed over processors; a hit may have been met by giving back pages that nobody needs.

use super::{Controller, Group, Version};
use crate::parse::flat;

impl Group {
    /// Time that it had used its quota up and stood still; `None` where no controller counts it.
    pub fn throttled_ns(&self) -> Option<u64> {
        let text = self.text(Controller::Cpu, "cpu.stat")?;
        match self.version {
            Version::One => flat::number(&text, "throttled_time"),
            Version::Two => flat::number(&text, "throttled_usec")?.checked_mul(1000),
        }
    }

    /// Times that it ran into its memory limit; `None` where no controller counts them.
    pub fn memory_limit_hits(&self) -> Option<u64> {
        match self.version {
            Version::One => self.text(Controller::Memory, "memory.failcnt")?.trim().parse().ok(),
            Version::Two => flat::number(&self.text(Controller::Memory, "memory.events")?, "max"),
        }
    }
}
