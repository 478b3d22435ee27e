//! What the machine's processors lost to others and to waiting, and whether any process began or ended.

use crate::parse::machine_stat::{self, MachineStat};
use crate::parse::turnover::{self, Turnover};
use crate::read::{Kept, Root};
use crate::sys;

/// The two files that tell, kept open.
#[derive(Debug)]
pub struct Machine {
    stat: Option<Kept>,
    loadavg: Option<Kept>,
    first: Option<MachineStat>,
}

/// Milliseconds of all processors since monitoring began; `None` where the kernel does not count them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lost {
    pub steal_ms: Option<u64>,
    pub iowait_ms: Option<u64>,
}

impl Machine {
    pub fn new(root: &Root) -> Self {
        let mut stat = root.keep("/proc/stat").ok();
        let first = stat.as_mut().and_then(Kept::text).and_then(machine_stat::parse);
        Self { stat, loadavg: root.keep("/proc/loadavg").ok(), first }
    }

    pub fn look(&mut self) -> (Lost, Option<Turnover>) {
        let Some(text) = self.stat.as_mut().and_then(Kept::text) else { return (Lost::default(), None) };
        let now = machine_stat::parse(text);
        let loadavg = self.loadavg.as_mut().and_then(Kept::text).unwrap_or("");
        let since = |pick: fn(MachineStat) -> Option<u64>| {
            Some(pick(now?)?.saturating_sub(pick(self.first?)?) * 1000 / sys::ticks_per_s())
        };
        let lost = Lost { steal_ms: since(|stat| stat.steal), iowait_ms: since(|stat| stat.iowait) };
        (lost, turnover::parse(text, loadavg))
    }
}
