//! The supervisor of one job: starts it under its limits, samples it, ends it, writes its record.

mod confine;
mod io_bytes;
mod job;
mod launch;
mod outcome;
mod sampler;
mod stopper;
mod tree;

use std::time::Duration;

use crate::clock::{Moment, ns};
use crate::folder::Folder;
use crate::read::Root;
use crate::spec::Spec;
use crate::sys;

use confine::Confinement;
use job::Job;
use outcome::Outcome;
use sampler::Sampler;
use stopper::Stopper;

/// A reason not to trust a figure: a word for programs, a sentence for people.
pub type Doubt = (&'static str, String);

const SIGNALS: [i32; 3] = [sys::SIGCHLD, sys::SIGTERM, sys::SIGINT];

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
    let refused = |what: &str, error: std::io::Error| format!("cannot {what}: {}", crate::error::plain(&error));
    let adopted = sys::adopt_orphans();
    let root = Root::here();
    let mut sampler = Sampler::new(folder, &root).map_err(|error| refused("write samples", error))?;
    let launch = launch::prepare(spec, folder)?;
    let held = sys::hold(&launch).map_err(|error| refused("fork the job", error))?;
    drop(launch);
    let Confinement { group, in_force, mut doubts } = match confine::confine(&spec.limits, held.pid, &root) {
        Ok(confinement) => confinement,
        Err(cause) => {
            drop(held.release);
            let _ = sys::reap(held.pid);
            return Err(cause);
        }
    };
    if let Err(error) = adopted {
        doubts.push(("orphans-lost", format!("cannot adopt orphans: {}.", crate::error::plain(&error))));
    }
    if let Some(group) = &group {
        // Only `stop` of a lost run needs it.
        let _ = folder.note_groups(&group.each_folder());
    }
    let machine_start = sampler.machine();
    let mut job = Job::new(held.pid, group, root);
    let started = launch::release(held.release);
    watch(&mut job, &mut sampler, spec, started).finish(job, sampler, in_force, machine_start, held.failure, doubts)
}

/// A job that has ended, and how.
struct Watched {
    started: Moment,
    stopper: Stopper,
    leftovers: usize,
    all_gone: bool,
}

/// Samples on an absolute schedule, passes signals on, returns when nothing of the job is left.
fn watch(job: &mut Job, sampler: &mut Sampler, spec: &Spec, started: Moment) -> Watched {
    let mut stopper = Stopper::new(spec, started);
    let interval = ns(spec.interval_s);
    sampler.sample(Moment::now(), job);
    let mut next = started.mono_ns + interval;
    while job.ending.is_none() {
        let wake = stopper.deadline().map_or(next, |deadline| deadline.min(next));
        let signal = sys::wait_signal(&SIGNALS, Some(until(wake)));
        let now = Moment::now();
        job.reap(now);
        if job.ending.is_some() {
            break;
        }
        stopper.act(signal, now, job);
        if now.mono_ns >= next {
            sampler.sample(now, job);
            // Slots that were missed are left out, never made up for.
            next += interval * ((now.mono_ns - next) / interval + 1);
        }
    }
    sampler.sample(Moment::now(), job);
    let (leftovers, all_gone) = stopper.clear(job);
    Watched { started, stopper, leftovers, all_gone }
}

/// Time from now to a point of the monotonic clock.
fn until(mono_ns: i64) -> Duration {
    Duration::from_nanos(u64::try_from(mono_ns - sys::monotonic_ns()).unwrap_or(0))
}
