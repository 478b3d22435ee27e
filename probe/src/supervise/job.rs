//! The job: all processes that came from the one command.

use crate::cgroup::{Group, GroupCpu};
use crate::clock::Moment;
use crate::cpu_time::CpuTime;
use crate::parse::pid_stat::{self, PidStat};
use crate::read::Root;
use crate::sys::{self, Ending};

use super::io_bytes::IoBytes;
use super::tree;

/// A running or ended job.
pub struct Job {
    pub main: i32,
    pub group: Option<Group>,
    /// How and when its first process ended.
    pub ending: Option<(Ending, Moment)>,
    root: Root,
    start: Option<GroupCpu>,
    /// CPU time of the first process before its release, where there is no group.
    before_ns: u64,
    cpu: CpuTime,
    reaped_io: IoBytes,
    io: IoBytes,
}

/// What a job holds and has used at one moment.
pub struct Reading {
    pub cpu: CpuTime,
    pub io: IoBytes,
    pub rss_bytes: u64,
    pub processes: usize,
}

impl Job {
    /// A job that is about to be released: what it used until now does not count.
    pub fn new(main: i32, group: Option<Group>, root: Root) -> Self {
        let start = group.as_ref().and_then(Group::cpu);
        let before_ns = sys::process_cpu_ns(main).unwrap_or(0);
        let (cpu, reaped_io, io) = (CpuTime::default(), IoBytes::ZERO, IoBytes::ZERO);
        Self { main, group, ending: None, root, start, before_ns, cpu, reaped_io, io }
    }

    /// Reaps every child that has ended, after a last look at its I/O.
    pub fn reap(&mut self, now: Moment) {
        while let Some(pid) = sys::ended_child() {
            self.reaped_io = self.reaped_io.plus(IoBytes::of(&self.root, pid).unwrap_or_default());
            let Ok((_, ending)) = sys::reap(pid) else { return };
            if pid == self.main {
                self.ending = Some((ending, now));
            }
        }
    }

    /// Its processes: members of the group, or our descendants where there is none.
    fn members(&self) -> Vec<i32> {
        let members = self.group.as_ref().and_then(Group::processes);
        members.unwrap_or_else(|| self.descendants())
    }

    fn descendants(&self) -> Vec<i32> {
        tree::descendants(&self.root, i32::try_from(std::process::id()).unwrap_or(0))
    }

    fn stat(&self, pid: i32) -> Option<PidStat> {
        pid_stat::parse(&self.root.bytes(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Everything of it that still runs, also what left the group.
    pub fn alive(&self) -> Vec<i32> {
        let mut pids = self.members();
        pids.extend(self.descendants());
        pids.sort_unstable();
        pids.dedup();
        pids.retain(|pid| self.stat(*pid).is_some_and(|stat| runs(&stat)));
        pids
    }

    /// Sends a signal to all of it.
    pub fn signal(&self, signal: i32) {
        for pid in self.alive() {
            let _ = sys::kill(pid, signal);
        }
    }

    /// Kills all of it.
    pub fn kill(&self) {
        if let Some(group) = &self.group {
            group.kill();
        }
        self.signal(sys::SIGKILL);
    }

    /// Reads what it holds and has used.
    pub fn read(&mut self) -> Reading {
        let members = self.members();
        let stats: Vec<PidStat> = members.iter().filter_map(|pid| self.stat(*pid)).collect();
        let io = members.iter().filter_map(|pid| IoBytes::of(&self.root, *pid)).fold(self.reaped_io, IoBytes::plus);
        self.io = io.at_least(self.io);
        self.cpu = self.cpu_now(&stats);
        let running = stats.iter().filter(|stat| runs(stat));
        let (processes, pages) = running.fold((0, 0), |(count, pages), stat| (count + 1, pages + stat.rss_pages));
        Reading { cpu: self.cpu, io: self.io, rss_bytes: pages * sys::page_bytes(), processes }
    }

    fn cpu_now(&self, stats: &[PidStat]) -> CpuTime {
        if let Some((start, now)) = self.start.zip(self.group.as_ref().and_then(Group::cpu)) {
            return now.since(start, self.cpu);
        }
        let tick_ns = 1_000_000_000 / sys::ticks_per_s();
        let reaped = sys::children_usage();
        let user = reaped.user_ns + stats.iter().map(|stat| stat.user).sum::<u64>() * tick_ns;
        let system = reaped.system_ns + stats.iter().map(|stat| stat.system).sum::<u64>() * tick_ns;
        CpuTime { user_ns: user.max(self.cpu.user_ns), system_ns: system.max(self.cpu.system_ns) }
    }

    /// Totals of a job of which everything is reaped.
    pub fn totals(&mut self) -> (CpuTime, IoBytes, Option<super::Doubt>) {
        let seen = self.cpu;
        self.cpu = self.cpu_now(&[]);
        if self.start.is_some() {
            return (self.cpu, self.reaped_io, None);
        }
        let reaped = sys::children_usage();
        let exact = CpuTime { user_ns: reaped.user_ns, system_ns: reaped.system_ns }.without(self.before_ns);
        // Two ticks: the samples count in ticks, in each mode.
        let lost_ns = seen.total_ns().saturating_sub(exact.total_ns() + 2_000_000_000 / sys::ticks_per_s());
        if lost_ns == 0 {
            return (exact, self.reaped_io, None);
        }
        let sentence = format!(
            "At least {:.2} s of CPU time are not in the kernel's total of reaped children; \
             the total is that of the last sample.",
            lost_ns as f64 / 1e9
        );
        (self.cpu, self.reaped_io, Some(("totals-incomplete", sentence)))
    }
}

/// Zombies and dead processes hold nothing any more.
fn runs(stat: &PidStat) -> bool {
    !matches!(stat.state, 'Z' | 'X' | 'x')
}
