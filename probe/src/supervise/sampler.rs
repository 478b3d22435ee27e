//! Samples of the job and of the machine, one row each, as they are taken.

use std::fs::File;
use std::io::{self, Write};

use crate::clock::Moment;
use crate::folder::Folder;
use crate::parse::cpu_times::{Unused, unused};
use crate::parse::machine_stat::{self, MachineStat};
use crate::parse::turnover::{self, Turnover};
use crate::read::{Kept, Root};
use crate::sys;
use crate::watch::{Rows, View};

use super::io_pace::IoPace;
use super::job::{Job, Reading};
use super::process_io::IoBytes;
use super::series::Series;

const HEADER: &str = "mono_ns,real_ns,job_user_s,job_system_s,job_rss_bytes,job_processes,job_read_bytes,\
                      job_write_bytes,job_logical_read_bytes,job_logical_write_bytes,machine_user_s,machine_system_s,\
                      machine_iowait_s,machine_steal_s,machine_idle_s";

/// A process that was moved into the job or out of it is seen after so long.
const LIST_NS: i64 = 1_000_000_000;

/// Writes `samples.csv` and the switched series, and keeps count.
pub struct Sampler {
    file: File,
    stat: Option<Kept>,
    loadavg: Option<Kept>,
    /// When processes are listed anew, whatever the turnover says.
    list_ns: i64,
    rows: Rows,
    pub series: Series,
    process_io: bool,
    io_pace: IoPace,
    pub count: u64,
    pub largest_gap_ns: Option<i64>,
    last_ns: Option<i64>,
}

impl Sampler {
    pub fn new(folder: &Folder, root: &Root, process_io: bool) -> io::Result<Self> {
        let mut file = folder.create("samples.csv")?;
        file.write_all(format!("{HEADER}\n").as_bytes())?;
        Ok(Self {
            file,
            stat: root.keep("/proc/stat").ok(),
            loadavg: root.keep("/proc/loadavg").ok(),
            list_ns: 0,
            rows: Rows::default(),
            series: Series::default(),
            process_io,
            io_pace: IoPace::default(),
            count: 0,
            largest_gap_ns: None,
            last_ns: None,
        })
    }

    /// What all processors did since boot.
    pub fn machine(&mut self) -> Option<MachineStat> {
        machine_stat::parse(self.stat.as_mut()?.piece()?)
    }

    /// What these processors did not do since boot.
    pub fn unused(&mut self, cpus: &[u32]) -> Unused {
        self.stat.as_mut().and_then(Kept::piece).map_or(Unused::default(), |text| unused(text, cpus))
    }

    fn look(&mut self, now: Moment) -> (Option<MachineStat>, Option<Turnover>) {
        let Some(stat) = self.stat.as_mut().and_then(Kept::piece) else { return (None, None) };
        let loadavg = self.loadavg.as_mut().and_then(Kept::piece).unwrap_or("");
        let known = turnover::parse(stat, loadavg).filter(|_| now.mono_ns < self.list_ns);
        if known.is_none() {
            self.list_ns = now.mono_ns + LIST_NS;
        }
        (machine_stat::parse(stat), known)
    }

    /// The next sample has the I/O of the job, whatever it costs.
    pub fn want_io(&mut self) {
        self.io_pace.hurry();
    }

    /// Takes one sample; a full disk loses samples, never the job.
    pub fn sample(&mut self, now: Moment, job: &mut Job) {
        let (machine, turnover) = self.look(now);
        let with_io = self.process_io && self.io_pace.is_due(now.mono_ns);
        let reading = job.read(with_io, turnover);
        if with_io {
            self.io_pace.spent(now.mono_ns, reading.io_took_ns);
        }
        row(&mut self.rows, now, &reading, machine);
        let file = &mut self.file;
        self.rows.take(|bytes| {
            let _ = file.write_all(bytes);
        });
        let job = std::cell::RefCell::new(job);
        self.series.sample(&View::new(now, &|| job.borrow_mut().members()));
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

fn row(rows: &mut Rows, now: Moment, job: &Reading, machine: Option<MachineStat>) {
    let of = |pick: fn(MachineStat) -> Option<u64>| machine.and_then(pick).map(seconds);
    let io = job.io.unwrap_or_default();
    rows.row(now)
        .cell(job.cpu.map(|cpu| cpu.user_ns as f64 / 1e9))
        .cell(job.cpu.map(|cpu| cpu.system_ns as f64 / 1e9))
        .cell(job.rss_bytes)
        .cell(job.processes)
        .cell(IoBytes::read(io))
        .cell(IoBytes::write(io))
        .cell(IoBytes::logical_read(io))
        .cell(IoBytes::logical_write(io))
        .cell(of(|machine| Some(machine.user)))
        .cell(of(|machine| Some(machine.system)))
        .cell(of(|machine| machine.iowait))
        .cell(of(|machine| machine.steal))
        .cell(of(|machine| Some(machine.idle)));
}
