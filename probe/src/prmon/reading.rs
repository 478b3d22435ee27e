//! What the processes of a job hold and have used at one moment.

use crate::cpu_time::CpuTime;
use crate::parse::pid_stat::PidStat;
use crate::supervise::process_io::IoBytes;
use crate::sys;

/// Processes, their sum, and their I/O.
#[derive(Debug, Default)]
pub struct Reading {
    pub members: Vec<(i32, PidStat)>,
    pub uses: Uses,
    pub io: IoBytes,
}

/// The sum over processes; zombies have used time and hold nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    pub cpu: CpuTime,
    pub processes: usize,
    pub threads: u64,
    pub rss_kb: u64,
    pub virtual_kb: u64,
    pub minor_faults: u64,
    pub major_faults: u64,
}

impl Uses {
    pub fn of(members: &[(i32, PidStat)]) -> Self {
        let tick_ns = 1_000_000_000 / sys::ticks_per_s();
        let page_kb = sys::page_bytes() / 1024;
        let mut sum = Self::default();
        for (_, stat) in members {
            sum.cpu.user_ns += stat.user * tick_ns;
            sum.cpu.system_ns += stat.system * tick_ns;
            sum.minor_faults += stat.minor_faults;
            sum.major_faults += stat.major_faults;
            if stat.runs() {
                sum.processes += 1;
                sum.threads += stat.threads;
                sum.rss_kb += stat.rss_pages * page_kb;
                sum.virtual_kb += stat.virtual_bytes / 1024;
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zombie_counts_for_its_time_and_for_nothing_else() {
        let alive = PidStat { state: 'S', user: 3, threads: 2, rss_pages: 5, ..PidStat::default() };
        let dead = PidStat { state: 'Z', threads: 1, ..alive };
        let uses = Uses::of(&[(1, alive), (2, dead)]);
        assert_eq!((uses.processes, uses.threads, uses.rss_kb), (1, 2, 5 * sys::page_bytes() / 1024));
        assert_eq!(uses.cpu.user_ns, 6 * 1_000_000_000 / sys::ticks_per_s());
    }
}
