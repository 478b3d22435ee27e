//! One step: tables are read, events are worked on, what came out is written, told and held against what can be.

use std::path::PathBuf;

use serde_json::{Value, json};

use self::pass::Pass;
use self::report::{report, without_physics};
use self::work::perform;
use crate::error::{Error, Result};
use crate::files::{Kind, Pattern, Reader};
use crate::hash::Digest;
use crate::names::{Step, Style};
use crate::phygen::Source;
use crate::tables::{self, Tables};
use crate::teller::Teller;

mod pass;
mod report;
mod work;

/// Events where nobody says how many.
const EVENTS: u64 = 100;
const SEED: u64 = 1;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Job {
    pub style: Style,
    pub directory: PathBuf,
    /// `None`: all that the input holds.
    pub events: Option<u64>,
    pub threads: usize,
    /// `None`: that of the input.
    pub seed: Option<u64>,
    pub pattern: Pattern,
    pub source: Source,
}

/// Does one step and returns its report.
pub fn run(job: &Job, step: Step, teller: &mut Teller) -> Result<Value> {
    teller.init()?;
    let tables = tables::load(&job.directory)?;
    let input = match job.style.before(step) {
        Some(before) => Some(open(job, before, &tables)?),
        None => None,
    };
    let seed = job.seed.or(input.as_ref().map(|input| input.header.seed)).unwrap_or(SEED);
    let events = events(job, input.as_ref())?;
    let pass = Pass { job, step, tables: &tables, input, seed, events };
    let outcome = perform(pass, teller)?;
    Ok(report(job, step, (seed, events, tables.bytes), &outcome))
}

fn open(job: &Job, before: Step, tables: &Tables) -> Result<Reader> {
    let name = job.style.name(before);
    let input = Reader::open(&job.directory, name, kind(before)).map_err(|error| Error {
        message: match error.code {
            crate::error::MISSING => format!("{}; '{name}' makes it", error.message),
            _ => error.message,
        },
        ..error
    })?;
    if input.header.detector != tables.digest {
        let path = tables::path(&job.directory);
        let what = format!("made for another detector than {} describes", path.display());
        return Err(Error::content(input.path(), what));
    }
    Ok(input)
}

fn events(job: &Job, input: Option<&Reader>) -> Result<u64> {
    let Some(input) = input else {
        return Ok(job.events.unwrap_or(EVENTS));
    };
    let there = input.header.events;
    match job.events {
        Some(wanted) if wanted > there => {
            Err(Error::content(input.path(), format!("expected {wanted} events, there are {there}")))
        }
        wanted => Ok(wanted.unwrap_or(there)),
    }
}

/// What the file of a step holds.
fn kind(step: Step) -> Kind {
    match step {
        Step::Generate => Kind::Particles,
        Step::Detector => Kind::Hits,
        Step::Electronics => Kind::Waveforms,
        Step::Pulses => Kind::Pulses,
        Step::Events | Step::Reconstruction | Step::Analysis | Step::Fast => Kind::Events,
    }
}

/// Does all steps up to the analysis in turn and returns one report of all.
pub fn run_all(job: &Job, teller: &mut Teller) -> Result<Value> {
    let mut reports = Vec::new();
    let mut digest = Digest::default();
    for step in job.style.steps().iter().filter(|step| **step != Step::Analysis) {
        teller.name_step(job.style.name(*step));
        let report = run(job, *step, teller)?;
        let hex = report["digest"].as_str().unwrap_or_default();
        digest.add(u64::from_str_radix(hex, 16).unwrap_or_default());
        reports.push(report);
    }
    let physics: serde_json::Map<String, Value> = reports
        .iter()
        .map(|report| (report["chain"].as_str().unwrap_or_default().to_owned(), report["physics"].clone()))
        .collect();
    Ok(json!({
        "chain": "run",
        "version": env!("CARGO_PKG_VERSION"),
        "events": reports[0]["events"],
        "seed": reports[0]["seed"],
        "threads": job.threads,
        "digest": digest.hex(),
        "physics": physics,
        "steps": reports.into_iter().map(without_physics).collect::<Vec<Value>>(),
    }))
}
