//! The same result from every number of threads, every pattern of writing, and as ever.

mod room;

use room::Room;
use serde_json::Value;

/// Of `run --events 12 --seed 5`; a change of the physics changes it, and is to be meant.
const GOLDEN: &str = "5a8facd81cb9ae49";
/// Of `powheg-like --events 300 --seed 5`.
const GOLDEN_GENERATOR: &str = "9cd7cbf4ebff858c";

fn digests(report: &Value) -> Vec<&str> {
    report["steps"].as_array().expect("steps").iter().filter_map(|step| step["digest"].as_str()).collect()
}

#[test]
fn any_number_of_threads_yields_the_golden_digest_and_the_same_figures() {
    let room = Room::new("threads");
    let reports = [1, 2, 3, 1].map(|threads| {
        let report = room.chain(&format!("run --events 12 --seed 5 --threads {threads}"));
        assert_eq!(report["threads"], threads);
        report
    });
    assert_eq!(reports[0]["digest"], GOLDEN);
    for report in &reports {
        assert_eq!((digests(report), &report["physics"]), (digests(&reports[0]), &reports[0]["physics"]));
    }
}

#[test]
fn the_tables_size_and_what_is_written_are_no_part_of_the_result() {
    let room = Room::new("size");
    let small = room.chain("run --events 12 --seed 5 --tables 0");
    assert_eq!(small["digest"], GOLDEN);
    let bytes = room.chain("tables --tables 3M")["bytes"]["written"].as_u64().expect("bytes");
    assert!((3 << 20..(3 << 20) + 1000).contains(&bytes), "{bytes}");
    for (at, step) in ["phygen --events 12 --seed 5", "detsim", "elecsim", "pmtrec", "evtrec"].iter().enumerate() {
        for line in [format!("{step} --no-output"), (*step).to_owned()] {
            let report = room.chain(&line);
            assert_eq!(report["digest"], digests(&small)[at], "{line}");
            assert_eq!(report["bytes"]["written"] == 0, line.ends_with("--no-output"), "{report}");
            assert_eq!(report["bytes"]["tables"], bytes);
        }
    }
}

#[test]
fn the_collider_names_are_the_same_chain_in_many_small_files() {
    let room = Room::new("collider");
    let names = "--as gen-sim-digi-reco";
    let report = room.chain(&format!("run {names} --events 12 --seed 5 --threads 2"));
    let neutrino = Room::new("neutrino");
    let other = neutrino.chain("run --events 12 --seed 5");
    assert_eq!(digests(&report)[..3], digests(&other)[..3]);
    // Pulses are not written in between, the events are the same.
    assert_eq!(digests(&report)[3], digests(&other)[4]);
    for name in ["gen", "sim", "digi", "reco"] {
        let mut parts: Vec<_> = std::fs::read_dir(room.file(name)).expect("a folder").flatten().collect();
        parts.sort_by_key(|part| part.file_name());
        assert_eq!(parts.iter().map(|part| part.file_name()).collect::<Vec<_>>(), ["00000000.part", "00000010.part"]);
    }
    let analysis = room.chain(&format!("analysis {names}"));
    assert_eq!(analysis["digest"], neutrino.chain("analysis")["digest"]);
    let fewer = room.chain(&format!("run {names} --events 5 --seed 5"));
    assert_eq!(fewer["events"], 5);
    assert!(!room.file("reco/00000010.part").exists());
}

#[test]
fn the_generator_writes_the_same_events_to_any_number_of_files() {
    let room = Room::new("generator");
    for (files, threads) in [(4, 1), (4, 3), (1, 1), (7, 2)] {
        let report = room.chain(&format!("powheg-like --events 300 --seed 5 --files {files} --threads {threads}"));
        assert_eq!(report["digest"], GOLDEN_GENERATOR);
        let written = std::fs::read_dir(&room.path).expect("files").flatten();
        let (mut bytes, mut events) = (0, 0);
        for file in written.filter(|file| file.file_name().to_string_lossy().ends_with(".lhe")) {
            let text = std::fs::read_to_string(file.path()).expect("text");
            bytes += 1;
            events += text.matches("<event>").count();
            assert!(text.ends_with("</LesHouchesEvents>\n"));
        }
        assert_eq!((bytes, events), (files, 300));
        // A write for each line and for each count.
        assert_eq!(report["writes"], 300 * 9 + files * 5);
    }
    assert_eq!(room.chain("powheg-like --events 300 --seed 5 --no-output")["digest"], GOLDEN_GENERATOR);
}

#[test]
fn other_seeds_make_other_events() {
    let room = Room::new("seeds");
    let digest = |line: &str| room.chain(line)["digest"].clone();
    assert_ne!(digest("run --events 2 --seed 1"), digest("run --events 2 --seed 2"));
    let again = digest("detsim");
    assert_ne!(again, digest("detsim --seed 3"));
    assert_eq!(again, digest("detsim --seed 2"));
}
