//! Where a run is: lines as they come, and phases on a descriptor.

mod room;

use std::fs;
use std::os::fd::AsRawFd;
use std::process::Stdio;

use room::{Room, command};

fn ready(name: &str) -> Room {
    let room = Room::new(name);
    room.chain("tables --tables 0 --pmts 60 --photons-per-mev 100");
    room
}

#[test]
fn a_step_says_where_it_is() {
    let room = ready("lines");
    let done = room.run("phygen --events 5 --every 2");
    let text = String::from_utf8(done.stdout).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..5], ["init begins", "event loop begins", "event 2", "event 4", "event loop ends"]);
    assert_eq!((lines[5], lines.len()), ("end", 7));
}

/// What was announced while a line ran; a file stands in for the pipe.
fn announced(room: &Room, line: &str) -> String {
    let path = room.file("told");
    let file = fs::File::create(&path).expect("a file");
    // The child finds it as its standard error.
    let mut command = command(line, &room.path);
    command.env("ASSAY_PHASE_FD", "2").stderr(Stdio::from(file.try_clone().expect("a copy")));
    assert!(file.as_raw_fd() > 2 && command.output().expect("runs").status.success());
    let text = fs::read_to_string(path).expect("text");
    let times: Vec<u64> =
        text.lines().filter_map(|line| line.split(' ').nth(2)).map(|ns| ns.parse().expect("ns")).collect();
    assert!(times.is_sorted() && times.len() > 2, "{times:?}");
    text.lines().map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" ") + "\n").collect()
}

#[test]
fn phases_are_announced_on_the_descriptor() {
    let room = ready("phases");
    let told = announced(&room, "phygen --events 5 --every 2");
    assert_eq!(told, "phase init\nphase event-loop\nevents 2\nevents 4\nevents 5\nphase end\n");
}

#[test]
fn a_whole_run_announces_its_steps_and_counts_on() {
    let room = ready("steps");
    let told = announced(&room, "run --events 3");
    let expected = ["phygen", "detsim", "elecsim", "pmtrec", "evtrec"]
        .iter()
        .enumerate()
        .map(|(at, step)| format!("phase {step}-init\nphase {step}\nevents {}\n", 3 * (at + 1)))
        .collect::<String>();
    assert_eq!(told, expected + "phase end\n");
}

#[test]
fn threads_are_those_of_the_surroundings_unless_said() {
    let room = ready("threads-of");
    let report = |line: &str, threads: &str| {
        let done = command(line, &room.path).env("ASSAY_THREADS", threads).output().expect("runs");
        (done.status.code(), String::from_utf8(done.stdout).expect("text"))
    };
    assert!(report("phygen", "3").1.contains("\"threads\":3"));
    assert!(report("phygen --threads 2", "3").1.contains("\"threads\":2"));
    assert_eq!(report("phygen", "many").0, Some(2));
}

#[test]
fn a_descriptor_that_is_not_open_is_an_error() {
    let room = ready("closed");
    let done = command("phygen", &room.path).env("ASSAY_PHASE_FD", "77").output().expect("runs");
    assert_eq!(done.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&done.stderr).contains("the descriptor of ASSAY_PHASE_FD"));
}
