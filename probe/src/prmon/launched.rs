//! The job that we start: our child, with whatever comes of it.
//!
//! We adopt its orphans (prctl(2), PR_SET_CHILD_SUBREAPER), so that nothing leaves our tree; a group that only counts
//! knows of children that the kernel reaps itself.

use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStrExt;

use super::reading::{Reading, Uses};
use crate::cgroup::{Gauge, Group, GroupCpu, Version};
use crate::cpu_time::CpuTime;
use crate::parse::turnover::Turnover;
use crate::read::Root;
use crate::supervise::process_io::ProcessIo;
use crate::supervise::tree::Tree;
use crate::sys::{self, Ending, Foreground, Heard, Used};

/// A job and how it is counted.
pub struct Launched {
    pub pid: i32,
    root: Root,
    tree: Tree,
    io: ProcessIo,
    counted: Option<(Group, Gauge, GroupCpu)>,
    /// What its CPU time is taken over.
    pub scope: &'static str,
    cpu: CpuTime,
    /// Minor and major page faults: they never go down, also where the kernel reaped a child itself.
    faults: (u64, u64),
    walked: Option<Turnover>,
    /// What we had reaped before the job.
    before: Used,
    pub ending: Option<Ending>,
    /// Largest resident set of one reaped process.
    pub highest_rss_bytes: u64,
}

/// Makes a group and its gauge.
fn group(root: &Root) -> Option<(Group, Gauge, GroupCpu)> {
    let group = Group::make_bare(root, &format!("prmon-{}-{}", std::process::id(), sys::monotonic_ns()))?;
    let read = Gauge::new(&group).and_then(|mut gauge| gauge.cpu().map(|cpu| (gauge, cpu)));
    match read {
        Some((gauge, cpu)) => Some((group, gauge, cpu)),
        None => {
            group.release(root);
            None
        }
    }
}

fn scope(counted: Option<&(Group, Gauge, GroupCpu)>) -> &'static str {
    match counted.map(|(group, ..)| group.version) {
        Some(Version::One) => "cgroup-v1",
        Some(Version::Two) => "cgroup-v2",
        None => "tree",
    }
}

impl Launched {
    /// Starts the program; an error is the kernel's reason.
    pub fn start(program: &[OsString], heard: &Heard, root: &Root) -> std::io::Result<Self> {
        let _ = sys::adopt_orphans();
        let before = sys::children_usage();
        let mut counted = group(root);
        let doors = counted.as_ref().and_then(|(group, ..)| group.entrances().ok()).unwrap_or_default();
        let inside = counted.as_ref().and_then(|(group, ..)| group.inside());
        let words = program.iter().map(|word| CString::new(word.as_bytes())).collect::<Result<_, _>>()?;
        let started = Foreground { words, heard, group: inside, doors }.start();
        if !started.as_ref().is_ok_and(|(_, entered)| *entered) {
            counted.take().map(|(group, ..)| group.release(root));
        }
        let (pid, _) = started?;
        let me = i32::try_from(std::process::id()).unwrap_or(0);
        Ok(Self {
            pid,
            root: root.clone(),
            tree: Tree::new(root, me),
            io: ProcessIo::new(root),
            scope: scope(counted.as_ref()),
            counted,
            cpu: CpuTime::default(),
            faults: (0, 0),
            walked: None,
            before,
            ending: None,
            highest_rss_bytes: 0,
        })
    }

    /// Reaps every child that has ended, after a last look at its I/O.
    pub fn reap(&mut self) {
        while let Some(pid) = sys::ended_child() {
            self.io.bury(pid);
            let Ok((_, ending, used)) = sys::reap(pid) else { return };
            self.highest_rss_bytes = self.highest_rss_bytes.max(used.rss_bytes);
            if pid == self.pid {
                self.ending = Some(ending);
            }
        }
    }

    pub fn read(&mut self, with_io: bool, turnover: Option<Turnover>) -> Reading {
        let same = turnover.is_some() && self.walked == turnover;
        let members = if same { self.tree.read_again() } else { self.tree.read() };
        self.walked = turnover;
        let pids: Vec<i32> = members.iter().map(|(pid, _)| *pid).collect();
        let io = with_io.then(|| self.io.total(&pids));
        let mut uses = Uses::of(&members);
        let reaped = sys::children_usage();
        self.faults.0 = self.faults.0.max(uses.minor_faults + reaped.minor_faults - self.before.minor_faults);
        self.faults.1 = self.faults.1.max(uses.major_faults + reaped.major_faults - self.before.major_faults);
        (uses.minor_faults, uses.major_faults) = self.faults;
        self.cpu = self.cpu_now(reaped, uses.cpu);
        uses.cpu = self.cpu;
        Reading { members, uses, io: io.unwrap_or_default() }
    }

    fn cpu_now(&mut self, reaped: Used, living: CpuTime) -> CpuTime {
        if let Some((_, gauge, start)) = &mut self.counted {
            return gauge.cpu().map_or(self.cpu, |now| now.since(*start, self.cpu));
        }
        let user_ns = reaped.user_ns.saturating_sub(self.before.user_ns) + living.user_ns;
        let system_ns = reaped.system_ns.saturating_sub(self.before.system_ns) + living.system_ns;
        let now = CpuTime { user_ns, system_ns };
        // The kernel counts the living in ticks, in each mode; what was reaped it knows exactly.
        let tolerance = 2 * (1 + u64::from(living.total_ns() > 0)) * 1_000_000_000 / sys::ticks_per_s();
        if now.total_ns() + tolerance >= self.cpu.total_ns() && self.ending.is_some() {
            return now;
        }
        CpuTime { user_ns: user_ns.max(self.cpu.user_ns), system_ns: system_ns.max(self.cpu.system_ns) }
    }

    /// Sends a signal to all of it.
    pub fn signal(&mut self, signal: i32) {
        for (pid, _) in self.tree.read() {
            let _ = sys::kill(pid, signal);
        }
    }

    /// Takes the group away from around whoever is still in it: how many processes go on without us.
    pub fn leave(&mut self) -> usize {
        let moved = self.counted.take().map_or(0, |(group, ..)| group.release(&self.root));
        moved.max(Uses::of(&self.tree.read()).processes)
    }
}
