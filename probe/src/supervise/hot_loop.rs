//! Samples of a job one after the other, by the same code as in a run: what one of them costs.
//!
//! Limits: in a hot loop caches and branch predictors are warm; a sample a second after the last one costs more
//! (`every_s`). Opening the job's files is in the first sample, which is not counted.

use std::time::Duration;

use serde_json::{Value, json};

use crate::clock::{Moment, ns};
use crate::error::plain;
use crate::folder::Folder;
use crate::read::{self, Root};
use crate::spec::Spec;
use crate::sys;
use crate::watch::Surroundings;

use super::OTHER_FILES;
use super::confine::confine;
use super::copies::{self, Copy};
use super::job::Job;
use super::sampler::Sampler;
use super::series::Series;

/// Longest wait for the job's processes to be there.
const PATIENCE_NS: i64 = 30_000_000_000;
const PAUSE: Duration = Duration::from_millis(20);

/// What is measured.
pub struct Measured {
    pub samples: u64,
    /// Time from one sample to the next, at the pace of a run; 0 is "at once", each with all that is asked for.
    pub every_s: f64,
    /// Try for a control group.
    pub grouped: bool,
    /// Processes that the job has once it stands.
    pub processes: usize,
}

/// Starts the job of a spec, waits until it stands, samples it, and ends it.
pub fn hot_loop(spec: &Spec, folder: &Folder, measured: &Measured) -> Result<Value, String> {
    read::set_room(sys::raise_open_files().saturating_sub(OTHER_FILES) as usize);
    sys::adopt_orphans().map_err(|error| format!("cannot adopt orphans: {}", plain(&error)))?;
    let root = Root::here();
    let sampler = Sampler::new(folder, &root, spec.process_io);
    let mut sampler = sampler.map_err(|error| format!("cannot write samples: {}", plain(&error)))?;
    let held = copies::hold(spec, folder)?;
    let mains: Vec<i32> = held.iter().map(|copy| copy.pid).collect();
    let group = if measured.grouped { confine(&spec.limits, &spec.directory, &mains, &root)?.group } else { None };
    let around = Surroundings { root: &root, group: group.as_ref(), mains: &mains, own_network: false };
    sampler.series = Series::open(&spec.watch, folder, &around);
    let mut job = Job::new(held, None, group, &root);
    job.copies.iter_mut().for_each(Copy::release);
    let result = stands(&mut job, measured.processes).map(|()| take(&mut sampler, &mut job, measured));
    end(&mut job);
    result
}

fn stands(job: &mut Job, processes: usize) -> Result<(), String> {
    let end = sys::monotonic_ns() + PATIENCE_NS;
    let mut found = 0;
    while sys::monotonic_ns() < end {
        found = job.members().len();
        if found >= processes {
            // Members that are between fork and exec are still the old program.
            std::thread::sleep(10 * PAUSE);
            return Ok(());
        }
        std::thread::sleep(PAUSE);
    }
    Err(format!("cannot measure: expected {processes} processes, found {found}"))
}

fn take(sampler: &mut Sampler, job: &mut Job, measured: &Measured) -> Value {
    sampler.sample(Moment::now(), job);
    let (began, used) = (sys::monotonic_ns(), sys::own_cpu_ns());
    let mut due = began;
    for _ in 0..measured.samples {
        if measured.every_s > 0.0 {
            due += ns(measured.every_s);
            std::thread::sleep(super::until(due));
        } else {
            sampler.want_io();
        }
        sampler.sample(Moment::now(), job);
    }
    let (cpu_ns, wall_ns) = (sys::own_cpu_ns() - used, sys::monotonic_ns() - began);
    json!({
        "samples": measured.samples,
        "scope": job.scope(),
        "processes": job.members().len(),
        "cpu_ns": cpu_ns as f64 / measured.samples as f64,
        "wall_ns": wall_ns as f64 / measured.samples as f64,
        "rss_bytes": sys::own_usage().rss_bytes,
        "series": sampler.series.json(),
    })
}

fn end(job: &mut Job) {
    while !job.alive().is_empty() {
        job.kill();
        std::thread::sleep(PAUSE);
        job.reap();
    }
    if let Some(group) = job.group.take() {
        group.remove();
    }
}
