//! A process that runs already, with its descendants: watched by `/proc` alone, and nothing of it is changed.
//!
//! Descendants that were seen once are followed when their parent goes. Limits: counts are in ticks; what the kernel
//! reaps itself (SIGCHLD ignored) counts as last seen; the I/O of an orphan is no longer counted once it has ended.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;

use super::reading::{Reading, Uses};
use crate::parse::pid_stat::PidStat;
use crate::parse::turnover::Turnover;
use crate::read::Root;
use crate::supervise::process_io::ProcessIo;
use crate::supervise::tree::Tree;
use crate::sys;

/// A watched process.
#[derive(Debug)]
pub struct Attached {
    pub pid: i32,
    /// Readable once it has ended; `None` on a kernel that has no such file.
    pub end: Option<OwnedFd>,
    root: Root,
    /// Its tree, and those of orphans.
    trees: Vec<Tree>,
    known: BTreeMap<i32, PidStat>,
    /// What orphans had used that are gone: nobody in the tree has waited for them.
    gone: Uses,
    highest: Uses,
    io: ProcessIo,
    walked: Option<Turnover>,
    started: u64,
}

impl Attached {
    /// `None` where there is no such process.
    pub fn to(pid: i32, root: &Root) -> Option<Self> {
        let end = sys::watch_process(pid).ok();
        let mut tree = Tree::new(root, pid);
        let started = tree.read_top().filter(PidStat::runs)?.start;
        let (gone, highest) = (Uses::default(), Uses::default());
        let (known, io) = (BTreeMap::new(), ProcessIo::new(root));
        Some(Self {
            pid,
            end,
            root: root.clone(),
            trees: vec![tree],
            known,
            gone,
            highest,
            io,
            walked: None,
            started,
        })
    }

    /// Age of the process: the kernel knows its start to a tick.
    pub fn age_ns(&self) -> i64 {
        let start_ns = self.started * (1_000_000_000 / sys::ticks_per_s());
        (sys::boottime_ns() - i64::try_from(start_ns).unwrap_or(0)).max(0)
    }

    /// Whether it has ended.
    pub fn ended(&mut self) -> bool {
        let stat = self.trees[0].read_top();
        !stat.is_some_and(|stat| stat.start == self.started && stat.runs())
    }

    pub fn read(&mut self, with_io: bool, turnover: Option<Turnover>) -> Reading {
        let same = turnover.is_some() && self.walked == turnover;
        self.walked = turnover;
        let mut members: Vec<(i32, PidStat)> = self.trees.iter_mut().flat_map(|tree| whole(tree, same)).collect();
        members.retain(|(pid, stat)| *pid != self.pid || stat.start == self.started);
        members.sort_unstable_by_key(|(pid, _)| *pid);
        members.dedup_by_key(|(pid, _)| *pid);
        if !same {
            self.follow(&mut members);
        }
        self.known = members.iter().copied().collect();
        let pids: Vec<i32> = members.iter().map(|(pid, _)| *pid).collect();
        let io = with_io.then(|| self.io.total(&pids));
        let uses = self.never_less(Uses::of(&members));
        Reading { members, uses, io: io.unwrap_or_default() }
    }

    /// Looks for processes that were known and are not in a tree any more.
    fn follow(&mut self, members: &mut Vec<(i32, PidStat)>) {
        self.trees.retain_mut(|tree| tree.top() == self.pid || tree.read_top().is_some());
        let found: Vec<i32> = members.iter().map(|(pid, _)| *pid).collect();
        let missing = self.known.iter().filter(|(pid, _)| found.binary_search(pid).is_err());
        for (pid, last) in missing.map(|(pid, stat)| (*pid, *stat)) {
            let mut tree = Tree::new(&self.root, pid);
            if tree.read_top().is_some_and(|stat| stat.start == last.start) {
                members.extend(whole(&mut tree, false));
                self.trees.push(tree);
            } else if pid != self.pid && !self.known.contains_key(&last.parent) {
                let used = Uses::of(&[(pid, last)]);
                self.gone.cpu.user_ns += used.cpu.user_ns;
                self.gone.cpu.system_ns += used.cpu.system_ns;
                self.gone.minor_faults += used.minor_faults;
                self.gone.major_faults += used.major_faults;
            }
        }
        members.sort_unstable_by_key(|(pid, _)| *pid);
        members.dedup_by_key(|(pid, _)| *pid);
    }

    fn never_less(&mut self, mut now: Uses) -> Uses {
        let (gone, most) = (self.gone, self.highest);
        now.cpu.user_ns = (now.cpu.user_ns + gone.cpu.user_ns).max(most.cpu.user_ns);
        now.cpu.system_ns = (now.cpu.system_ns + gone.cpu.system_ns).max(most.cpu.system_ns);
        now.minor_faults = (now.minor_faults + gone.minor_faults).max(most.minor_faults);
        now.major_faults = (now.major_faults + gone.major_faults).max(most.major_faults);
        self.highest = now;
        now
    }
}

/// The top of a tree and all below it.
fn whole(tree: &mut Tree, same: bool) -> Vec<(i32, PidStat)> {
    let Some(top) = tree.read_top() else { return Vec::new() };
    let below = if same { tree.read_again() } else { tree.read() };
    below.into_iter().chain([(tree.top(), top)]).collect()
}
