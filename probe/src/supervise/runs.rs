//! Whole runs, from the spec to the record: what a record says is held to what the job did, and its figures to each other.
//!
//! No figure of time is held to a clock of the test's: a busy machine makes all of them longer, never inconsistent.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
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

#[test]
fn each_end_has_its_code_its_kind_and_its_sentence() {
    let limit = json!({"time_limit_s": 0.05, "grace_s": 0.05});
    let ends: [(&str, &[&str], Value, Value); 7] = [
        ("good", &["true"], json!({}), json!(["ended", 0, null, null, null])),
        ("three", &["sh", "-c", "exit 3"], json!({}), json!(["failed", 3, null, "exit", "'sh' exited with 3"])),
        (
            "kill",
            &["sh", "-c", "kill -9 $$"],
            json!({}),
            json!(["failed", 137, 9, "signal", "'sh' was killed by signal 9"]),
        ),
        (
            "none",
            &["no-such-program"],
            json!({}),
            json!(["failed", 127, null, "start", "cannot start 'no-such-program': no such file or directory"]),
        ),
        (
            "text",
            &["/etc/passwd"],
            json!({}),
            json!(["failed", 126, null, "start", "cannot start '/etc/passwd': permission denied"]),
        ),
        (
            "late",
            &["sleep", "600"],
            limit.clone(),
            json!([
                "failed",
                143,
                15,
                "time-limit",
                "'sleep' ran longer than its time limit of 0.05 s and was stopped"
            ]),
        ),
        (
            "deaf",
            &["sh", "-c", "trap '' TERM; sleep 600 & wait; sleep 600"],
            limit,
            json!(["failed", 137, 9, "time-limit", "'sh' ran longer than its time limit of 0.05 s and was stopped"]),
        ),
    ];
    for (name, command, more, expected) in ends {
        let run = Run::start(name, command, more);
        let record = run.record();
        let told = ["state", "exit_code", "signal", "cause_kind", "cause"].map(|field| &record[field]);
        assert_eq!(json!(told), expected, "{name}");
        assert_eq!(record["timed_out"], record["cause_kind"] == "time-limit", "{name}");
        assert_eq!(record["usage"].is_null(), record["cause_kind"] == "start", "{name}");
        assert_eq!((record["leftover_processes"].as_u64(), codes(&record)), (Some(0), vec![]), "{name}");
        assert_eq!(record["copies"][0]["exit_code"], record["exit_code"]);
        assert_eq!(record["copies"][0]["signal"], record["signal"]);
        let least_s = match name {
            "late" => 0.05,
            "deaf" => 0.1,
            _ => 0.0,
        };
        assert!(between_s(&record["started"], &record["ended"]) >= least_s, "{name}");
    }
}

#[test]
fn the_time_of_a_run_is_that_between_its_moments() {
    let record = Run::start("times", &["sleep", "0.05"], json!({})).record();
    let wall_s = between_s(&record["started"], &record["ended"]);
    assert!(wall_s >= 0.05);
    assert!((number(&record["usage"]["wall_s"]) - wall_s).abs() < 1e-6);
    assert_eq!(record["usage"]["wall_s"], record["copies"][0]["wall_s"]);
    assert_eq!(
        (&record["copies"][0]["started"], &record["copies"][0]["ended"]),
        (&record["started"], &record["ended"])
    );
    assert_eq!(record["protocol"], json!([1, 4]));
    assert_eq!(record["spec"]["command"], json!(["sleep", "0.05"]));
    for field in ["counters", "phases", "series"] {
        assert_eq!(record[field], json!([]), "{field}");
    }
    assert_eq!((&record["profile"], &record["cache"]), (&Value::Null, &Value::Null));
}

