//! `status`, `wait` and `stop`: what became of a run, and its end.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use crate::cgroup;
use crate::error::{Error, Result};
use crate::folder::Folder;
use crate::sys;

/// More than the header, and more than two rows.
const LINES_BYTES: u64 = 4096;
/// Between two looks, where the kernel tells nothing.
const LOOK: Duration = Duration::from_millis(50);
const RECORD: &str = "probe.json";

/// State of a run: `absent`, `running`, `ended` (its record is there) or `lost` (neither record nor supervisor).
pub fn status(into: &str) -> Result<Value> {
    let folder = Folder::at(into)?;
    // The supervisor writes its record before it goes: look for it in the other order.
    let supervisor = folder.supervisor();
    let state = match (supervisor, folder.holds(RECORD)) {
        (_, true) => "ended",
        (Some(_), false) => "running",
        (None, false) if folder.file("spec.json").exists() => "lost",
        (None, false) => "absent",
    };
    let pid = supervisor.filter(|_| state == "running");
    Ok(json!({"state": state, "pid": pid, "sample": last_sample(&folder)}))
}

/// Sleeps until a run is over, the time has passed, or something is said in the input: the state then.
///
/// Without an input it only looks.
pub fn wait(into: &str, limit: Duration, input: Option<BorrowedFd>) -> Result<Value> {
    let folder = Folder::at(into)?;
    if let Some((supervisor, input)) = folder.supervisor().zip(input) {
        match watch(&folder, supervisor) {
            Ok((process, record)) => {
                let files = [process.as_raw_fd(), record.as_fd().as_raw_fd(), input.as_raw_fd()];
                // It may have come before it was watched for.
                if !folder.holds(RECORD) {
                    sys::wait_readable(&files, limit);
                }
            }
            Err(_) => wait_by_looking(&folder, limit, input),
        }
    }
    status(into)
}

/// Files that are readable once the supervisor is gone, and once a record has come: it syncs that before it goes.
fn watch(folder: &Folder, supervisor: i32) -> io::Result<(OwnedFd, sys::Changes)> {
    let process = sys::watch_process(supervisor)?;
    let record = sys::Changes::none()?;
    record.add_arrivals(folder.path())?;
    Ok((process, record))
}

/// Where the kernel does not tell (of a process's end before 5.3).
fn wait_by_looking(folder: &Folder, limit: Duration, input: BorrowedFd) {
    let begin = Instant::now();
    while folder.supervisor().is_some() && !folder.holds(RECORD) && begin.elapsed() < limit {
        if sys::wait_readable(&[input.as_raw_fd()], LOOK.min(limit))[0] {
            break;
        }
    }
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::os::fd::AsFd;
    use std::path::PathBuf;

    use super::*;
    use crate::spec;

    const LIMIT: Duration = Duration::from_secs(60);
    const SOON: Duration = Duration::from_secs(20);

    /// A job in a folder of its own; what is left of both goes with it.
    struct Run(PathBuf);

    impl Run {
        fn start(name: &str, command: &[&str]) -> Self {
            let run = Self(std::env::temp_dir().join(format!("assay-wait-{name}-{}", std::process::id())));
            let _ = fs::remove_dir_all(&run.0);
            let given = json!({"protocol": [1, 4], "command": command, "directory": run.0.join("work")});
            crate::run::run(&spec::read(given).expect("a good spec"), &run.place()).expect("a supervisor");
            run
        }

        fn place(&self) -> String {
            self.0.join("run").display().to_string()
        }

        fn folder(&self) -> Folder {
            Folder::at(&self.place()).expect("a folder")
        }
    }

    impl Drop for Run {
        fn drop(&mut self) {
            let _ = stop(&self.place());
            while self.folder().supervisor().is_some() {
                std::thread::sleep(Duration::from_millis(5));
            }
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn looking_s(folder: &Folder, limit: Duration, input: BorrowedFd) -> Duration {
        let begin = Instant::now();
        wait_by_looking(folder, limit, input);
        begin.elapsed()
    }

    #[test]
    fn looking_ends_at_the_input_and_at_the_limit_while_the_job_goes_on() {
        let run = Run::start("input", &["sleep", "60"]);
        let (input, say) = sys::pipe().expect("a pipe");
        let limit = Duration::from_millis(120);
        let passed = looking_s(&run.folder(), limit, input.as_fd());
        assert!((limit..SOON).contains(&passed), "{passed:?}");
        File::from(say).write_all(b"\n").expect("said");
        assert!(looking_s(&run.folder(), LIMIT, input.as_fd()) < SOON);
        assert_eq!(status(&run.place()).expect("a state")["state"], "running");
    }

    #[test]
    fn looking_ends_at_the_end_of_the_run_and_at_once_after_it() {
        let run = Run::start("end", &["sleep", "0.2"]);
        let (input, _say) = sys::pipe().expect("a pipe");
        for _ in 0..2 {
            assert!(looking_s(&run.folder(), LIMIT, input.as_fd()) < SOON);
            assert_eq!(status(&run.place()).expect("a state")["state"], "ended");
        }
        let nobody = Folder::at(&run.0.join("none").display().to_string()).expect("a folder");
        assert!(looking_s(&nobody, LIMIT, input.as_fd()) < SOON);
    }

    #[test]
    fn a_record_that_has_come_is_enough_while_the_supervisor_syncs_it() {
        let run = Run::start("record", &["sleep", "60"]);
        let (input, _say) = sys::pipe().expect("a pipe");
        let (begin, folder) = (Instant::now(), run.folder());
        let writer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            folder.write(RECORD, &json!({})).expect("written");
        });
        for _ in 0..2 {
            assert_eq!(wait(&run.place(), LIMIT, Some(input.as_fd())).expect("a state")["state"], "ended");
        }
        writer.join().expect("its end");
        looking_s(&run.folder(), LIMIT, input.as_fd());
        assert!(run.folder().supervisor().is_some() && begin.elapsed() < SOON);
    }
}
