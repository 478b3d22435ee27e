//! The files of `powheg-like`: `pwgevents-NNNN.lhe`, a write for each line, and a counter appended to for each event.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::engine::in_order;
use crate::error::{Error, Result, cannot};
use crate::hash::{Digest, hash};
use crate::powheg::{Grid, generate, integrate};
use crate::statistics::Moments;
use crate::teller::Teller;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Generation {
    pub directory: PathBuf,
    pub events: u64,
    pub threads: usize,
    pub seed: u64,
    /// Events are shared out to so many files; a thread writes one at a time.
    pub files: u64,
    pub write: bool,
}

/// Of the events of one file.
struct Part {
    hashes: Vec<u64>,
    masses: Vec<f64>,
    tried: u64,
    bytes: u64,
    writes: u64,
}

/// Generates and writes all events.
pub fn run(job: &Generation, teller: &mut Teller) -> Result<Value> {
    teller.init()?;
    if job.write {
        clear(&job.directory)?;
    }
    let grid = integrate(job.seed);
    let init = teller.event_loop()?;
    let (mut digest, mut mass, mut totals, mut done) = (Digest::default(), Moments::default(), [0; 3], 0);
    let mut next = 0;
    let source = || {
        next += 1;
        Ok((next <= job.files).then(|| (next - 1, Vec::new())))
    };
    let parts = in_order(
        job.threads,
        source,
        |(file, _)| fill(job, &grid, file),
        |part| {
            part.hashes.iter().for_each(|hash| digest.add(*hash));
            part.masses.iter().for_each(|value| mass.add(*value));
            totals = [totals[0] + part.tried, totals[1] + part.bytes, totals[2] + part.writes];
            for _ in &part.hashes {
                done += 1;
                teller.event(done)?;
            }
            Ok(())
        },
    );
    parts?;
    let event_loop = teller.end_loop(done)?;
    trust(&mass)?;
    Ok(json!({
        "chain": "powheg-like",
        "version": env!("CARGO_PKG_VERSION"),
        "events": job.events,
        "seed": job.seed,
        "threads": job.threads,
        "digest": digest.hex(),
        "physics": {
            "cross_section": {"value": grid.cross_section, "error": grid.error},
            "mass_gev": mass.json(),
            "tried": totals[0],
        },
        "files": job.files,
        "writes": totals[2],
        "bytes": {"read": 0, "written": totals[1]},
        "seconds": {"init": init, "event_loop": event_loop},
        "events_per_s": (job.events > 0 && event_loop > 0.0).then(|| job.events as f64 / event_loop),
    }))
}

fn trust(mass: &Moments) -> Result<()> {
    match mass.mean() {
        Some(mean) if mass.count >= 50 && !(88.0..=93.5).contains(&mean) => {
            Err(Error::failed(format!("cannot trust the physics: expected a mean mass near 90.8 GeV, got {mean:.3}")))
        }
        _ => Ok(()),
    }
}

/// Removes the files of an earlier run.
fn clear(directory: &Path) -> Result<()> {
    for entry in fs::read_dir(directory).map_err(cannot("read", directory))? {
        let path = entry.map_err(cannot("read", directory))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let ours = |start, end| name.starts_with(start) && name.ends_with(end);
        if ours("pwgevents-", ".lhe") || ours("pwgcounters-", ".dat") {
            fs::remove_file(&path).map_err(cannot("remove", &path))?;
        }
    }
    Ok(())
}

fn fill(job: &Generation, grid: &Grid, file: u64) -> Result<Part> {
    let mut output = if job.write { Some(Output::create(&job.directory, file)?) } else { None };
    let mut part = Part { hashes: Vec::new(), masses: Vec::new(), tried: 0, bytes: 0, writes: 0 };
    let first = |file| u64::try_from(u128::from(job.events) * u128::from(file) / u128::from(job.files));
    let (from, to) = (first(file).unwrap_or_default(), first(file + 1).unwrap_or_default());
    for number in from..to {
        let made = generate(grid, job.seed, number);
        part.hashes.push(hash(made.text.as_bytes(), number));
        part.masses.push(made.point.mass);
        part.tried += made.tried;
        if let Some(output) = &mut output {
            output.event(&made.text, number)?;
        }
    }
    if let Some(mut output) = output {
        output.line("</LesHouchesEvents>\n")?;
        (part.bytes, part.writes) = (output.bytes, output.writes);
    }
    Ok(part)
}

/// One file of events and its counter.
struct Output {
    events: File,
    path: PathBuf,
    counter: PathBuf,
    bytes: u64,
    writes: u64,
}

impl Output {
    fn create(directory: &Path, file: u64) -> Result<Self> {
        let path = directory.join(format!("pwgevents-{:04}.lhe", file + 1));
        let counter = directory.join(format!("pwgcounters-{:04}.dat", file + 1));
        let events = OpenOptions::new().append(true).create_new(true).open(&path).map_err(cannot("create", &path))?;
        let mut output = Self { events, path, counter, bytes: 0, writes: 0 };
        output.line("<LesHouchesEvents version=\"3.0\">\n")?;
        output.line("<init>\n")?;
        output.line(" 2212 2212 6.50000000E+03 6.50000000E+03 -1 -1 -1 -1 3 1\n")?;
        output.line("</init>\n")?;
        Ok(output)
    }

    /// One write(2) for a line: no buffer in between.
    fn line(&mut self, line: &str) -> Result<()> {
        self.events.write_all(line.as_bytes()).map_err(cannot("append to", &self.path))?;
        self.bytes += line.len() as u64;
        self.writes += 1;
        Ok(())
    }

    fn event(&mut self, text: &str, number: u64) -> Result<()> {
        text.split_inclusive('\n').try_for_each(|line| self.line(line))?;
        let count = format!("event {number}\n");
        let counter = OpenOptions::new().append(true).create(true).open(&self.counter);
        counter.and_then(|mut file| file.write_all(count.as_bytes())).map_err(cannot("append to", &self.counter))?;
        self.bytes += count.len() as u64;
        self.writes += 1;
        Ok(())
    }
}