#[test]
fn a_stop_ends_a_job_on_request_and_before_its_start_nothing_runs() {
    let run = Run::start("stop", &["sleep", "600"], json!({}));
    run.wait_for(|| fs::read_to_string(run.path("run/samples.csv")).is_ok_and(|text| text.lines().count() > 1));
    status::stop(&run.place()).expect("stopped");
    let record = run.record();
    assert_eq!((&record["cause_kind"], &record["exit_code"]), (&json!("stopped"), &json!(143)));
    assert_eq!(record["cause"], "'sleep' was stopped on request");
    let at = crate::sys::monotonic_ns() + 600_000_000_000;
    let run =
        Run::start("early", &["touch", "ran"], json!({"start": {"at_mono_ns": at}, "placement": {"copies": 2}}));
    status::stop(&run.place()).expect("stopped");
    let record = run.record();
    assert_eq!((&record["cause"], &record["usage"]), (&json!("'touch' was stopped before its start"), &Value::Null));
    assert_eq!((&record["state"], &record["cause_kind"]), (&json!("failed"), &json!("stopped")));
    assert!(!run.path("work/copy-0/ran").exists());
}

#[test]
fn what_a_job_leaves_behind_is_killed_and_counted_once() {
    let run = Run::shell("left", "sleep 600 & echo $!; sleep 600 & exit 0", json!({}));
    let record = run.record();
    assert_eq!((&record["state"], &record["leftover_processes"]), (&json!("ended"), &json!(2)));
    let pid = run.text("run/stdout");
    assert!(!Path::new(&format!("/proc/{}", pid.trim())).exists());
    for group in fs::read_to_string(run.path("run/groups")).unwrap_or_default().lines() {
        assert!(!Path::new(group).exists(), "{group}");
    }
}

#[test]
fn copies_run_one_after_the_other_each_in_its_folder_and_know_themselves() {
    let script = "echo {copy} $ASSAY_COPY $ASSAY_COPIES $ASSAY_THREADS $(pwd) $(nice); exit $((2 * ASSAY_COPY))";
    let at = crate::sys::monotonic_ns() + 20_000_000;
    let start = json!({"at_mono_ns": at, "stagger_s": 0.02});
    let more = json!({"placement": {"copies": 3, "threads": 7, "nice": 4}, "start": start});
    let run = Run::shell("copies", script, more);
    let record = run.record();
    assert_eq!(
        (&record["state"], &record["exit_code"], &record["cause_kind"]),
        (&json!("failed"), &json!(2), &json!("exit"))
    );
    let copies = record["copies"].as_array().expect("copies");
    for (index, copy) in copies.iter().enumerate() {
        let output = if index == 0 { "run/stdout".to_owned() } else { format!("run/stdout.{index}") };
        let folder = run.path(&format!("work/copy-{index}"));
        assert_eq!(run.text(&output), format!("{index} {index} 3 7 {} 4\n", folder.display()));
        assert_eq!((&copy["copy"], &copy["exit_code"]), (&json!(index), &json!(2 * index)));
        assert!((number(&copy["wall_s"]) - between_s(&copy["started"], &copy["ended"])).abs() < 1e-6);
        assert!(between_s(&json!({"mono_ns": at}), &copy["started"]) >= 0.02 * index as f64);
        assert!(number(&copy["rss_bytes"]) > 100_000.0 && cpu_s(copy) < cpu_s(&record["usage"]) + 0.02);
    }
    assert_eq!(copies.len(), 3);
    assert_eq!(record["started"], copies[0]["started"]);
}

#[test]
fn a_copy_that_is_not_due_yet_never_runs_after_a_stop() {
    let more = json!({"placement": {"copies": 2}, "start": {"stagger_s": 600.0}});
    let run = Run::shell("stagger", "touch ran; sleep 600", more);
    run.wait_for(|| run.path("work/copy-0/ran").exists());
    status::stop(&run.place()).expect("stopped");
    let record = run.record();
    assert_eq!((&record["copies"][0]["signal"], &record["copies"][1]["started"]), (&json!(15), &Value::Null));
    assert!(!run.path("work/copy-1/ran").exists());
    assert_eq!((&record["copies"][1]["wall_s"], &record["cause_kind"]), (&Value::Null, &json!("stopped")));
}

#[test]
fn a_start_that_has_passed_is_a_doubt_with_the_delay_and_one_to_come_is_kept() {
    let at = crate::sys::monotonic_ns() - 2_000_000_000;
    let record = Run::start("passed", &["true"], json!({"start": {"at_mono_ns": at}})).record();
    assert_eq!(codes(&record), ["start-missed"]);
    let late = between_s(&json!({"mono_ns": at}), &record["started"]);
    let sentence = format!("The job was released {late:.3} s after the start asked for.");
    assert_eq!(record["doubts"][0]["sentence"], sentence);
    let at = crate::sys::monotonic_ns() + 100_000_000;
    let record = Run::start("due", &["true"], json!({"start": {"at_mono_ns": at}})).record();
    let late = between_s(&json!({"mono_ns": at}), &record["started"]);
    assert!(late >= 0.0);
    assert_eq!(codes(&record).contains(&"start-missed"), late > 0.005);
}

