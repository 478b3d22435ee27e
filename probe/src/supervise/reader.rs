//! A process that reads the files of a job ahead: it starts with the job, under the job's limits, and ends with it.
//!
//! It is one of the job's processes, so what it takes is in the job's totals; its own part is told beside them.

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::spec::Spec;
use crate::sys::{self, Ending};

use super::copies::{self, Copy};
use super::process_io::IoBytes;
use super::{Doubt, launch};

/// The reader of a job.
pub struct Reader {
    pub copy: Copy,
    io: Option<IoBytes>,
    /// It was told to end, for the job had ended.
    cut_off: bool,
}

/// What a reader did and took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Read {
    cpu_ns: u64,
    read_bytes: Option<u64>,
    /// From its release until all files were read; `None` where the job ended first.
    whole_s: Option<f64>,
}

impl Reader {
    /// Makes the reader, which waits for its release; `None` where nothing is to be read ahead.
    pub fn hold(spec: &Spec, folder: &Folder) -> Result<Option<Self>, String> {
        let made = launch::ahead(spec, folder)?;
        made.map(|made| Ok(Self { copy: copies::hold_launch(made, None)?, io: None, cut_off: false })).transpose()
    }

    /// Notes what it read and wrote, just before it is reaped.
    pub fn note(&mut self, io: Option<IoBytes>) {
        self.io = io;
    }

    /// Ends it, now that the job has ended.
    pub fn cut_off(&mut self) {
        if self.copy.end.is_none() {
            self.cut_off = true;
            let _ = sys::kill(self.copy.pid, sys::SIGKILL);
        }
    }

    /// What it did, once it is reaped, and why it did not do all of it although it had the time.
    pub fn told(&self) -> (Option<Read>, Option<Doubt>) {
        let (Some(started), Some(end)) = (self.copy.started, self.copy.end) else { return (None, None) };
        let good = end.ending == Ending::Exit(0);
        let read = Read {
            cpu_ns: end.used.user_ns + end.used.system_ns,
            read_bytes: self.io.and_then(IoBytes::read),
            whole_s: good.then(|| (end.at.mono_ns - started.mono_ns) as f64 / 1e9),
        };
        let sentence = "The files were not all read ahead: the process that reads them failed (ahead.stderr).";
        (Some(read), (!good && !self.cut_off).then(|| ("read-ahead-failed", sentence.to_owned())))
    }
}

impl Read {
    pub fn json(&self) -> Value {
        json!({
            "cpu_s": self.cpu_ns as f64 / 1e9,
            "read_bytes": self.read_bytes,
            "whole_s": self.whole_s,
        })
    }
}
