//! Whole runs, from the spec to the record: what a record says is held to what the job did, and its figures to each other.
//!
//! No figure of time is held to a clock of the test's: a busy machine makes all of them longer, never inconsistent.

mod ends;
mod limits;
mod measured;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::spec;
use crate::status;

/// A run in a folder of its own, which goes with it.
struct Run {
    folder: PathBuf,
}

impl Run {
    /// Starts it; `more` is added to the least that a spec needs.
    fn start(name: &str, command: &[&str], more: Value) -> Self {
        let folder = std::env::temp_dir().join(format!("assay-run-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        let run = Self { folder };
        let mut given = json!({"protocol": [1, 4], "command": command, "directory": run.path("work")});
        given.as_object_mut().expect("fields").extend(more.as_object().expect("fields").clone());
        let spec = spec::read(given).expect("a good spec");
        crate::run::run(&spec, &run.place()).expect("a supervisor");
        run
    }

    fn shell(name: &str, script: &str, more: Value) -> Self {
        Self::start(name, &["sh", "-c", script], more)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    fn place(&self) -> String {
        self.path("run").display().to_string()
    }

    /// Waits until something holds; it must come before the run is over.
    fn wait_for(&self, met: impl Fn() -> bool) {
        while !met() {
            assert_eq!(status::status(&self.place()).expect("a state")["state"], "running");
            std::thread::yield_now();
        }
    }

    fn record(&self) -> Value {
        loop {
            let state = status::status(&self.place()).expect("a state")["state"].clone();
            match state.as_str() {
                Some("ended") => return serde_json::from_slice(&self.bytes("run/probe.json")).expect("a record"),
                Some("running") => std::thread::sleep(std::time::Duration::from_millis(5)),
                other => panic!("{other:?}: the supervisor has left no record"),
            }
        }
    }

    fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn text(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path)).expect("text")
    }

    /// The samples as columns of cells, an empty one is `None`.
    fn column(&self, name: &str) -> Vec<Option<f64>> {
        let text = self.text("run/samples.csv");
        let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let at = lines.next().expect("a head").iter().position(|known| *known == name).expect("a column");
        lines.map(|cells| cells[at].parse().ok()).collect()
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

fn codes(record: &Value) -> Vec<&str> {
    record["doubts"].as_array().expect("doubts").iter().filter_map(|doubt| doubt["code"].as_str()).collect()
}

fn cpu_s(value: &Value) -> f64 {
    number(&value["user_s"]) + number(&value["system_s"])
}

/// Time between two moments of a record.
fn between_s(from: &Value, to: &Value) -> f64 {
    (to["mono_ns"].as_i64().expect("ns") - from["mono_ns"].as_i64().expect("ns")) as f64 / 1e9
}

/// Set where no control group can be found.
const WITHOUT_GROUPS: &str = "ASSAY_TEST_WITHOUT_GROUPS";

fn is_root() -> bool {
    fs::metadata("/proc/self").expect("/proc").uid() == 0
}

/// In a mount namespace without control groups a job is a tree of processes: the same holds.
#[test]
fn without_groups_all_of_this_holds_too() {
    if std::env::var_os(WITHOUT_GROUPS).is_some() || !is_root() {
        return;
    }
    let script = "umount --recursive --lazy /sys/fs/cgroup; exec \"$@\"";
    let done = Command::new("unshare")
        .args(["--mount", "sh", "-c", script, "sh"])
        .arg(std::env::current_exe().expect("this very program"))
        .arg("supervise::runs::")
        .env(WITHOUT_GROUPS, "1")
        .output()
        .expect("unshare");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}
