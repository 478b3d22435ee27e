//! What is wrong is one line and an exit code, never a figure.

mod room;

use std::fs;
use std::path::Path;

use chain::files::{Kind, Pattern, Reader, Writer};
use chain::model::Pulses;
use room::Room;

const FAILED: i32 = 1;
const USAGE: i32 = 2;
const MISSING: i32 = 4;

fn refused(room: &Room, line: &str, code: i32, part: &str) {
    let (told, text) = room.fails(line);
    assert_eq!(told, code, "{line}: {text}");
    assert!(text.starts_with("error: cannot ") && text.contains(part), "{line}: {text}");
}

fn ready(name: &str) -> Room {
    let room = Room::new(name);
    room.chain("tables --tables 0 --pmts 60 --photons-per-mev 500");
    room.chain("phygen --events 15");
    room.chain("detsim");
    room
}

fn change(path: &Path, act: impl Fn(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).expect("bytes");
    act(&mut bytes);
    fs::write(path, bytes).expect("written");
}

#[test]
fn wrong_words_name_the_nearest() {
    let room = Room::new("words");
    refused(&room, "", USAGE, "a step is missing");
    refused(&room, "detsin", USAGE, "unknown step 'detsin', nearest is 'detsim'");
    refused(&room, "detsim --evnts 3", USAGE, "unknown '--evnts', nearest is '--events'");
    refused(&room, "detsim extra", USAGE, "unknown 'extra'");
    refused(&room, "detsim --threads 0", USAGE, "--threads: expected 1 to 4096, got '0'");
    refused(&room, "detsim --events -1", USAGE, "--events: expected 0 to 1000000000");
    refused(&room, "detsim --events", USAGE, "--events wants a value");
    refused(&room, "tables --tables 5T", USAGE, "expected bytes such as");
    refused(&room, "tables --pmts 5", USAGE, "--pmts: expected 12 to 20000");
    refused(&room, "phygen --particle proton", USAGE, "nearest is 'positron'");
    refused(&room, "sim", USAGE, "'sim' is a step with --as gen-sim-digi-reco alone");
    refused(&room, "evtrec --as gen-sim-digi-reco", USAGE, "'evtrec' is a step with --as phygen-to-evtrec alone");
    refused(&room, "run --no-output", USAGE, "--no-output is of one step");
    refused(&room, "detsim --energy 5", USAGE, "unknown '--energy'");
    refused(&room, "phygen --energy 5 --spectrum reactor", USAGE, "one of the two");
}

#[test]
fn what_is_not_there_is_missing() {
    let room = Room::new("missing");
    refused(&room, "phygen", MISSING, "'chain tables' makes it");
    refused(&room, "tables --directory nowhere", MISSING, "no such directory");
    room.chain("tables --tables 0 --pmts 60");
    refused(&room, "detsim", MISSING, "phygen.chain: no such file or directory; 'phygen' makes it");
}

#[test]
fn truncated_input_is_refused_wherever_it_ends() {
    let room = ready("truncated");
    let path = room.file("detsim.chain");
    let whole = fs::read(&path).expect("bytes");
    for length in [0, 5, 63, 64, 70, 100, whole.len() / 2, whole.len() - 33, whole.len() - 32, whole.len() - 1] {
        fs::write(&path, &whole[..length]).expect("written");
        refused(&room, "elecsim", FAILED, "detsim.chain");
        assert!(!room.fails("elecsim").1.contains("BUG"), "{length}");
    }
}

#[test]
fn every_damaged_byte_is_found() {
    let room = ready("damaged");
    let path = room.file("detsim.chain");
    let whole = fs::read(&path).expect("bytes");
    let last = whole.len() - 1;
    for at in [0, 8, 12, 20, 30, 50, 60, 64, 68, 72, 90, 200, last - 30, last - 20, last - 10, last] {
        fs::write(&path, &whole).expect("written");
        change(&path, |bytes| bytes[at] ^= 0x10);
        refused(&room, "elecsim", FAILED, "cannot read ./detsim.chain: ");
    }
    fs::write(&path, &whole).expect("written");
    change(&path, |bytes| bytes.push(0));
    refused(&room, "elecsim", FAILED, "something follows its end");
    fs::write(&path, &whole).expect("written");
    room.chain("elecsim");
}

#[test]
fn missing_events_are_an_error_and_fewer_may_be_asked_for() {
    let room = ready("fewer");
    refused(&room, "elecsim --events 16", FAILED, "expected 16 events, there are 15");
    assert_eq!(room.chain("elecsim --events 4")["events"], 4);
    assert_eq!(room.chain("pmtrec")["events"], 4);
    let names = "--as gen-sim-digi-reco";
    room.chain(&format!("gen {names} --events 25"));
    fs::remove_file(room.file("gen/00000010.part")).expect("removed");
    refused(&room, &format!("sim {names}"), FAILED + 3, "(15 of 25 events are missing)");
    room.chain(&format!("gen {names} --events 25"));
    fs::copy(room.file("gen/00000000.part"), room.file("gen/00000010.part")).expect("copied");
    refused(&room, &format!("sim {names}"), FAILED, "does not continue");
}

#[test]
fn files_of_another_kind_or_detector_are_refused() {
    let room = ready("other");
    fs::copy(room.file("phygen.chain"), room.file("detsim.chain")).expect("copied");
    refused(&room, "elecsim", FAILED, "expected hits, got particles");
    refused(&room, "detsim --pmts 61", USAGE, "has other tables than asked for (60 PMTs, 400 samples, 500 photons");
    refused(&room, "run --tables 5M", USAGE, "has other tables than asked for");
    room.chain("tables --tables 0 --pmts 61");
    refused(&room, "detsim", FAILED, "made for another detector");
    fs::write(room.file("tables.chain"), "geometry").expect("written");
    refused(&room, "detsim", FAILED, "not a file of this chain");
}

#[test]
fn physics_that_cannot_be_right_is_a_failure() {
    let room = ready("physics");
    room.chain("elecsim");
    room.chain("pmtrec");
    room.chain("evtrec");
    // Sound files, whose charges are half as much again as they were.
    let mut reader = Reader::open(&room.path, "pmtrec", Kind::Pulses).expect("pulses");
    let header = reader.header;
    let mut events = Vec::new();
    while let Some((_, content)) = reader.event().expect("an event") {
        let mut event = Pulses::parse(&content).expect("pulses");
        event.pulses.iter_mut().for_each(|pulse| pulse.charge *= 1.5);
        events.push(event.bytes());
    }
    let mut writer = Writer::create(room.file("pmtrec.chain"), header, Pattern::Stream).expect("a file");
    events.iter().for_each(|event| writer.event(event).expect("written"));
    writer.end().expect("an end");
    refused(
        &room,
        "evtrec",
        FAILED,
        "cannot trust the physics: expected an error of energies from -0.1 to 0.1, got 0.",
    );
}

#[test]
fn tables_of_another_version_are_refused() {
    let room = ready("version");
    let mut reader = Reader::open(&room.path, "tables", Kind::Tables).expect("tables");
    let header = reader.header;
    let mut records = Vec::new();
    while let Some((_, content)) = reader.event().expect("a record") {
        records.push(content);
    }
    // The revision is the last number of the first record.
    records[0][16] += 1;
    let mut writer = Writer::create(room.file("tables.chain"), header, Pattern::Stream).expect("a file");
    records.iter().for_each(|record| writer.event(record).expect("written"));
    writer.end().expect("an end");
    refused(&room, "detsim", FAILED, "not tables of this version of the chain");
    refused(&room, "run", FAILED, "make them anew with 'chain tables'");
}