#[test]
fn the_environment_of_a_job_is_ours_and_what_the_spec_adds() {
    let run = Run::start("env", &["env"], json!({"environment": {"SEED": "{copy}", "LANG": "C"}}));
    assert_eq!(run.record()["state"], "ended");
    let text = run.text("run/stdout");
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    let home = format!("HOME={}", run.path("work").display());
    let path = format!("PATH={}", crate::search::PATH);
    assert_eq!(lines, [home.as_str(), "LANG=C", "LC_ALL=C.UTF-8", path.as_str(), "SEED=0"]);
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

const BURN: &str = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done";

#[test]
fn samples_and_totals_tell_the_same() {
    let script = format!("{BURN}; (sleep 0.03; {BURN}); head -c 300000 /dev/zero > f; head -c 100000 f > g");
    let run = Run::shell("samples", &script, json!({"interval_s": 0.01}));
    let record = run.record();
    let usage = &record["usage"];
    let times: Vec<f64> = run.column("mono_ns").into_iter().flatten().collect();
    assert_eq!(record["cost"]["samples"], times.len());
    assert!(times.len() >= 4, "one at the start and one at the end, and in 0.03 s of rest at least two");
    let gap = times.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
    assert!((number(&record["cost"]["largest_gap_s"]) - gap / 1e9).abs() < 1e-6);
    let (start, end) = (number(&record["started"]["mono_ns"]), number(&record["ended"]["mono_ns"]));
    assert!(times[0] >= start && times[times.len() - 1] >= end && times[times.len() - 2] < end + 1e7);
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]));
    for (column, total) in [
        ("job_user_s", "user_s"),
        ("job_system_s", "system_s"),
        ("job_logical_write_bytes", "logical_write_bytes"),
        ("job_write_bytes", "write_bytes"),
        ("job_logical_read_bytes", "logical_read_bytes"),
    ] {
        let cells: Vec<f64> = run.column(column).into_iter().map(|cell| cell.expect("a figure")).collect();
        assert!(cells.is_sorted(), "{column}");
        let (last, total) = (cells[cells.len() - 1], number(&usage[total]));
        assert!((last - total).abs() <= 1e-3 + 0.01 * total, "{column}: {last} {total}");
    }
    let processes: Vec<Option<f64>> = run.column("job_processes");
    assert!(processes.contains(&Some(1.0)) && processes[processes.len() - 1] == Some(0.0), "{processes:?}");
    assert!(run.column("job_rss_bytes").iter().any(|rss| rss.is_some_and(|rss| rss > 100_000.0)));
    // 300,000 and 100,000 bytes, and what the shell and the programs read and write besides.
    let [read, written] = ["logical_read_bytes", "logical_write_bytes"].map(|name| number(&usage[name]));
    assert!((400_000.0..450_000.0).contains(&written) && (400_000.0..600_000.0).contains(&read), "{read} {written}");
    assert_eq!(number(&usage["rss_bytes"]) % 1024.0, 0.0);
    assert!(number(&usage["minor_faults"]) > 100.0 && number(&usage["voluntary_switches"]) >= 1.0);
    assert!(number(&record["cost"]["wake_ups"]) >= (times.len() - 2) as f64);
    assert!(number(&record["cost"]["cpu_s"]) > 0.0);
    assert!(number(&record["cost"]["rss_bytes"]) > 100_000.0);
}

