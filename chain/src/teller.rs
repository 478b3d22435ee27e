//! Where a step is: lines on standard output as they come, and phases on the descriptor of whoever runs us.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use crate::error::{Result, cannot};
use crate::sys;

/// Seconds of the phases of a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seconds {
    pub init: f64,
    pub event_loop: f64,
}

pub struct Teller<'a> {
    log: &'a mut dyn Write,
    phases: Option<File>,
    /// Events between two lines.
    every: u64,
    /// Before each line and phase where several steps follow one another.
    step: Option<&'static str>,
    /// Events of the steps before.
    before: u64,
    since: Instant,
}

impl<'a> Teller<'a> {
    /// Tells on the log, and on the descriptor where there is one.
    pub fn new(log: &'a mut dyn Write, descriptor: Option<i32>, every: u64) -> Result<Self> {
        let phases = descriptor.map(sys::given).transpose();
        let phases = phases.map_err(cannot("announce on", Path::new("the descriptor of ASSAY_PHASE_FD")))?;
        Ok(Self { log, phases, every, step: None, before: 0, since: Instant::now() })
    }

    /// Names the step in all that follows.
    pub fn name_step(&mut self, step: &'static str) {
        self.step = Some(step);
    }

    pub fn init(&mut self) -> Result<()> {
        self.since = Instant::now();
        self.line("init begins")?;
        match self.step {
            Some(step) => self.announce_phase(&format!("{step}-init")),
            None => self.announce_phase("init"),
        }
    }

    /// The event loop begins: the seconds of the initialization.
    pub fn event_loop(&mut self) -> Result<f64> {
        let seconds = self.since.elapsed().as_secs_f64();
        self.line("event loop begins")?;
        self.announce_phase(self.step.unwrap_or("event-loop"))?;
        self.since = Instant::now();
        Ok(seconds)
    }

    /// So many events are done.
    pub fn event(&mut self, done: u64) -> Result<()> {
        if done % self.every != 0 {
            return Ok(());
        }
        self.line(&format!("event {done}"))?;
        self.announce(&format!("events {}", self.before + done))
    }

    /// The event loop ends after so many events: its seconds.
    pub fn end_loop(&mut self, events: u64) -> Result<f64> {
        let seconds = self.since.elapsed().as_secs_f64();
        if events % self.every != 0 {
            self.announce(&format!("events {}", self.before + events))?;
        }
        self.before += events;
        self.line("event loop ends")?;
        Ok(seconds)
    }

    /// All is done.
    pub fn end(&mut self) -> Result<()> {
        self.step = None;
        self.line("end")?;
        self.announce_phase("end")
    }

    /// Says something that is no phase.
    pub fn line(&mut self, text: &str) -> Result<()> {
        let name = self.step.map_or(String::new(), |step| format!("{step}: "));
        let done = writeln!(self.log, "{name}{text}").and_then(|()| self.log.flush());
        done.map_err(|error| told("write the log", error))
    }

    /// A phase begins now, whenever who runs us reads it.
    fn announce_phase(&mut self, name: &str) -> Result<()> {
        self.announce(&format!("phase {name} {}", sys::monotonic_ns()))
    }

    fn announce(&mut self, text: &str) -> Result<()> {
        let Some(phases) = &mut self.phases else {
            return Ok(());
        };
        phases.write_all(format!("{text}\n").as_bytes()).map_err(|error| told("announce a phase", error))
    }
}

fn told(what: &str, error: io::Error) -> crate::error::Error {
    cannot(what, Path::new("to whoever runs us"))(error)
}
