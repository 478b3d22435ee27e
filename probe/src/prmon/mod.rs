//! `prmon`: takes prmon's options, writes prmon's files, monitors as the probe does (`docs/prmon.md`).
//!
//! The job is our child in the foreground: files, environment, directory, limits, niceness and signals are the caller's.

mod attached;
mod columns;
mod hardware;
mod launched;
mod log;
mod machine;
mod monitors;
mod network;
mod options;
mod pss;
mod reading;
mod report;
mod sample;
mod session;
mod summary;
mod swap;
mod text;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use crate::error::{FAILED, plain};
use crate::read::{self, Root};
use crate::sys::{self, Ending, Heard};

use attached::Attached;
use columns::Column;
use launched::Launched;
use log::{Level, Log};
use monitors::{Monitors, Subject};
use options::Options;
use report::Report;
use session::{Over, Session};
use summary::Summary;
use text::Text;

/// Names monitors that are off, with commas between them.
const DISABLE: &str = "PRMON_DISABLE_MONITOR";
const SIGNALS: [i32; 5] = [sys::SIGCHLD, sys::SIGUSR1, sys::SIGTERM, sys::SIGINT, sys::SIGHUP];
/// Descriptors that are not for kept files: standard ones, output, the group's, those of single looks.
const OTHER_FILES: u64 = 32;

/// Monitors a program or a process; the exit code is the program's, as a shell gives it, or 1.
pub fn prmon(words: impl IntoIterator<Item = OsString>) -> u8 {
    let options = match options::parse(words) {
        Ok(options) => options,
        Err(cause) => return refuse(&format!("{cause}\n\nhint: assay-probe prmon --help")),
    };
    if options.help {
        let _ = io::stdout().write_all(options::HELP.as_bytes());
        return 0;
    }
    match begin(options) {
        Ok(mut session) => code(session.run()),
        Err((code, cause)) => {
            refuse(&cause);
            code
        }
    }
}

fn refuse(cause: &str) -> u8 {
    let _ = writeln!(io::stderr(), "{cause}");
    FAILED
}

fn code(over: Over) -> u8 {
    match over {
        Over::Ended(Ending::Exit(code)) => code,
        Over::Ended(Ending::Signal(signal)) => 128 | signal,
        Over::Gone | Over::Left(None) => 0,
        Over::Left(Some(signal)) => 128 | u8::try_from(signal).unwrap_or(0),
    }
}

type Failure = (u8, String);

fn begin(mut options: Options) -> Result<Session, Failure> {
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
    // What our caller ignores, the job ignores too: it is not held to be passed on.
    let ignored = |signal: &i32| matches!(*signal, sys::SIGTERM | sys::SIGINT | sys::SIGHUP) && sys::ignored(*signal);
    let signals: Vec<i32> = SIGNALS.into_iter().filter(|signal| !ignored(signal)).collect();
    let held = sys::hold_signals(&signals).and_then(|()| sys::signal_file(&signals));
    let wake = held.map_err(|error| (FAILED, format!("cannot hold signals: {}", plain(&error))))?;
    let begun_ns = sys::monotonic_ns();
    let (subject, age_ns) = subject(&options, &heard, &root)?;
    read::set_room(sys::raise_open_files().saturating_sub(OTHER_FILES) as usize);
    let monitors = Monitors::new(subject, begun_ns - age_ns, &options.devices, &options.disabled, &root);
    let summary = Summary::new(|column| shown(column, &options, &monitors));
    introduce(&mut log, &options, &monitors);
    let report = report(&options, &root);
    let opened = Text::new(text, summary.columns());
    let text = opened.map_err(|error| (FAILED, format!("cannot write the samples: {}", plain(&error))))?;
    let (last_ns, snapshot_ns) = (begun_ns, None);
    Ok(Session { monitors, summary, report, text, log, signals, wake, begun_ns, last_ns, snapshot_ns })
}

fn create(path: &OsStr) -> Result<File, Failure> {
    File::create(path).map_err(|error| (FAILED, format!("cannot write {}: {}", path.display(), plain(&error))))
}

/// Finds out now, and not after hours, whether the summary can be written; an empty one is not left behind.
fn probe_for_writing(path: &OsStr) -> Result<(), Failure> {
    let new = !Path::new(path).exists();
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.map_err(|error| (FAILED, format!("cannot write {}: {}", path.display(), plain(&error))))?;
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
        return Ok((Subject::Attached(job), age_ns));
    }
    let started = Launched::start(&options.program, heard, root);
    let job = started.map_err(|error| {
        let code = if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
        (code, format!("cannot run '{}': {}", options.program[0].display(), plain(&error)))
    })?;
    Ok((Subject::Launched(job), 0))
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

fn introduce(log: &mut Log, options: &Options, monitors: &Monitors) {
    let mut tell = |level, who, what: String| log.tell(level, who, &what);
    let (pid, s) = (monitors.subject.pid(), options.interval_s);
    tell(Level::Info, "prmon", format!("watching process {pid}, a sample each {s} s"));
    tell(Level::Info, "cpumon", format!("CPU time is taken over: {}", monitors.subject.scope()));
    if let Some(network) = &monitors.network {
        let devices = network.devices().join(", ");
        tell(Level::Info, "netmon", format!("traffic of: {}; devices: {devices}", network.scope));
        for name in options.devices.iter().filter(|name| !network.devices().contains(&name.as_str())) {
            tell(Level::Warning, "netmon", format!("there is no device '{name}'"));
        }
    }
    let on = |name: &str| !options.disabled.iter().any(|off| off == name);
    if on("nvidiamon") {
        tell(Level::Info, "nvidiamon", "off: the probe reads no GPU".to_owned());
    }
    if on("iomon") && !monitors.counts_io() {
        tell(Level::Warning, "iomon", "off: the kernel does not tell us the I/O of this process".to_owned());
    }
    if on("memmon") && monitors.pss.is_none() {
        tell(Level::Warning, "memmon", "no PSS: the kernel does not tell it of this process".to_owned());
    }
    for name in &options.disabled {
        tell(Level::Info, name.as_str(), "off, as asked".to_owned());
    }
}

fn report(options: &Options, root: &Root) -> Report {
    Report {
        path: options.summary.clone(),
        hardware: options.hardware.then(|| hardware::hardware(root)),
        units: options.units,
        interval_s: options.interval_s,
        largest_gap_ns: 0,
        ended_by: None,
        ending: None,
        left: 0,
        partial: false,
    }
}
