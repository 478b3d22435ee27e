//! The descendants of a process, found and read through files that stay open.
//!
//! Source: proc(5), `/proc/PID/task/TID/children`. Every thread has children of its own; the main thread's list
//! alone would miss them. Limits: a kernel without these files (before 3.5) is asked for all parents instead.

use std::collections::BTreeMap;

use crate::parse::pid_stat::{self, PidStat};
use crate::read::{Kept, Root};

/// Files of one process.
#[derive(Debug)]
struct Process {
    stat: Kept,
    /// Children of its main thread.
    children: Option<Kept>,
}

impl Process {
    fn open(root: &Root, pid: i32) -> Option<Self> {
        let stat = root.keep(format!("/proc/{pid}/stat")).ok()?;
        Some(Self { stat, children: root.keep(format!("/proc/{pid}/task/{pid}/children")).ok() })
    }

    fn read(&self, buffer: &mut Vec<u8>) -> Option<PidStat> {
        pid_stat::parse(self.stat.piece_in(buffer).ok()?)
    }
}

/// The tree below one process.
#[derive(Debug)]
pub struct Tree {
    root: Root,
    top: i32,
    known: BTreeMap<i32, Process>,
    buffer: Vec<u8>,
}

impl Tree {
    pub fn new(root: &Root, top: i32) -> Self {
        Self { root: root.clone(), top, known: BTreeMap::new(), buffer: Vec::new() }
    }

    /// All descendants with what they used, zombies among them, sorted by number.
    pub fn read(&mut self) -> Vec<(i32, PidStat)> {
        let top = self.stat(self.top);
        let lists = self.known.get(&self.top).is_some_and(|top| top.children.is_some());
        let mut found = if lists { self.walk(top.map_or(1, |top| top.threads)) } else { self.by_parents() };
        found.sort_unstable_by_key(|(pid, _)| *pid);
        found.dedup_by_key(|(pid, _)| *pid);
        self.known.retain(|pid, _| *pid == self.top || found.binary_search_by_key(pid, |(pid, _)| *pid).is_ok());
        found
    }

    /// The same processes as at the last reading, for when none began or ended since.
    pub fn read_again(&mut self) -> Vec<(i32, PidStat)> {
        let (top, buffer) = (self.top, &mut self.buffer);
        let known = self.known.iter().filter(|(pid, _)| **pid != top);
        known.filter_map(|(pid, process)| Some((*pid, process.read(buffer)?))).collect()
    }

    /// Whether the last reading found anything out: without `/proc` nothing is known.
    pub fn is_known(&self) -> bool {
        self.known.contains_key(&self.top)
    }

    pub fn top(&self) -> i32 {
        self.top
    }

    /// The process above them all, as long as it is there.
    pub fn read_top(&mut self) -> Option<PidStat> {
        self.stat(self.top)
    }

    fn walk(&mut self, threads: u64) -> Vec<(i32, PidStat)> {
        let mut found = Vec::new();
        let mut waiting = self.children(self.top, threads);
        while let Some(pid) = waiting.pop() {
            let Some(stat) = self.stat(pid) else { continue };
            waiting.extend(self.children(pid, stat.threads));
            found.push((pid, stat));
        }
        found
    }

    /// Reads a process through its open file; a number that was given to another process meanwhile is opened anew.
    fn stat(&mut self, pid: i32) -> Option<PidStat> {
        if let Some(stat) = self.known.get(&pid).and_then(|process| process.read(&mut self.buffer)) {
            return Some(stat);
        }
        let process = Process::open(&self.root, pid)?;
        let stat = process.read(&mut self.buffer);
        self.known.insert(pid, process);
        stat
    }

    fn children(&mut self, pid: i32, threads: u64) -> Vec<i32> {
        if threads > 1 {
            let folder = format!("/proc/{pid}/task");
            let text = |thread: &String| self.root.text(format!("{folder}/{thread}/children"));
            return self.root.names(&folder).iter().filter_map(text).flat_map(|text| numbers(&text)).collect();
        }
        let kept = self.known.get(&pid).and_then(|process| process.children.as_ref());
        kept.and_then(|kept| kept.text_in(&mut self.buffer)).map(numbers).unwrap_or_default()
    }

    fn by_parents(&mut self) -> Vec<(i32, PidStat)> {
        let names = self.root.names("/proc");
        let stat = |pid: i32| Some((pid, pid_stat::parse(&self.root.bytes(format!("/proc/{pid}/stat")).ok()?)?));
        let all: Vec<(i32, PidStat)> = names.iter().filter_map(|name| stat(name.parse().ok()?)).collect();
        below(&all, self.top)
    }
}

fn numbers(text: &str) -> Vec<i32> {
    text.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect()
}

fn below(all: &[(i32, PidStat)], top: i32) -> Vec<(i32, PidStat)> {
    let mut found: Vec<(i32, PidStat)> = Vec::new();
    let mut parents = vec![top];
    while let Some(parent) = parents.pop() {
        let new =
            all.iter().filter(|(pid, stat)| stat.parent == parent && !found.iter().any(|(known, _)| known == pid));
        let new: Vec<(i32, PidStat)> = new.copied().collect();
        parents.extend(new.iter().map(|(pid, _)| *pid));
        found.extend(new);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descendants_of_descendants_are_found() {
        let stat = |parent| PidStat { state: 'S', parent, threads: 1, ..PidStat::default() };
        let all = [(2, stat(1)), (3, stat(2)), (4, stat(3)), (5, stat(1)), (6, stat(9))];
        let mut found: Vec<i32> = below(&all, 1).iter().map(|(pid, _)| *pid).collect();
        found.sort_unstable();
        assert_eq!(found, [2, 3, 4, 5]);
        assert!(below(&all, 4).is_empty());
    }

    #[test]
    fn children_of_every_thread_are_found_again_and_again() {
        let root = Root::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pieces/threads"));
        let mut tree = Tree::new(&root, 10);
        for _ in 0..2 {
            let pids: Vec<i32> = tree.read().iter().map(|(pid, _)| *pid).collect();
            assert_eq!(pids, [11, 12, 13]);
        }
    }
}