#[test]
fn processor_time_is_in_seconds_and_that_of_the_kernels_own_account() {
    let script = format!("{BURN}; {BURN}; ({BURN}); times");
    let run = Run::shell("burn", &script, json!({}));
    let record = run.record();
    // `0m0.040000s 0m0.000000s` for the shell, then the same for its children.
    let text = run.text("run/stdout");
    let second =
        |word: &str| word.trim_end_matches('s').split_once('m').expect("a time").1.parse::<f64>().expect("s");
    let told_s: f64 = text.split_whitespace().map(second).sum();
    let (job_s, copy_s) = (cpu_s(&record["usage"]), cpu_s(&record["copies"][0]));
    assert!(job_s > 0.5 * told_s && job_s < 2.0 * told_s + 0.02, "{job_s} {told_s}");
    assert!((job_s - copy_s).abs() < 0.1 * copy_s + 0.005, "{job_s} {copy_s}");
    if is_root() {
        let scope = record["scope"].as_str().expect("a scope");
        assert_eq!(scope == "tree", std::env::var_os(WITHOUT_GROUPS).is_some(), "{scope}");
        assert_eq!(record["limits"]["by"], if scope == "tree" { "none" } else { scope });
    }
    let machine = &record["machine"];
    assert!(number(&machine["user_s"]) + number(&machine["system_s"]) >= job_s - 0.05, "{machine}");
    assert!(record["usage"]["run_queue_s"].is_null(), "the shell has reaped who waited");
    let most_s = number(&record["usage"]["wall_s"]) + 0.02;
    let cpus = record["limits"]["cpus"].as_array().expect("processors").len() as f64;
    for name in ["idle_s", "io_wait_s", "steal_s"] {
        assert!((0.0..=cpus * (most_s + 0.1)).contains(&number(&record["usage"][name])), "{name}");
    }
}

#[test]
fn phases_share_the_times_and_counts_of_the_whole_job() {
    let script = format!("{BURN}; echo Begin; for n in 1 2 3; do {BURN}; echo event $n; done; echo Finish; {BURN}");
    let marks = json!([{"phase": "event-loop", "pattern": "^Begin"}, {"phase": "end", "pattern": "^Finish"}]);
    let more = json!({
        "phases": {"marks": marks, "events": "^event (\\d+)"}, "counters": ["task-clock", "page-faults"],
    });
    let record = Run::shell("phases", &script, more).record();
    let phases = record["phases"].as_array().expect("phases");
    let told: Vec<_> = phases.iter().map(|phase| (phase["phase"].as_str(), phase["events"].as_u64())).collect();
    assert_eq!(told, [(Some("init"), Some(0)), (Some("event-loop"), Some(3)), (Some("end"), Some(0))]);
    for pair in phases.windows(2) {
        assert_eq!(pair[0]["ended"], pair[1]["started"]);
    }
    assert_eq!((&phases[0]["started"], &phases[2]["ended"]), (&record["started"], &record["ended"]));
    let sum = |name: &str| phases.iter().map(|phase| number(&phase[name])).sum::<f64>();
    for name in ["wall_s", "user_s", "system_s", "run_queue_s"] {
        assert!((sum(name) - number(&record["usage"][name])).abs() < 1e-5, "{name} {record:#}");
    }
    for name in ["idle_s", "io_wait_s", "steal_s"] {
        assert!((sum(name) - number(&record["usage"][name])).abs() < 0.07, "{name}: whole ticks at each turn");
    }
    let loops = cpu_s(&phases[1]);
    assert!(loops > 0.2 * cpu_s(&record["usage"]) && loops < 0.95 * cpu_s(&record["usage"]), "{record:#}");
    for (at, counter) in record["counters"].as_array().expect("counters").iter().enumerate() {
        let parts = phases.iter().map(|phase| number(&phase["counters"][at]["value"])).sum::<f64>();
        assert_eq!(parts, number(&counter["value"]), "{counter}");
    }
    let clock_s = number(&record["counters"][0]["value"]) / 1e9;
    assert!(clock_s > 0.5 * cpu_s(&record["usage"]), "{clock_s}");
}

