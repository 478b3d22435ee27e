//! The supervisor of one job: starts it under its limits, samples it, ends it, writes its record.

mod cause;
mod confine;
mod copies;
mod events;
mod files;
mod hot_loop;
mod job;
mod launch;
mod outcome;
mod parts;
pub mod process_io;
mod sampler;
mod series;
mod stopper;
pub mod tree;
mod watching;

use std::time::Duration;

use crate::clock::Moment;
use crate::error::plain;
use crate::folder::Folder;
use crate::phases::Phases;
use crate::read::{self, Root};
use crate::spec::Spec;
use crate::sys;
use crate::watch::Surroundings;

use confine::Confinement;
use events::Events;
use files::Prepared;
use job::Job;
use outcome::{Before, Outcome};
use sampler::Sampler;
use series::Series;
use watching::Watching;

pub use copies::Copy;
pub use hot_loop::{Measured, hot_loop};
pub use launch::{directory, output};

/// A reason not to trust a figure: a word for programs, a sentence for people.
pub type Doubt = (&'static str, String);

const SIGNALS: [i32; 3] = [sys::SIGCHLD, sys::SIGTERM, sys::SIGINT];
/// Descriptors that are not for kept files: output, pipes, sockets, event counters, folders that are listed.
const OTHER_FILES: u64 = 124;

/// Keeps signals for later: until the job has its supervisor, a stop must neither kill nor be lost.
pub fn hold_signals() -> std::io::Result<()> {
    sys::ignore_signal(sys::SIGHUP);
    sys::hold_signals(&SIGNALS)
}

/// Runs the job of a spec to its end and writes `probe.json`.
pub fn supervise(spec: &Spec, folder: &Folder) {
    let moment = Moment::now();
    let record = match run(spec, folder) {
        Ok(outcome) => outcome.json(spec),
        Err(cause) => outcome::not_started(spec, moment, &cause),
    };
    // There is nobody left to tell: without its record a run counts as lost.
    let _ = folder.write("probe.json", &record);
}

fn run(spec: &Spec, folder: &Folder) -> Result<Outcome, String> {
    read::set_room(sys::raise_open_files().saturating_sub(OTHER_FILES + 4 * spec.placement.copies as u64) as usize);
    let adopted = sys::adopt_orphans();
    let root = Root::here();
    let sampler = Sampler::new(folder, &root, spec.process_io);
    let mut sampler = sampler.map_err(|error| format!("cannot write samples: {}", plain(&error)))?;
    let mut held = copies::hold(spec, folder)?;
    let prepared = prepare(spec, folder, &mut held, &root);
    let (Confinement { group, in_force, mut doubts }, phases, files) = match prepared {
        Ok(prepared) => prepared,
        Err(cause) => {
            copies::give_up(held);
            return Err(cause);
        }
    };
    if let Err(error) = adopted {
        doubts.push(("orphans-lost", format!("cannot adopt orphans: {}.", plain(&error))));
    }
    let mains: Vec<i32> = held.iter().map(|copy| copy.pid).collect();
    let own_network = spec.network_namespace.is_some();
    let around = Surroundings { root: &root, group: group.as_ref(), mains: &mains, own_network };
    sampler.series = Series::open(&spec.watch, folder, &around);
    let events = Events::open(spec, folder, &root, &mains, &mut doubts);
    let mut job = Job::new(held, group, &root);
    let watched = Watching::new(spec, sampler, phases, events).watch(&mut job)?;
    watched.finish(job, Before { in_force, files }, doubts)
}

/// Places the waiting copies and begins to listen to them.
fn prepare(
    spec: &Spec,
    folder: &Folder,
    held: &mut [Copy],
    root: &Root,
) -> Result<(Confinement, Option<Phases>, Option<Prepared>), String> {
    let pids: Vec<i32> = held.iter().map(|copy| copy.pid).collect();
    let own: Vec<u32> = spec.placement.cpus.iter().flatten().copied().collect();
    confine::stand_aside(if spec.limits.cpus.is_empty() { &own } else { &spec.limits.cpus });
    let mut confinement = confine::confine(&spec.limits, &pids, root)?;
    if let Some(group) = &confinement.group {
        // Only `stop` of a lost run needs it.
        let _ = folder.note_groups(&group.each_folder());
    }
    for (index, copy) in held.iter_mut().enumerate() {
        copy.place(spec.placement.cpus_of(index))?;
    }
    let phases = Phases::listen(spec, folder, held)?;
    let files = spec.cache.as_ref().map(|cache| files::prepare(cache, &mut confinement.doubts)).transpose()?;
    Ok((confinement, phases, files))
}

/// Time from now to a point of the monotonic clock.
fn until(mono_ns: i64) -> Duration {
    Duration::from_nanos(u64::try_from(mono_ns - sys::monotonic_ns()).unwrap_or(0))
}
