//! `count`, `profile` and `fold`: counters and profiles of a command without a run around it.

use std::ffi::CString;
use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::args::Args;
use crate::error::{Error, Result};
use crate::parse::flat;
use crate::read::Root;
use crate::search;
use crate::sys::{self, Held, Launch};

use super::counters::{Count, Counters, TaskClock, check};
use super::fold_apart;
use super::profile::{Profile, Scope, Summary};

/// Longest time until the command's end is seen; buffers that fill earlier wake us.
const PAUSE: Duration = Duration::from_millis(100);
const MOST_HZ: u64 = 1000;

/// `count --events A,B -- COMMAND…`
pub fn count(mut args: Args, root: &Root) -> Result<Value> {
    let names = args.flag("--events")?.ok_or_else(|| Error::usage("cannot count: --events is missing"))?;
    let names: Vec<String> = names.split(',').map(str::to_owned).collect();
    check(&names).map_err(Error::usage)?;
    // What is daemonised counts too: it becomes ours, and the end is when nothing is left.
    sys::adopt_orphans().map_err(|error| Error::io("adopt orphans", &error))?;
    let held = hold(&args.rest())?;
    let mut counters = Counters::open(root, &names, &[held.pid]);
    let mut clock = TaskClock::open(&[held.pid]);
    release(held)?;
    while sys::reap(-1).is_ok() {}
    let counts: Vec<Value> = counters.read().iter().map(Count::json).collect();
    let (clock_ns, reaped) = (clock.as_mut().and_then(TaskClock::ns), sys::children_usage());
    Ok(json!({
        "counts": counts, "task_clock_ns": clock_ns, "reaped_ns": reaped.user_ns + reaped.system_ns,
        "no_vpmu": super::no_vpmu(root),
    }))
}

/// `profile [--hz 99] [--system yes] --into DIR -- COMMAND…`
pub fn profile(mut args: Args, root: &Root) -> Result<Value> {
    let hz = args.number("--hz", 99, "1 to 1000", |hz| (1..=MOST_HZ).contains(hz))?;
    let system = args.flag("--system")?.is_some();
    let into = args.flag("--into")?.ok_or_else(|| Error::usage("cannot profile: --into is missing"))?;
    let into = PathBuf::from(into);
    fs::create_dir_all(&into).map_err(|error| Error::io(format!("make {}", into.display()), &error))?;
    let held = hold(&args.rest())?;
    let pids = [held.pid];
    let profile = Profile::open(root, if system { Scope::Machine } else { Scope::Job(&pids) }, hz);
    let raw = into.join("profile.raw");
    let summary = follow(root, profile.map_err(Error::failed)?, held, &raw)?;
    let used = sys::own_usage();
    // Unlike getrusage's figure this one knows nothing of whoever started us.
    let status = root.text("/proc/self/status").unwrap_or_default();
    let rss_bytes = flat::number(&status, "VmHWM").map(|kib| kib * 1024);
    fold_apart(root, &raw, &into.join("profile.folded"))?;
    Ok(json!({"profile": summary.json(), "cpu_ns": used.user_ns + used.system_ns, "rss_bytes": rss_bytes}))
}

fn follow(root: &Root, mut profile: Profile, held: Held, raw: &Path) -> Result<Summary> {
    let cannot = |error: std::io::Error| Error::io(format!("write {}", raw.display()), &error);
    let mut out = BufWriter::new(File::create(raw).map_err(cannot)?);
    profile.begin(root, &mut out).map_err(cannot)?;
    let (pid, fd) = (held.pid, profile.fd());
    release(held)?;
    while sys::ended_child() != Some(pid) {
        profile.drain(&mut out).map_err(cannot)?;
        sys::wait_readable(&[fd], PAUSE);
    }
    sys::reap(pid).map_err(cannot)?;
    profile.finish(&mut out).map_err(cannot)
}

pub(super) fn hold(command: &[String]) -> Result<Held> {
    let program = command.first().ok_or_else(|| Error::usage("cannot start: the command is missing"))?;
    let cannot = |error: std::io::Error| Error::io(format!("start '{program}'"), &error);
    let file = |path: &str, write: bool| fs::OpenOptions::new().read(!write).write(write).open(path);
    let candidates = search::candidates(program, search::PATH);
    let here = std::env::current_dir().map_err(cannot)?;
    let launch = Launch {
        candidates: candidates.iter().filter_map(|path| string(path.to_str()?)).collect(),
        arguments: command.iter().filter_map(|word| string(word)).collect(),
        environment: std::env::vars().filter_map(|(name, value)| string(&format!("{name}={value}"))).collect(),
        directory: here.to_str().and_then(string).unwrap_or_default(),
        stdin: file("/dev/null", false).map_err(cannot)?.into(),
        stdout: file("/dev/null", true).map_err(cannot)?.into(),
        stderr: file("/dev/null", true).map_err(cannot)?.into(),
        namespace: None,
        nice: 0,
        memory_nodes: Vec::new(),
        announce: None,
    };
    sys::hold(&launch).map_err(cannot)
}

fn string(text: &str) -> Option<CString> {
    CString::new(text).ok()
}

pub(super) fn release(held: Held) -> Result<()> {
    let released = File::from(held.release).write_all(b"!");
    released.map_err(|error| Error::io("release the command", &error))?;
    let mut told = Vec::new();
    // Ends as soon as the program is executed, or is not.
    let _ = File::from(held.failure).read_to_end(&mut told);
    let failure = sys::reports(&told).into_iter().find_map(|report| match report {
        sys::Report::Failed(_, error) => Some(error),
        _ => None,
    });
    failure.map_or(Ok(()), |error| Err(Error::io("start the command", &error)))
}
