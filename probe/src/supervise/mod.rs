//! The supervisor of one job: starts it under its limits, samples it, ends it, writes its record.

mod cause;
mod confine;
mod copies;
mod events;
mod files;
mod hot_loop;
mod io_pace;
mod job;
mod launch;
mod outcome;
mod outputs;
mod parts;
mod pauser;
pub mod process_io;
mod reader;
#[cfg(test)]
mod runs;
mod sampler;
mod series;
mod stopper;
pub mod tree;
mod waits;
mod watching;
mod why;

use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use crate::arrange;
use crate::cgroup::Group;
use crate::clock::Moment;
use crate::error::plain;
use crate::folder::Folder;
use crate::phases::{self, Phases, Source};
use crate::read::{self, Root};
use crate::spec::{Spec, State};
use crate::sys;
use crate::watch::Surroundings;

use cause::Cause;
use confine::Confinement;
use copies::Copy;
use events::Events;
use files::Prepared;
use job::Job;
use outcome::{Before, Outcome};
use outputs::Outputs;
use pauser::Pauser;
use reader::Reader;
use sampler::Sampler;
use series::Series;
use watching::Watching;

pub use hot_loop::{Measured, hot_loop};

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

fn run(spec: &Spec, folder: &Folder) -> Result<Outcome, Cause> {
    read::set_room(sys::raise_open_files().saturating_sub(OTHER_FILES + others(spec)) as usize);
    let adopted = sys::adopt_orphans();
    let root = Root::here();
    let sampler = Sampler::new(folder, &root, spec.process_io);
    let mut sampler = sampler.map_err(|error| format!("cannot write samples: {}", plain(&error)))?;
    let mut held = copies::hold(spec, folder)?;
    // After the copies, whose gates it holds open until it runs.
    let mut reader = match Reader::hold(spec, folder) {
        Ok(reader) => reader,
        Err(cause) => return Err(give_up(held, None, cause.into())),
    };
    let confinement = confine(spec, folder, (&held, reader.as_ref()), &root);
    let Confinement { group, in_force, mut doubts } = match confinement {
        Ok(confinement) => confinement,
        Err(cause) => return Err(give_up(with_reader(held, reader), None, cause.into())),
    };
    let (phases, files) = match prepare(spec, folder, (&mut held, reader.as_mut()), &mut doubts) {
        Ok(prepared) => prepared,
        Err(cause) => return Err(give_up(with_reader(held, reader), group, cause.into())),
    };
    if let Err(error) = adopted {
        doubts.push(("orphans-lost", format!("cannot adopt orphans: {}.", plain(&error))));
    }
    let mains: Vec<i32> = held.iter().map(|copy| copy.pid).collect();
    let own_network = spec.network_namespace.is_some();
    let around = Surroundings { root: &root, group: group.as_ref(), mains: &mains, own_network };
    sampler.series = Series::open(&spec.watch, folder, &around);
    let events = Events::open(spec, folder, &root, &mains, &mut doubts);
    let outputs = Outputs::new(spec, folder, streams(&mut held, phases.as_ref()));
    let mut job = Job::new(held, reader, group, &root);
    job.pauser = spec.limits.pause.map(Pauser::new);
    match Watching::new(spec, &in_force.cpus, sampler, phases, events, outputs).watch(&mut job) {
        Ok(watched) => Ok(watched.finish(job, Before { in_force, files }, doubts)),
        Err(cause) => Err(give_up(with_reader(job.copies, job.reader), job.group, cause)),
    }
}

/// All processes that wait for their release.
fn with_reader(copies: Vec<Copy>, reader: Option<Reader>) -> Vec<Copy> {
    copies.into_iter().chain(reader.map(|reader| reader.copy)).collect()
}

/// Descriptors of copies, event counters and stacks.
fn others(spec: &Spec) -> u64 {
    let processors = sys::affinity(0).map_or(1, |cpus| cpus.len());
    let stacks = if spec.profile.is_some() { processors } else { 0 };
    let reader = spec.cache.as_ref().is_some_and(|cache| cache.state == State::ReadAhead);
    (spec.placement.copies * (6 + spec.counters.len() + stacks) + if reader { 4 } else { 0 }) as u64
}

/// Ends copies that were never released, and removes their group.
fn give_up(held: Vec<Copy>, group: Option<Group>, cause: Cause) -> Cause {
    copies::give_up(held);
    if let Some(group) = group {
        group.remove();
    }
    cause
}

