//! How long the job's threads waited: for a processor, for block I/O.
//!
//! Source and limits of the figures: `watch/delay.rs`. A process is looked at when it is reaped, and at the turns of
//! phases as long as it lives. Limits: what another process of the job has reaped is missing, which its CPU time
//! tells: then the totals are unknown. The wait for a processor contains the time that a quota held a thread up.

use crate::parse::schedstat;
use crate::parse::taskstats::Stats;
use crate::read::Root;
use crate::taskstats::Taskstats;
use crate::waited::Waited;
use crate::watch::delay_accounted;

/// The living and those that were reaped.
pub struct Waits {
    root: Root,
    taskstats: Option<Taskstats>,
    accounted: bool,
    reaped: Waited,
}

impl Waits {
    pub fn new(root: &Root) -> Self {
        let taskstats = Taskstats::open().ok().filter(|_| root.is_here());
        let accounted = taskstats.is_some() && delay_accounted(root);
        let reaped = Waited { block_io_ns: accounted.then_some(0), ..Waited::default() };
        Self { root: root.clone(), taskstats, accounted, reaped }
    }

    /// Takes in a process that has ended, just before it is reaped.
    pub fn bury(&mut self, pid: i32) {
        self.reaped = self.reaped.plus(self.of(pid));
    }

    /// What these processes and those that were reaped have waited.
    pub fn total(&self, pids: &[i32]) -> Waited {
        pids.iter().fold(self.reaped, |sum, pid| sum.plus(self.of(*pid)))
    }

    fn of(&self, pid: i32) -> Waited {
        let told = match &self.taskstats {
            Some(taskstats) => taskstats.of_process_or_ended(pid, |stats| self.read(stats)).flatten(),
            None => self.threads(pid),
        };
        told.unwrap_or(Waited { block_io_ns: self.accounted.then_some(0), ..Waited::default() })
    }

    fn read(&self, stats: Stats) -> Option<Waited> {
        let block_io_ns = if self.accounted { Some(stats.block_io_delay_ns()?) } else { None };
        Some(Waited { run_ns: stats.run_ns()?, queue_ns: stats.cpu_delay_ns()?, block_io_ns })
    }

    fn threads(&self, pid: i32) -> Option<Waited> {
        let folder = format!("/proc/{pid}/task");
        let text = |thread: &String| self.root.text(format!("{folder}/{thread}/schedstat"));
        let each = self.root.names(&folder).iter().filter_map(text).filter_map(|text| schedstat::parse(&text)).fold(
            None,
            |sum: Option<[u64; 2]>, [run, queue]| {
                let [known_run, known_queue] = sum.unwrap_or_default();
                Some([known_run + run, known_queue + queue])
            },
        );
        each.map(|[run_ns, queue_ns]| Waited { run_ns, queue_ns, block_io_ns: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_ended_is_told_of_before_it_is_reaped() {
        let mut waits = Waits::new(&Root::here());
        let script = "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done";
        let mut child = std::process::Command::new("sh").args(["-c", script]).spawn().expect("sh");
        let pid = i32::try_from(child.id()).expect("a number");
        while crate::parse::pid_stat::parse(&std::fs::read(format!("/proc/{pid}/stat")).expect("read"))
            .is_some_and(|stat| stat.runs())
        {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        waits.bury(pid);
        child.wait().expect("ended");
        let waited = waits.total(&[]);
        assert!(waited.run_ns > 1_000_000, "{waited:?}");
        assert_eq!(waits.total(&[pid]), waited);
        assert_eq!(waited.block_io_ns.is_some(), waits.accounted);
    }

    #[test]
    fn without_taskstats_the_waits_of_all_threads_are_added() {
        let place = std::env::temp_dir().join(format!("waits-{}", std::process::id()));
        for (thread, text) in [(7, "100 20 3\n"), (8, "1000 300 4\n")] {
            let folder = place.join(format!("proc/7/task/{thread}"));
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(folder.join("schedstat"), text).expect("written");
        }
        let waits = Waits::new(&Root::new(&place));
        assert_eq!(waits.threads(7), Some(Waited { run_ns: 1100, queue_ns: 320, block_io_ns: None }));
        assert_eq!(waits.total(&[7]), Waited { run_ns: 1100, queue_ns: 320, block_io_ns: None });
        assert_eq!(waits.threads(9), None);
        std::fs::remove_dir_all(place).expect("removed");
    }
}
