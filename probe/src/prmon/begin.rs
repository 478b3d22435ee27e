//! From the options to the first sample: files, signals, the job, its monitors.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use super::attached::Attached;
use super::columns::Column;
use super::hardware;
use super::launched::Launched;
use super::log::{Level, Log};
use super::monitors::{Monitors, Subject};
use super::options::Options;
use super::report::Report;
use super::session::Session;
use super::summary::Summary;
use super::text::Text;
use super::words;
use crate::error::{FAILED, plain};
use crate::read::{self, Root};
use crate::sys::{self, Heard};

/// Names monitors that are off, with commas between them.
const DISABLE: &str = "PRMON_DISABLE_MONITOR";
const SIGNALS: [i32; 5] = [sys::SIGCHLD, sys::SIGUSR1, sys::SIGTERM, sys::SIGINT, sys::SIGHUP];
/// Descriptors that are not for kept files: standard ones, output, the group's, those of single looks.
const OTHER_FILES: u64 = 32;

/// Exit code and sentence.
pub type Failure = (u8, String);

/// Opens everything, starts the program or finds the process.
pub fn begin(mut options: Options) -> Result<Session, Failure> {
    let list = std::env::var(DISABLE).unwrap_or_default();
    let unknown = options.disable_by_environment(&list);
    let (text, log) = (create(&options.text)?, create(&options.log)?);
    probe_for_writing(&options.summary)?;
    let mut log = Log { file: log, levels: std::mem::take(&mut options.levels) };
    for cause in unknown {
        log.tell(Level::Warning, "prmon", &format!("{DISABLE}: {cause}"));
    }
    let root = Root::here();
    let heard = Heard::inherited();
    let signals = signals();
    let held = sys::hold_signals(&signals).and_then(|()| sys::signal_file(&signals));
    let wake = held.map_err(|error| (FAILED, format!("cannot hold signals: {}", plain(&error))))?;
    let begun_ns = sys::monotonic_ns();
    let (subject, age_ns) = subject(&options, &heard, &root)?;
    read::set_room(sys::raise_open_files().saturating_sub(OTHER_FILES) as usize);
    let monitors = Monitors::new(subject, begun_ns - age_ns, &options.devices, &options.disabled, &root);
    let summary = Summary::new(|column| shown(column, &options, &monitors));
    words::introduce(&mut log, &options, &monitors);
    let report = report(&options, &root);
    let opened = Text::new(text, summary.columns());
    let text = opened.map_err(|error| (FAILED, format!("cannot write the samples: {}", plain(&error))))?;
    let (last_ns, snapshot_ns) = (begun_ns, None);
    Ok(Session { monitors, summary, report, text, log, signals, wake, begun_ns, last_ns, snapshot_ns })
}

/// What our caller ignores, the job ignores too: it is not held to be passed on.
fn signals() -> Vec<i32> {
    let passed_on = |signal: i32| matches!(signal, sys::SIGTERM | sys::SIGINT | sys::SIGHUP);
    SIGNALS.into_iter().filter(|signal| !passed_on(*signal) || !sys::ignored(*signal)).collect()
}

fn create(path: &OsStr) -> Result<File, Failure> {
    File::create(path)
        .map_err(|error| (FAILED, format!("cannot write {}: {}", path.to_string_lossy(), plain(&error))))
}

/// Finds out now, and not after hours, whether the summary can be written; an empty one is not left behind.
fn probe_for_writing(path: &OsStr) -> Result<(), Failure> {
    let new = !Path::new(path).exists();
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.map_err(|error| (FAILED, format!("cannot write {}: {}", path.to_string_lossy(), plain(&error))))?;
    if new {
        let _ = fs::remove_file(path);
    }
    Ok(())
}

/// Starts the program or finds the process, and tells how old that is.
fn subject(options: &Options, heard: &Heard, root: &Root) -> Result<(Subject, i64), Failure> {
    if let Some(pid) = options.pid {
        let job = Attached::to(pid, root).ok_or((FAILED, format!("cannot watch process {pid}: there is none")))?;
        let age_ns = job.age_ns();
        return Ok((Subject::Attached(Box::new(job)), age_ns));
    }
    let started = Launched::start(&options.program, heard, root);
    let job = started.map_err(|error| {
        let code = if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
        (code, format!("cannot run '{}': {}", options.program[0].to_string_lossy(), plain(&error)))
    })?;
    Ok((Subject::Launched(Box::new(job)), 0))
}

fn shown(column: &Column, options: &Options, monitors: &Monitors) -> bool {
    let on = !options.disabled.iter().any(|name| name == column.monitor);
    on && match (column.name, column.monitor) {
        (_, "iomon") => monitors.counts_io(),
        (_, "netmon") => monitors.network.is_some(),
        ("pss", _) => monitors.pss.is_some(),
        _ => true,
    }
}

fn report(options: &Options, root: &Root) -> Report {
    Report {
        path: options.summary.clone(),
        hardware: options.hardware.then(|| hardware::hardware(root)),
        units: options.units,
        interval_s: options.interval_s,
        budget_percent: options.budget_percent,
        largest_gap_ns: 0,
        ended_by: None,
        ending: None,
        left: 0,
        partial: false,
    }
}
