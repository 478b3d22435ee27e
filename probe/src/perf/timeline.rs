//! What each process had in memory and each thread was called, at any moment of a profile.
//!
//! Records of different processors come unordered, so that all of them are taken in before anything is looked up.

use std::collections::HashMap;

use crate::arrange;
use crate::parse::perf_event::{Map, Record};

/// How far back parents are asked, which is more than any chain of forks without an exec.
const DEEPEST: usize = 64;

#[derive(Debug)]
enum Change {
    Map(Map),
    /// Executing a program removes all maps.
    Executed,
    /// Begins with the maps of its parent.
    Forked(u32),
}

#[derive(Debug)]
enum Called {
    Name(String),
    /// Begins with the name of the thread that made it.
    Forked(u32),
}

#[derive(Debug, Default)]
pub struct Timeline {
    processes: HashMap<u32, Vec<(u64, Change)>>,
    threads: HashMap<u32, Vec<(u64, Called)>>,
}

impl Timeline {
    /// Takes in a record; samples do not matter here.
    pub fn add(&mut self, record: Record) {
        match record {
            Record::Map(map) => self.change(map.process, map.time_ns, Change::Map(map)),
            Record::Name { thread, process, name, executed, time_ns } => {
                self.threads.entry(thread).or_default().push((time_ns, Called::Name(name)));
                if executed {
                    self.change(process, time_ns, Change::Executed);
                }
            }
            Record::Fork { thread, process, parent_thread, parent, time_ns } => {
                self.threads.entry(thread).or_default().push((time_ns, Called::Forked(parent_thread)));
                if process != parent {
                    self.change(process, time_ns, Change::Forked(parent));
                }
            }
            Record::Sample(_) | Record::Lost(_) => {}
        }
    }

    fn change(&mut self, process: u32, time_ns: u64, change: Change) {
        self.processes.entry(process).or_default().push((time_ns, change));
    }

    /// To be called once, when all records are in.
    pub fn sort(&mut self) {
        self.processes.values_mut().for_each(|changes| arrange::sort_by_key(changes, |(time_ns, _)| *time_ns));
        self.threads.values_mut().for_each(|names| arrange::sort_by_key(names, |(time_ns, _)| *time_ns));
    }

    /// What showed at an address of a process at a moment.
    pub fn map(&self, mut process: u32, address: u64, mut time_ns: u64) -> Option<&Map> {
        for _ in 0..DEEPEST {
            let mut parent = None;
            for (when, change) in before(self.processes.get(&process)?, time_ns) {
                match change {
                    Change::Map(map) if address.wrapping_sub(map.start) < map.bytes => return Some(map),
                    Change::Map(_) => {}
                    Change::Executed => return None,
                    Change::Forked(from) => {
                        parent = Some((*from, *when));
                        break;
                    }
                }
            }
            (process, time_ns) = parent?;
        }
        None
    }

    /// What a thread was called at a moment.
    pub fn name(&self, mut thread: u32, mut time_ns: u64) -> Option<&str> {
        for _ in 0..DEEPEST {
            match before(self.threads.get(&thread)?, time_ns).next()? {
                (_, Called::Name(name)) => return Some(name),
                (when, Called::Forked(from)) => (thread, time_ns) = (*from, *when),
            }
        }
        None
    }
}

/// What happened until a moment, the latest first.
fn before<T>(all: &[(u64, T)], time_ns: u64) -> impl Iterator<Item = &(u64, T)> {
    all[..all.partition_point(|(when, _)| *when <= time_ns)].iter().rev()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(process: u32, start: u64, file: &str, time_ns: u64) -> Record {
        Record::Map(Map { process, start, bytes: 0x1000, offset: 0, file: file.to_owned(), time_ns })
    }

    fn named(process: u32, name: &str, executed: bool, time_ns: u64) -> Record {
        Record::Name { process, thread: process, name: name.to_owned(), executed, time_ns }
    }

    fn forked(process: u32, parent: u32, time_ns: u64) -> Record {
        Record::Fork { thread: process, process, parent_thread: parent, parent, time_ns }
    }

    fn timeline(records: Vec<Record>) -> Timeline {
        let mut timeline = Timeline::default();
        records.into_iter().for_each(|record| timeline.add(record));
        timeline.sort();
        timeline
    }

    #[test]
    fn a_child_has_its_parents_maps_and_name_until_it_executes() {
        let records = vec![
            map(2, 0x1000, "/bin/true", 60),
            named(2, "true", true, 50),
            forked(2, 1, 30),
            map(1, 0x1000, "/bin/sh", 10),
            named(1, "sh", true, 5),
        ];
        let timeline = timeline(records);
        let file = |time| timeline.map(2, 0x1800, time).map(|map| map.file.as_str());
        assert_eq!((file(20), file(40), file(55), file(70)), (None, Some("/bin/sh"), None, Some("/bin/true")));
        assert_eq!((timeline.name(2, 40), timeline.name(2, 70)), (Some("sh"), Some("true")));
    }

    #[test]
    fn a_later_map_hides_an_earlier_one() {
        let timeline = timeline(vec![map(1, 0x1000, "/new", 20), map(1, 0x1000, "/old", 10)]);
        assert_eq!(timeline.map(1, 0x1000, 15).map(|map| map.file.as_str()), Some("/old"));
        assert_eq!(timeline.map(1, 0x1000, 25).map(|map| map.file.as_str()), Some("/new"));
    }

    #[test]
    fn a_thread_has_the_memory_of_its_process_and_the_name_of_its_maker() {
        let thread = Record::Fork { thread: 9, process: 1, parent_thread: 1, parent: 1, time_ns: 20 };
        let timeline = timeline(vec![named(1, "job", true, 5), thread]);
        assert_eq!(timeline.name(9, 30), Some("job"));
    }

    #[test]
    fn processes_that_are_each_others_parents_end_nothing_but_the_search() {
        let timeline = timeline(vec![forked(1, 2, 5), forked(2, 1, 5)]);
        assert_eq!(timeline.map(1, 0x1000, 9), None);
        assert_eq!(timeline.name(1, 9), None);
    }
}
