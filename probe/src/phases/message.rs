//! What a job says of itself: `phase NAME` or `events N`, each a line, after `copy N` where others could be meant.
//!
//! `phase NAME NS` has the time of it, by the clock of both (CLOCK_MONOTONIC): we may read it later.

use std::fs::File;
use std::io::{self, Read};

use crate::spec::is_name;

/// What was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    Phase(String),
    /// How many events there were so far; `None` is "one more".
    Events(Option<u64>),
}

/// A message and the copy that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub copy: usize,
    pub message: Message,
    /// When it was so by the job's own clock, where it says so.
    pub mono_ns: Option<i64>,
}

/// A line longer than this is no message.
const MOST_BYTES: usize = 4096;
/// So much is read of a pipe in one go.
const MOST_PIECES: usize = 16;

/// Reads one line; anything else is left out.
pub fn parse(line: &str, copy: usize) -> Option<Told> {
    let mut words = line.split_ascii_whitespace();
    let (mut word, mut copy) = (words.next()?, copy);
    if word == "copy" {
        copy = words.next()?.parse().ok()?;
        word = words.next()?;
    }
    let mut mono_ns = None;
    let message = match (word, words.next()) {
        ("phase", Some(name)) if is_name(name) => {
            mono_ns = words.next().map(str::parse).transpose().ok()?;
            Message::Phase(name.to_owned())
        }
        ("events", Some(count)) => Message::Events(Some(count.parse().ok()?)),
        ("event", None) => Message::Events(None),
        _ => return None,
    };
    words.next().is_none().then_some(Told { copy, message, mono_ns })
}

/// Reads what a pipe holds; false once nobody can write to it any more.
pub fn drain(file: &mut File, rest: &mut Vec<u8>, copy: usize, told: &mut Vec<Told>) -> bool {
    let mut piece = [0_u8; 4096];
    // What is more stays in the pipe until the next look.
    let mut open = true;
    for _ in 0..MOST_PIECES {
        match file.read(&mut piece) {
            Ok(0) => {
                open = false;
                break;
            }
            Ok(count) => rest.extend_from_slice(&piece[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                open = error.kind() == io::ErrorKind::WouldBlock;
                break;
            }
        }
    }
    lines(rest, |line| told.extend(parse(line, copy)));
    open
}

/// Takes the whole lines out; of a line without end only so much is kept.
pub fn lines(rest: &mut Vec<u8>, mut each: impl FnMut(&str)) {
    let end = rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    for line in rest[..end].split(|byte| *byte == b'\n') {
        if !line.is_empty() {
            each(&String::from_utf8_lossy(line));
        }
    }
    rest.drain(..end);
    if rest.len() > MOST_BYTES {
        rest.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_and_events_are_told_of_the_own_or_a_named_copy() {
        let phase = |copy, name: &str| Some(Told { copy, message: Message::Phase(name.to_owned()), mono_ns: None });
        let events = |count| Some(Told { copy: 0, message: Message::Events(count), mono_ns: None });
        assert_eq!(parse("phase event-loop\n", 2), phase(2, "event-loop"));
        assert_eq!(parse("copy 1 phase end", 0), phase(1, "end"));
        assert_eq!(parse("events 17", 0), events(Some(17)));
        assert_eq!(parse("event", 0), events(None));
        assert_eq!(parse("phase end 5", 0), phase(0, "end").map(|told| Told { mono_ns: Some(5), ..told }));
    }

    #[test]
    fn anything_else_is_left_out() {
        for line in [
            "",
            "phase",
            "phase a,b",
            "phase a b",
            "phase a 1 2",
            "events",
            "events 1 2",
            "events -1",
            "copy",
            "copy x phase a",
            "hello",
        ] {
            assert_eq!(parse(line, 0), None, "{line}");
        }
    }

    #[test]
    fn a_half_line_waits_for_its_end() {
        let (mut rest, mut seen) = (b"one\ntw".to_vec(), Vec::new());
        lines(&mut rest, |line| seen.push(line.to_owned()));
        rest.extend_from_slice(b"o\n");
        lines(&mut rest, |line| seen.push(line.to_owned()));
        assert_eq!(seen, ["one", "two"]);
    }
}
