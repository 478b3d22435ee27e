//! `run`: starts a supervisor that nobody has to wait for.

use std::fs;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

use crate::claim;
use crate::error::{self, Error, Result};
use crate::folder::Folder;
use crate::read::Root;
use crate::spec::{NAMESPACES, Spec};
use crate::supervise;
use crate::sys::{self, Side};

/// The usual limit of open files.
const USUAL_FILES: i32 = 1024;

/// Starts the job of a spec and returns the number of its supervisor, which is ready and detached.
pub fn run(spec: &Spec, into: &str) -> Result<i32> {
    check(spec)?;
    let folder = Folder::at(into)?;
    folder.begin(&spec.given)?;
    let directory = &spec.directory;
    fs::create_dir_all(directory).map_err(|error| Error::io(format!("make directory '{directory}'"), &error))?;
    detach(spec, &folder)
}

/// Refuses what this machine cannot give.
fn check(spec: &Spec) -> Result<()> {
    if let Some(name) = &spec.network_namespace {
        if !Path::new(NAMESPACES).join(name).exists() {
            return Err(Error::missing(format!("cannot run: network namespace '{name}' is not in {NAMESPACES}")));
        }
    }
    let usable = sys::affinity(0).map_err(|error| Error::io("read the processors", &error))?;
    match spec.limits.cpus.iter().find(|cpu| !usable.contains(cpu)) {
        None => Ok(()),
        Some(cpu) => Err(Error::missing(format!("cannot run on processor {cpu}: usable are {usable:?}"))),
    }
}

/// Forks twice, so that the supervisor belongs to nobody, and waits until it is ready.
fn detach(spec: &Spec, folder: &Folder) -> Result<i32> {
    let cannot = |error: std::io::Error| Error::io("start a supervisor", &error);
    let (answer, tell) = sys::pipe().map_err(cannot)?;
    match sys::fork().map_err(cannot)? {
        Side::Child => {
            drop(answer);
            leave(spec, folder, tell)
        }
        Side::Parent(pid) => {
            drop(tell);
            let mut text = String::new();
            let read = fs::File::from(answer).read_to_string(&mut text);
            sys::reap(pid).map_err(cannot)?;
            read.map_err(cannot)?;
            understand(&text)
        }
    }
}

fn understand(text: &str) -> Result<i32> {
    if let Some(pid) = text.strip_prefix("ready ").and_then(|pid| pid.trim().parse().ok()) {
        return Ok(pid);
    }
    let reason = if text.is_empty() { "cannot start a supervisor: it ended at once" } else { text };
    Err(Error::failed(reason))
}

/// In the first child: makes the session and the second child, and is gone.
fn leave(spec: &Spec, folder: &Folder, tell: OwnedFd) -> ! {
    let left = sys::new_session().and_then(|()| sys::fork());
    if !matches!(left, Ok(Side::Child)) {
        sys::exit_now(0);
    }
    let code = match settle(folder, &tell) {
        Ok(pid_file) => {
            let _ = fs::File::from(tell).write_all(format!("ready {}", std::process::id()).as_bytes());
            supervise::supervise(spec, folder);
            drop(pid_file);
            0
        }
        Err(error) => {
            let _ = fs::File::from(tell).write_all(error.message.as_bytes());
            error::FAILED
        }
    };
    sys::exit_now(code)
}

/// In the supervisor: holds on to nothing of its starter, and claims the folder.
fn settle(folder: &Folder, tell: &OwnedFd) -> Result<fs::File> {
    let cannot = |error: std::io::Error| Error::io("settle the supervisor", &error);
    supervise::hold_signals().map_err(cannot)?;
    let null = sys::nothing().map_err(cannot)?;
    for fd in 0..3 {
        sys::replace(&null, fd).map_err(cannot)?;
    }
    drop(null);
    let open = Root::here().names("/proc/self/fd");
    let mut open: Vec<i32> = open.iter().filter_map(|name| name.parse().ok()).collect();
    if open.is_empty() {
        // Without /proc nobody tells which are open.
        open.extend(0..USUAL_FILES);
    }
    let kept: Vec<i32> = [tell.as_raw_fd()].into_iter().chain(claim::held()).collect();
    sys::close_others(&open, &kept);
    let _ = std::env::set_current_dir("/");
    folder.claim().map_err(|error| Error::io(format!("claim {}", folder.path().display()), &error))
}
