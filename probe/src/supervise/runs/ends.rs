//! How a run ends, what it leaves, and where its copies run.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::status;

use super::{Run, between_s, codes, cpu_s, number};

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