#[test]
fn a_job_may_tell_of_its_phases_itself_or_of_none() {
    let script = "echo phase event-loop >&$ASSAY_PHASE_FD; echo events 5 >&$ASSAY_PHASE_FD; sleep 0.01";
    let record = Run::shell("told", script, json!({"phases": {"announce": true}})).record();
    let phases = record["phases"].as_array().expect("phases");
    let told: Vec<_> = phases.iter().map(|phase| (phase["phase"].as_str(), phase["events"].as_u64())).collect();
    assert_eq!(told, [(Some("init"), Some(0)), (Some("event-loop"), Some(5))]);
    let record = Run::start("mute", &["true"], json!({"phases": {"announce": true}})).record();
    assert_eq!((&record["phases"], codes(&record)), (&json!([]), vec!["no-phase"]));
    let log = Run::shell(
        "log",
        "echo phase end > own.log; sleep 0.01",
        json!({"phases": {"log": "own.log", "marks": [{"phase": "end", "pattern": "end$"}]}}),
    );
    assert_eq!(log.record()["phases"][1]["phase"], "end");
}

#[test]
fn series_that_were_asked_for_are_told_with_their_files() {
    let run = Run::start(
        "series",
        &["sleep", "0.03"],
        json!({"watch": ["threads", "energy"], "interval_s": 0.01, "process_io": false}),
    );
    let record = run.record();
    let series = record["series"].as_array().expect("series");
    assert_eq!(series[0]["group"], "threads");
    assert_eq!((&series[0]["file"], &series[0]["absent"]), (&json!("threads.csv"), &Value::Null));
    assert_eq!(series[0]["samples"], record["cost"]["samples"]);
    let text = run.text("run/threads.csv");
    assert!(text.starts_with("mono_ns,real_ns,") && text.lines().any(|line| line.contains(",1,")), "{text}");
    assert_eq!(run.column("job_read_bytes")[0], None, "nobody asked for the I/O of each sample");
    assert!(number(&record["usage"]["logical_read_bytes"]) > 0.0);
}

#[test]
fn files_are_brought_into_their_state_and_what_was_found_is_told() {
    // Not in memory alone, as the usual folder may be; what is not stored yet cannot be evicted.
    let path = Path::new("/var/tmp").join(format!("assay-cached-{}", std::process::id()));
    fs::write(&path, vec![7; 1 << 20]).expect("a file");
    fs::File::open(&path).and_then(|file| file.sync_all()).expect("stored");
    for (state, share) in [("warm", 1.0), ("cold", 0.0), ("warm", 1.0)] {
        let more = json!({"cache": {"state": state, "paths": [path.display().to_string()]}});
        let record = Run::start(state, &["true"], more).record();
        let cache = &record["cache"];
        assert_eq!((&cache["state"], &cache["drop_all"]), (&json!(state), &json!(false)));
        assert_eq!(number(&cache["bytes"]), f64::from(1 << 20));
        assert_eq!(number(&cache["resident_bytes"]), share * f64::from(1 << 20), "{state}");
        assert_eq!(codes(&record), [""; 0]);
    }
    fs::remove_file(&path).expect("removed");
    let record =
        Run::start("nothing", &["true"], json!({"cache": {"state": "cold", "paths": ["/no/such"]}})).record();
    assert_eq!((&record["state"], &record["cause_kind"]), (&json!("failed"), &json!("start")));
    assert!(record["cause"].as_str().is_some_and(|cause| cause.contains("/no/such")));
}

#[test]
fn processors_and_memory_in_force_are_read_back() {
    let last = *crate::sys::affinity(0).expect("processors").last().expect("one");
    let limits = json!({"cpus": [last], "memory_bytes": 64 << 20, "cpu_quota": 0.5});
    let run = Run::shell("limits", "grep Cpus_allowed_list /proc/self/status", json!({"limits": limits}));
    let record = run.record();
    assert_eq!(run.text("run/stdout"), format!("Cpus_allowed_list:\t{last}\n"));
    let held = &record["limits"];
    assert_eq!((&held["cpus"], &record["copies"][0]["cpus"]), (&json!([last]), &json!([last])));
    if held["by"].as_str().is_some_and(|by| by.starts_with("cgroup")) {
        assert_eq!((&held["memory_bytes"], &held["cpu_quota"]), (&json!(64 << 20), &json!(0.5)));
        assert!(codes(&record).iter().all(|code| *code == "swap-not-limited"), "{record:#}");
    }
    assert_eq!((&held["pause"], &held["disks"], &held["read_bytes_per_s"]), (&Value::Null, &json!([]), &Value::Null));
    let own = json!({"placement": {"copies": 2, "cpus": [[last], [last]]}});
    let record = Run::start("own", &["true"], own).record();
    assert_eq!((&record["copies"][0]["cpus"], &record["copies"][1]["cpus"]), (&json!([last]), &json!([last])));
}

