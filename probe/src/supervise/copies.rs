//! The copies of a job: children that wait for their release, run and end.

use std::fs;
use std::io::Write;
use std::os::fd::OwnedFd;

use crate::clock::{Moment, ns};
use crate::error::plain;
use crate::folder::Folder;
use crate::spec::{Spec, Start};
use crate::sys::{self, Ending, Launch, Used};

use super::launch;

/// How a copy's first process ended, and what it used with the children that it had waited for.
#[derive(Clone, Copy, Debug)]
pub struct End {
    pub ending: Ending,
    pub at: Moment,
    pub used: Used,
}

/// One copy of the command.
pub struct Copy {
    pub pid: i32,
    pub started: Option<Moment>,
    pub end: Option<End>,
    /// Processors as read back.
    pub cpus: Vec<u32>,
    /// Where it tells of phases itself.
    pub announcements: Option<OwnedFd>,
    /// Why it could not execute its program, and what was refused to it.
    pub told: Option<OwnedFd>,
    /// Its standard output and standard error.
    pub written: Option<[OwnedFd; 2]>,
    gate: Option<OwnedFd>,
}

/// Makes all copies; each waits for its release. Those that were made before one that failed are ended.
pub fn hold(spec: &Spec, folder: &Folder) -> Result<Vec<Copy>, String> {
    let mut copies = Vec::new();
    for index in 0..spec.placement.copies {
        match hold_one(spec, folder, index) {
            Ok(copy) => copies.push(copy),
            Err(cause) => {
                give_up(copies);
                return Err(cause);
            }
        }
    }
    Ok(copies)
}

fn hold_one(spec: &Spec, folder: &Folder, index: usize) -> Result<Copy, String> {
    let (launch, announcements) = launch::prepare(spec, folder, index)?;
    hold_launch(launch, announcements)
}

/// Makes one process that waits for its release.
pub fn hold_launch(launch: Launch, announcements: Option<OwnedFd>) -> Result<Copy, String> {
    let held = sys::hold(&launch).map_err(|error| format!("cannot fork the job: {}", plain(&error)))?;
    Ok(Copy {
        pid: held.pid,
        started: None,
        end: None,
        cpus: Vec::new(),
        announcements,
        told: Some(held.failure),
        written: Some([launch.stdout, launch.stderr]),
        gate: Some(held.release),
    })
}

/// Ends copies that were never released.
pub fn give_up(mut copies: Vec<Copy>) {
    // All gates before any end is waited for: a copy holds those of the copies before it open.
    copies.iter_mut().for_each(|copy| copy.gate = None);
    for copy in copies {
        let _ = sys::reap(copy.pid);
    }
}

impl Copy {
    /// Lets it execute its program; its time begins here.
    pub fn release(&mut self) {
        let Some(gate) = self.gate.take() else { return };
        self.started = Some(Moment::now());
        // A child that is gone already is found by its ending.
        let _ = fs::File::from(gate).write_all(b"!");
    }

    /// Confines it to processors of its own, read back.
    pub fn place(&mut self, cpus: &[u32]) -> Result<(), String> {
        if !cpus.is_empty() {
            sys::confine(self.pid, cpus).map_err(|error| format!("cannot confine to {cpus:?}: {}", plain(&error)))?;
        }
        self.cpus =
            sys::affinity(self.pid).map_err(|error| format!("cannot read the processors: {}", plain(&error)))?;
        if cpus.is_empty() || self.cpus == cpus {
            return Ok(());
        }
        Err(format!("cannot confine a copy to {cpus:?}: in force are {:?}", self.cpus))
    }
}

/// When each copy is due, on the monotonic clock.
pub struct Schedule {
    pub first_ns: i64,
    stagger_ns: i64,
    next: usize,
}

impl Schedule {
    pub fn new(start: Start, now: Moment) -> Self {
        let first_ns = start.at_mono_ns.map_or(now.mono_ns, |at| at.max(now.mono_ns));
        Self { first_ns, stagger_ns: ns(start.stagger_s), next: 0 }
    }

    /// When the next copy is due; `None` once all are released.
    pub fn due(&self, copies: &[Copy]) -> Option<i64> {
        (self.next < copies.len())
            .then(|| self.first_ns.saturating_add(self.stagger_ns.saturating_mul(self.next as i64)))
    }

    /// Releases all that are due.
    pub fn act(&mut self, now: Moment, copies: &mut [Copy]) {
        while self.due(copies).is_some_and(|due| due <= now.mono_ns) {
            copies[self.next].release();
            self.next += 1;
        }
    }

    /// Releases nobody any more; those that wait are ended by the closing of their gate.
    pub fn cancel(&mut self, copies: &mut [Copy]) {
        self.next = copies.len();
        for copy in copies {
            copy.gate = None;
        }
    }
}
