//! Counts of events over a whole job: its first process and everything that comes of it.
//!
//! Source: perf_event_open(2). The kernel counts with the thread itself and adds up what ended (`inherit`), so that
//! daemonised and auto-reaped processes are in, and nothing is read in between.
//! Limits: a process gives up its counters on its way out, on Linux 6.18 before its memory is torn down (some
//! 0.05 ms for a small one), so that the end of each process is not counted. The task clock is that of the machine:
//! in a guest it runs on while the hypervisor has taken the processor away.

use std::fs::File;
use std::io::{self, Read};

use serde_json::{Value, json};

use crate::parse::perf_event::{Counted, READ_FORMAT};
use crate::read::Root;
use crate::sys::{Request, open_event};

use super::events::{self, Event, SOFTWARE, TASK_CLOCK};
use super::refused;

// Bits of `struct perf_event_attr`.
pub const DISABLED: u64 = 1;
pub const INHERIT: u64 = 1 << 1;
pub const EXCLUDE_KERNEL: u64 = 1 << 5;
pub const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
pub const ENABLE_ON_EXEC: u64 = 1 << 12;

/// Counters of one job.
#[derive(Debug)]
pub struct Counters {
    each: Vec<Counter>,
}

#[derive(Debug)]
struct Counter {
    name: String,
    /// One for each first process of the job.
    open: Vec<File>,
    user_only: bool,
    refusal: Option<String>,
}

/// What an event came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Count {
    pub name: String,
    /// For the whole time, also where the event shared its counter; `None`: not counted.
    pub value: Option<u64>,
    /// What was really counted; the times are sums over threads.
    pub counted: Counted,
    /// Without the kernel's part, for want of permission.
    pub user_only: bool,
    /// Why there is no value.
    pub reason: Option<String>,
}

impl Counters {
    /// Opens one counter an event on first processes that have not executed their programs yet; counting begins
    /// there. Names are those of `check`. What is refused is kept, with the reason.
    pub fn open(root: &Root, names: &[String], pids: &[i32]) -> Self {
        Self { each: names.iter().map(|name| Counter::open(root, name, pids)).collect() }
    }

    /// Counts until now.
    pub fn read(&mut self) -> Vec<Count> {
        self.each.iter_mut().map(Counter::read).collect()
    }
}

/// Refuses names that are not known, with the nearest that is.
pub fn check(names: &[String]) -> Result<(), String> {
    names.iter().try_for_each(|name| events::check(name))
}

impl Counter {
    fn open(root: &Root, name: &str, pids: &[i32]) -> Self {
        let mut counter = Self { name: name.to_owned(), open: Vec::new(), user_only: false, refusal: None };
        let Some(event) = events::find(root, name) else {
            counter.refusal = Some("not supported here".to_owned());
            return counter;
        };
        match open_all(event, pids) {
            // The kernel's task clock runs in all modes whatever was asked (kernel/events/core.c).
            Ok((open, user_only)) => (counter.open, counter.user_only) = (open, user_only && name != "task-clock"),
            Err(error) => counter.refusal = Some(refused::words(root, &error)),
        }
        counter
    }

    fn read(&mut self) -> Count {
        let name = self.name.clone();
        let sum = self.open.iter_mut().map(read).try_fold((Counted::default(), Some(0)), add);
        let (counted, value) =
            if self.refusal.is_some() { (Counted::default(), None) } else { sum.unwrap_or_default() };
        let never = || value.is_none().then(|| "never on a counter".to_owned());
        let reason = self.refusal.clone().or_else(never);
        Count { name, value, counted, user_only: self.user_only, reason }
    }
}

/// Each process's count is scaled by its own times: they need not have shared counters alike.
fn add((sum, value): (Counted, Option<u64>), one: Option<Counted>) -> Option<(Counted, Option<u64>)> {
    let one = one?;
    let counted = Counted {
        raw: sum.raw + one.raw,
        enabled_ns: sum.enabled_ns + one.enabled_ns,
        running_ns: sum.running_ns + one.running_ns,
    };
    Some((counted, value.zip(one.scaled()).and_then(|(sum, one)| sum.checked_add(one))))
}

fn open_all(event: Event, pids: &[i32]) -> io::Result<(Vec<File>, bool)> {
    let all = |flags| pids.iter().map(|pid| open(event, flags, *pid)).collect::<io::Result<Vec<File>>>();
    match all(0) {
        Err(error) if refused::forbidden(&error) => Ok((all(EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR)?, true)),
        opened => Ok((opened?, false)),
    }
}

fn open(event: Event, flags: u64, pid: i32) -> io::Result<File> {
    let flags = flags | DISABLED | INHERIT | ENABLE_ON_EXEC;
    let Event { kind, config } = event;
    open_event(&Request { kind, config, flags, read_format: READ_FORMAT, ..Request::default() }, pid, -1)
}

fn read(file: &mut File) -> Option<Counted> {
    let mut bytes = [0; 24];
    file.read_exact(&mut bytes).ok()?;
    Counted::parse(&bytes)
}

impl Count {
    pub fn json(&self) -> Value {
        let Counted { raw, enabled_ns, running_ns } = self.counted;
        let scope = if self.user_only { "user" } else { "all" };
        json!({
            "name": self.name, "value": self.value, "raw": raw, "enabled_ns": enabled_ns, "running_ns": running_ns,
            "scope": scope, "reason": self.reason,
        })
    }
}

/// CPU time of a job: of its first processes and everything that comes of them, in ns.
///
/// Limits: those of this file. Where every process is reaped by its parent, getrusage(2) is the better figure.
#[derive(Debug)]
pub struct TaskClock {
    open: Vec<File>,
}

impl TaskClock {
    /// As `Counters::open`, where the kernel lets us.
    pub fn open(pids: &[i32]) -> Option<Self> {
        let event = Event { kind: SOFTWARE, config: TASK_CLOCK };
        Some(Self { open: open_all(event, pids).ok()?.0 })
    }

    /// CPU time since the first processes executed their programs.
    pub fn ns(&mut self) -> Option<u64> {
        self.open.iter_mut().map(|file| read(file).map(|counted| counted.raw)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(raw: u64, enabled_ns: u64, running_ns: u64) -> Option<Counted> {
        Some(Counted { raw, enabled_ns, running_ns })
    }

    fn sum(all: &[Option<Counted>]) -> Option<(Counted, Option<u64>)> {
        all.iter().copied().try_fold((Counted::default(), Some(0)), add)
    }

    #[test]
    fn copies_are_scaled_each_by_its_own_times() {
        let (total, value) = sum(&[counted(100, 10, 5), counted(30, 10, 10)]).expect("counts");
        assert_eq!((total.raw, value), (130, Some(230)));
    }

    #[test]
    fn one_copy_without_a_count_leaves_the_sum_absent() {
        assert_eq!(sum(&[counted(100, 10, 5), counted(0, 10, 0)]).expect("counts").1, None);
        assert_eq!(sum(&[counted(100, 10, 5), None]), None);
    }

    #[test]
    fn an_event_that_this_machine_lacks_is_kept_without_a_value() {
        let root = Root::new("/nowhere");
        let count = &Counters::open(&root, &["itlb-walks".to_owned()], &[0]).read()[0];
        assert_eq!((count.value, count.reason.as_deref()), (None, Some("not supported here")));
    }
}