#[test]
fn a_job_that_is_to_pause_stands_still_and_goes_on() {
    let script = "while [ ! -e go ]; do sleep 0.01; done";
    let run = Run::shell("pause", script, json!({"limits": {"pause": 0.5}}));
    let frozen = || {
        let groups = fs::read_to_string(run.path("run/groups")).unwrap_or_default();
        let is = |group: &str, file: &str, word: &str| {
            fs::read_to_string(Path::new(group).join(file)).is_ok_and(|text| text.contains(word))
        };
        groups.lines().any(|group| is(group, "freezer.state", "FROZEN") || is(group, "cgroup.events", "frozen 1"))
    };
    let grouped = is_root() && std::env::var_os(WITHOUT_GROUPS).is_none();
    if grouped {
        run.wait_for(frozen);
    }
    run.wait_for(|| run.path("work").exists());
    fs::write(run.path("work/go"), "").expect("written");
    let record = run.record();
    assert_eq!(record["state"], "ended", "{record:#}");
    if grouped {
        let share = number(&record["limits"]["pause"]);
        assert!(0.0 < share && share < 1.0, "{record:#}");
        assert_eq!(codes(&record), [""; 0]);
    } else {
        assert_eq!(codes(&record)[0], "no-cgroup");
        assert_eq!(record["limits"]["pause"].is_null(), codes(&record).contains(&"pause-not-applied"));
    }
}

#[test]
fn stacks_are_sampled_and_folded_or_the_record_says_why_not() {
    let run = Run::shell("stacks", BURN, json!({"profile": {"hz": 997}}));
    let profile = &run.record()["profile"];
    if profile["absent"].is_null() {
        assert_eq!(profile["file"], "profile.folded");
        let folded = run.text("run/profile.folded");
        let samples: f64 = folded.lines().filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum();
        assert_eq!(samples, number(&profile["samples"]));
        assert!(samples > 0.0 && !run.path("run/profile.raw").exists());
    } else {
        assert_eq!(profile["file"], Value::Null);
    }
}

/// Where the test of what samples cost runs by itself: it reaps every child of its process.
const ALONE: &str = "ASSAY_TEST_ALONE";

#[test]
fn what_a_sample_costs_is_no_more_than_was_used() {
    if std::env::var_os(ALONE).is_none() {
        let done = Command::new(std::env::current_exe().expect("this very program"))
            .args(["--exact", "supervise::runs::what_a_sample_costs_is_no_more_than_was_used"])
            .env(ALONE, "1")
            .output()
            .expect("this very program");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
        return;
    }
    for (scope, every_s) in [("group", "0"), ("tree", "0.01")] {
        let words =
            ["--samples", "5", "--scope", scope, "--every", every_s, "--processes", "3", "--watch", "threads"];
        let script = "sleep 600 & sleep 600 & wait";
        let words = words.into_iter().chain(["--", "sh", "-c", script]).map(str::to_owned).collect();
        let (began, used) = (crate::sys::monotonic_ns(), crate::sys::own_cpu_ns());
        let told = crate::cost::cost(words).expect("what it costs");
        let (wall_ns, cpu_ns) = (crate::sys::monotonic_ns() - began, crate::sys::own_cpu_ns() - used);
        assert_eq!((&told["samples"], &told["processes"]), (&json!(5), &json!(3)));
        let grouped = is_root() && scope == "group" && std::env::var_os(WITHOUT_GROUPS).is_none();
        assert_eq!(told["scope"] != "tree", grouped);
        let [wall, cpu] = ["wall_ns", "cpu_ns"].map(|name| 5.0 * number(&told[name]));
        assert!(wall <= wall_ns as f64 && wall >= 5e9 * every_s.parse::<f64>().expect("seconds"), "{told}");
        assert!(cpu <= cpu_ns as f64 && cpu >= 5e3, "{told} {cpu_ns}");
        assert!(number(&told["rss_bytes"]) > 100_000.0);
        assert_eq!((&told["series"][0]["group"], &told["series"][0]["samples"]), (&json!("threads"), &json!(6)));
        assert!(crate::sys::ended_child().is_none(), "nothing of the job is left");
    }
}

