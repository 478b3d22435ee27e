//! Samples of the job and of the machine, one row each, as they are taken.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};

use crate::clock::Moment;
use crate::folder::Folder;
use crate::parse::machine_stat::{self, MachineStat};
use crate::read::Root;
use crate::sys;

use super::job::{Job, Reading};

const HEADER: &str = "mono_ns,real_ns,job_user_s,job_system_s,job_rss_bytes,job_processes,job_read_bytes,\
                      job_write_bytes,machine_user_s,machine_system_s,machine_iowait_s,machine_steal_s,machine_idle_s";

/// Writes `samples.csv` and keeps count.
pub struct Sampler {
    file: File,
    root: Root,
    pub count: u64,
    pub largest_gap_ns: Option<i64>,
    last_ns: Option<i64>,
}

impl Sampler {
    pub fn new(folder: &Folder, root: &Root) -> io::Result<Self> {
        let mut file = folder.create("samples.csv")?;
        file.write_all(format!("{HEADER}\n").as_bytes())?;
        Ok(Self { file, root: root.clone(), count: 0, largest_gap_ns: None, last_ns: None })
    }

    /// What all processors did since boot.
    pub fn machine(&self) -> Option<MachineStat> {
        machine_stat::parse(&self.root.text("/proc/stat")?)
    }

    /// Takes one sample; a full disk loses samples, never the job.
    pub fn sample(&mut self, now: Moment, job: &mut Job) {
        let row = row(now, &job.read(), self.machine());
        let _ = self.file.write_all(row.as_bytes());
        self.count += 1;
        if let Some(last) = self.last_ns {
            self.largest_gap_ns = self.largest_gap_ns.max(Some(now.mono_ns - last));
        }
        self.last_ns = Some(now.mono_ns);
    }
}

/// Seconds of ticks.
pub fn seconds(ticks: u64) -> f64 {
    ticks as f64 / sys::ticks_per_s() as f64
}

fn row(now: Moment, job: &Reading, machine: Option<MachineStat>) -> String {
    let of = |pick: fn(MachineStat) -> Option<u64>| cell(machine.and_then(pick).map(seconds));
    let cells = [
        now.mono_ns.to_string(),
        now.real_ns.to_string(),
        (job.cpu.user_ns as f64 / 1e9).to_string(),
        (job.cpu.system_ns as f64 / 1e9).to_string(),
        job.rss_bytes.to_string(),
        job.processes.to_string(),
        cell(job.io.read),
        cell(job.io.write),
        of(|machine| Some(machine.user)),
        of(|machine| Some(machine.system)),
        of(|machine| machine.iowait),
        of(|machine| machine.steal),
        of(|machine| Some(machine.idle)),
    ];
    cells.join(",") + "\n"
}

/// What is not known is an empty cell, never 0.
fn cell(value: Option<impl Display>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}
