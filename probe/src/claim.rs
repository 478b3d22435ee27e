//! `claim`: one activity at a time measures a machine, whoever conducts it and from where.
//!
//! The claim is a lock of this process and of the supervisors that it started: it lasts until all of them have ended, however
//! they end, so that a job whose conductor was killed is not measured with another. Its file names the holder for others.

use std::fs::{self, File};
use std::io::Write;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::sys;

/// The locked file, open as long as this process lives.
static HELD: Mutex<Option<File>> = Mutex::new(None);
const NAME: &str = "machine.lock";

/// Claims this machine for `by`; says who holds it where another does.
pub fn claim(home: &Path, by: &Value) -> Result<Value> {
    let path = place(home);
    let cannot = |error: &std::io::Error| Error::io(format!("claim this machine by {}", path.display()), error);
    let mut held = HELD.lock().map_err(|_| Error::failed("cannot claim this machine: a claim failed before"))?;
    if held.is_some() {
        return Ok(json!({"held_by": null}));
    }
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(sys::O_NOFOLLOW);
    let made = make_folder(path.parent().unwrap_or(&path)).and_then(|()| options.open(&path));
    let mut file = made.map_err(|error| cannot(&error))?;
    if sys::lock_with_children(&file).is_err() {
        let said = fs::read(&path).ok().and_then(|text| serde_json::from_slice(&text).ok());
        return Ok(json!({"held_by": said.unwrap_or_else(|| json!({}))}));
    }
    let written = file.set_len(0).and_then(|()| file.write_all(format!("{by}\n").as_bytes()));
    written.map_err(|error| cannot(&error))?;
    *held = Some(file);
    Ok(json!({"held_by": null}))
}

/// The descriptor that a supervisor keeps.
pub fn held() -> Option<RawFd> {
    HELD.lock().ok()?.as_ref().map(AsRawFd::as_raw_fd)
}

/// Makes a folder that others may look into: the controller's users do.
fn make_folder(folder: &Path) -> std::io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(folder.parent().unwrap_or(folder))?;
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Ok(()) => fs::set_permissions(folder, fs::Permissions::from_mode(0o755)),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Root's claim holds for the machine, another user's for what that user measures.
fn place(home: &Path) -> PathBuf {
    let user = fs::metadata("/proc/self").map_or(0, |own| own.uid());
    // A batch system may bring the variable along from another machine, and su(1) another user's.
    let own =
        |run: &PathBuf| run.is_absolute() && fs::metadata(run).is_ok_and(|run| run.is_dir() && run.uid() == user);
    let run = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(own);
    let folder = match run {
        _ if user == 0 => PathBuf::from("/run/assay"),
        Some(run) => run.join("assay"),
        None => home.into(),
    };
    folder.join(NAME)
}
