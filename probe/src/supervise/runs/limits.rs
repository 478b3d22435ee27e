//! What a job may write, and how full it may make its disk.

use std::fs;
use std::os::unix::fs::MetadataExt;

use serde_json::{Value, json};

use super::{Run, between_s};

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
