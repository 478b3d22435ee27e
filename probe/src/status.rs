//! `status` and `stop`: what became of a run, and its end.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use serde_json::{Map, Value, json};

use crate::cgroup;
use crate::error::{Error, Result};
use crate::folder::Folder;
use crate::sys;

/// More than the header, and more than two rows.
const LINES_BYTES: u64 = 4096;

/// State of a run: `absent`, `running`, `ended` (its record is there) or `lost` (neither record nor supervisor).
pub fn status(into: &str) -> Result<Value> {
    let folder = Folder::at(into)?;
    // The supervisor writes its record before it goes: look for it in the other order.
    let supervisor = folder.supervisor();
    let state = match (supervisor, folder.holds("probe.json")) {
        (_, true) => "ended",
        (Some(_), false) => "running",
        (None, false) if folder.file("spec.json").exists() => "lost",
        (None, false) => "absent",
    };
    let pid = supervisor.filter(|_| state == "running");
    Ok(json!({"state": state, "pid": pid, "sample": last_sample(&folder)}))
}

/// Asks the supervisor to end the job; of a lost run, ends what is left; one that is over is left as it is.
pub fn stop(into: &str) -> Result<Value> {
    let folder = Folder::at(into)?;
    if !folder.file("spec.json").exists() {
        return Err(Error::missing(format!("cannot stop {}: no run there", folder.path().display())));
    }
    if let Some(pid) = folder.supervisor() {
        sys::kill(pid, sys::SIGTERM).map_err(|error| Error::io(format!("stop supervisor {pid}"), &error))?;
    }
    let now = status(into)?;
    if now["state"] == "lost" && !cgroup::clear(&folder.groups()) {
        return Err(Error::failed(format!("cannot stop {}: its control group stays busy", folder.path().display())));
    }
    Ok(now)
}

/// Last whole row of the samples, by column; an empty cell is null.
fn last_sample(folder: &Folder) -> Option<Value> {
    let mut file = File::open(folder.file("samples.csv")).ok()?;
    let length = file.metadata().ok()?.len();
    let mut part = |from: u64| {
        let mut bytes = vec![0; LINES_BYTES.min(length - from) as usize];
        file.seek(SeekFrom::Start(from)).ok()?;
        file.read_exact(&mut bytes).ok()?;
        String::from_utf8(bytes).ok()
    };
    // The file may have become large, and the machine is being measured.
    let (first, last) = (part(0)?, part(length.saturating_sub(LINES_BYTES))?);
    let header = first.lines().next()?;
    let row = last[..last.rfind('\n')?].lines().next_back().filter(|row| *row != header)?;
    let (names, cells) = (header.split(','), row.split(','));
    let number = |cell: &str| serde_json::from_str(cell).unwrap_or(Value::Null);
    let mut row = Map::new();
    row.extend(names.zip(cells).map(|(name, cell)| (name.to_owned(), number(cell))));
    Some(Value::Object(row))
}