/// Prints blocks of 64 KiB without end.
const POUR: &str = "cat /dev/zero";

fn over(record: &Value) -> Vec<&str> {
    let over = record["output"]["over"].as_array().expect("streams");
    over.iter().filter_map(|one| one["stream"].as_str()).collect()
}

#[test]
fn a_job_that_prints_without_end_is_ended_and_each_stream_is_kept_to_its_limit() {
    let limit = 100_000;
    for (name, script) in [("stdout", POUR.to_owned()), ("stderr", format!("{POUR} >&2"))] {
        let run = Run::shell(&format!("pour-{name}"), &script, json!({"output_limit_bytes": limit}));
        let record = run.record();
        let cause = format!("'sh' wrote more than its limit of {limit} bytes to {name} and was stopped");
        assert_eq!((&record["cause_kind"], &record["cause"]), (&json!("output-limit"), &json!(cause)));
        assert_eq!((record["output"]["limit_bytes"].as_u64(), over(&record)), (Some(limit), vec![name]));
        assert!(record["output"]["over"][0]["bytes"].as_u64() > Some(limit));
        assert_eq!(run.bytes(&format!("run/{name}")).len() as u64, limit);
        assert!(record["room"]["least_free_bytes"].as_u64() > Some(0));
    }
}

#[test]
fn a_job_that_prints_on_while_it_is_being_ended_fills_no_disk() {
    let more = json!({"output_limit_bytes": 1000, "grace_s": 0.3});
    let run = Run::shell("deaf-pour", &format!("trap '' TERM; {POUR}"), more);
    let record = run.record();
    assert_eq!((&record["cause_kind"], &record["exit_code"]), (&json!("output-limit"), &json!(137)));
    assert!(between_s(&record["started"], &record["ended"]) >= 0.3);
    let file = fs::metadata(run.path("run/stdout")).expect("there");
    assert_eq!(file.len(), 1000);
    assert!(file.blocks() * 512 < 1 << 20, "{}", file.blocks());
}

#[test]
fn each_copy_has_its_own_limit_and_the_first_beyond_it_is_the_cause() {
    let script = "head -c 9 /dev/zero; [ $ASSAY_COPY = 0 ] || head -c 11 /dev/zero >&2";
    let more = json!({"output_limit_bytes": 10, "placement": {"copies": 3}});
    let run = Run::shell("over-copies", script, more);
    let record = run.record();
    assert_eq!((&record["state"], &record["exit_code"]), (&json!("failed"), &json!(0)));
    assert_eq!(record["cause"], "'sh' wrote more than its limit of 10 bytes to stderr.1");
    assert_eq!(over(&record), ["stderr.1", "stderr.2"]);
    assert_eq!(["stdout", "stdout.2", "stderr.2"].map(|name| run.bytes(&format!("run/{name}")).len()), [9, 9, 10]);
}

#[test]
fn what_a_job_tells_of_its_phases_is_kept_to_the_limit_too() {
    let script = "while :; do echo event >&$ASSAY_PHASE_FD; done";
    let more = json!({"output_limit_bytes": 5000, "phases": {"announce": true}});
    let run = Run::shell("over-phases", script, more);
    let record = run.record();
    assert_eq!((&record["cause_kind"], over(&record)), (&json!("output-limit"), vec!["phases.csv"]));
    assert_eq!(run.bytes("run/phases.csv").len(), 5000);
}

#[test]
fn a_job_is_not_started_on_a_disk_that_has_less_than_is_kept_free() {
    let run = Run::start("no-room", &["touch", "ran"], json!({"keep_free_bytes": 1_u64 << 62}));
    let record = run.record();
    let told = ["state", "cause_kind", "usage"].map(|field| &record[field]);
    assert_eq!(json!(told), json!(["failed", "no-room", null]));
    let cause = record["cause"].as_str().expect("a sentence");
    assert!(cause.starts_with(&format!("the disk of {} had ", run.place())), "{cause}");
    assert!(cause.ends_with(&format!(" bytes free and {} are kept: 'touch' was not started", 1_u64 << 62)));
    assert!(!run.path("work/ran").exists());
}