/// Puts the waiting copies, and what reads ahead for them, under their limits.
fn confine(
    spec: &Spec,
    folder: &Folder,
    (held, reader): (&[Copy], Option<&Reader>),
    root: &Root,
) -> Result<Confinement, String> {
    let reader = reader.map(|reader| reader.copy.pid);
    let pids: Vec<i32> = held.iter().map(|copy| copy.pid).chain(reader).collect();
    let own: Vec<u32> = spec.placement.cpus.iter().flatten().copied().collect();
    confine::stand_aside(if spec.limits.cpus.is_empty() { &own } else { &spec.limits.cpus });
    let confinement = confine::confine(&spec.limits, &spec.directory, &pids, root)?;
    if let Some(group) = &confinement.group {
        // Only `stop` of a lost run needs it.
        let _ = folder.note_groups(&group.each_folder());
    }
    Ok(confinement)
}

/// Places the waiting copies, begins to listen to them, and brings files into their state.
fn prepare(
    spec: &Spec,
    folder: &Folder,
    (held, reader): (&mut [Copy], Option<&mut Reader>),
    doubts: &mut Vec<Doubt>,
) -> Result<(Option<Phases>, Option<Prepared>), String> {
    for (index, copy) in held.iter_mut().enumerate() {
        copy.place(spec.placement.cpus_of(index))?;
    }
    if let Some(reader) = reader {
        let mut own: Vec<u32> = spec.placement.cpus.iter().flatten().copied().collect();
        arrange::sort_distinct(&mut own);
        reader.copy.place(&own)?;
    }
    let phases = spec
        .phases
        .as_ref()
        .map(|phases| Phases::listen(phases, folder, sources(spec, folder, held)?))
        .transpose()?;
    let files = spec.cache.as_ref().map(|cache| files::prepare(cache, doubts)).transpose()?;
    Ok((phases, files))
}

/// Where the copies tell of their phases.
fn sources(spec: &Spec, folder: &Folder, held: &mut [Copy]) -> Result<Vec<Source>, String> {
    let log = spec.phases.as_ref().and_then(|phases| phases.log.as_ref());
    let source = |(index, copy): (usize, &mut Copy)| {
        let log = match log {
            Some(log) => Path::new(&launch::directory(spec, index)?).join(log),
            None => folder.file(&launch::output("stdout", index)),
        };
        Ok(Source { log, announcements: copy.announcements.take() })
    };
    held.iter_mut().enumerate().map(source).collect()
}

/// The files that grow with what the job writes or tells, by name.
fn streams(held: &mut [Copy], phases: Option<&Phases>) -> Vec<(String, OwnedFd)> {
    let written = |(index, copy): (usize, &mut Copy)| {
        let names = ["stdout", "stderr"].map(|name| launch::output(name, index));
        names.into_iter().zip(copy.written.take().into_iter().flatten()).collect::<Vec<_>>()
    };
    let told = phases.and_then(Phases::written).map(|file| (phases::FILE.to_owned(), file));
    held.iter_mut().enumerate().flat_map(written).chain(told).collect()
}

/// Time from now to a point of the monotonic clock.
fn until(mono_ns: i64) -> Duration {
    Duration::from_nanos(u64::try_from(mono_ns - sys::monotonic_ns()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec;
    use serde_json::json;

    #[test]
    fn descriptors_are_kept_back_for_copies_counters_and_stacks() {
        let mut given =
            json!({"protocol": [1, 4], "command": ["true"], "directory": "/tmp", "placement": {"copies": 3}});
        let of = |given: &serde_json::Value| others(&spec::read(given.clone()).expect("a good spec"));
        assert_eq!(of(&given), 18);
        given["counters"] = json!(["task-clock", "page-faults"]);
        assert_eq!(of(&given), 24);
        given["profile"] = json!({"hz": 99});
        assert_eq!(of(&given), 24 + 3 * sys::affinity(0).expect("processors").len() as u64);
    }

    #[test]
    fn the_time_until_what_has_passed_is_none() {
        assert_eq!(until(0), Duration::ZERO);
        let (hour, now) = (Duration::from_secs(3600), sys::monotonic_ns());
        let left = until(now + 3_600_000_000_000);
        assert!(left <= hour && left > hour / 2);
    }
}
