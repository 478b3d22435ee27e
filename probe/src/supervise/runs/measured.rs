//! What was measured of a run: samples, totals, phases, series, and what it cost.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::{Run, WITHOUT_GROUPS, codes, cpu_s, is_root, number};

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
    let mut cpu = [0.0; 2];
    // The kernel divides processor time into the two by where its ticks fell, and anew at each question.
    for (column, total, room) in [
        ("job_user_s", "user_s", 0.01),
        ("job_system_s", "system_s", 0.01),
        ("job_logical_write_bytes", "logical_write_bytes", 1e-3),
        ("job_write_bytes", "write_bytes", 1e-3),
        ("job_logical_read_bytes", "logical_read_bytes", 1e-3),
    ] {
        let told = run.column(column);
        // I/O is not read at any cost, but at the end.
        assert!(told[told.len() - 1].is_some() && (column.contains("bytes") || told.iter().all(Option::is_some)));
        let cells: Vec<f64> = told.into_iter().flatten().collect();
        assert!(cells.is_sorted(), "{column}");
        let (last, total) = (cells[cells.len() - 1], number(&usage[total]));
        assert!((last - total).abs() <= room + 0.01 * total, "{column}: {last} {total}");
        if column.ends_with("_s") {
            cpu = [cpu[0] + last, cpu[1] + total];
        }
    }
    assert!((cpu[0] - cpu[1]).abs() <= 3e-3 + 0.01 * cpu[1], "{cpu:?}");
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
            .args(["--exact", "supervise::runs::measured::what_a_sample_costs_is_no_more_than_was_used"])
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
