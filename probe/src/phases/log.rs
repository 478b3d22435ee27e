//! A log that grows: its new lines, and what they tell.

use std::fs::File;
use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use regex_lite::Regex;

use crate::spec::{Mark, Phases};
use crate::sys::Changes;

use super::message::{Message, lines};

/// So much is read in one go: a job that logs faster than we read is still sampled and stopped.
const MOST_PIECES: usize = 16;

/// A file that is read from where the last reading ended.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: Option<File>,
    rest: Vec<u8>,
    rules: Rules,
    watched: bool,
}

#[derive(Clone, Debug)]
struct Rules {
    marks: Vec<Mark>,
    events: Option<Regex>,
}

impl Log {
    pub fn new(path: PathBuf, phases: &Phases) -> Self {
        let rules = Rules { marks: phases.marks.clone(), events: phases.events.clone() };
        Self { path, file: None, rest: Vec::new(), rules, watched: false }
    }

    /// Has its changes told from now on, once it is there.
    pub fn watch(&mut self, changes: &Changes) -> bool {
        self.watched = self.watched || changes.add(&self.path).is_ok();
        self.watched
    }

    /// Hands on what its new lines tell, a part at a time: true where there may be more.
    pub fn read(&mut self, mut each: impl FnMut(Message)) -> bool {
        if self.file.is_none() {
            self.file = open(&self.path);
        }
        let Some(file) = &mut self.file else { return false };
        if start_again(file) {
            self.rest.clear();
        }
        let mut piece = [0_u8; 1 << 14];
        for _ in 0..MOST_PIECES {
            let Ok(count @ 1..) = file.read(&mut piece) else { return false };
            self.rest.extend_from_slice(&piece[..count]);
            lines(&mut self.rest, |line| self.rules.apply(line, &mut each));
        }
        true
    }
}

/// Opens a file, and nothing that one could wait for.
fn open(path: &Path) -> Option<File> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path).ok()?;
    file.metadata().ok()?.is_file().then_some(file)
}

/// A log that became shorter begins anew.
fn start_again(file: &mut File) -> bool {
    let shorter = file.metadata().is_ok_and(|now| file.stream_position().is_ok_and(|at| now.len() < at));
    shorter && file.seek(SeekFrom::Start(0)).is_ok()
}

impl Rules {
    fn apply(&self, line: &str, each: &mut impl FnMut(Message)) {
        for mark in self.marks.iter().filter(|mark| mark.pattern.is_match(line)) {
            each(Message::Phase(mark.phase.clone()));
        }
        let Some(found) = self.events.as_ref().and_then(|events| events.captures(line)) else { return };
        match found.get(1) {
            None => each(Message::Events(None)),
            Some(count) => {
                if let Ok(count) = count.as_str().parse() {
                    each(Message::Events(Some(count)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::io::Write;

    #[test]
    fn new_lines_tell_phases_and_events() {
        let path = std::env::temp_dir().join(format!("assay-log-{}", std::process::id()));
        let spec =
            json!({"phases": {"marks": [{"phase": "event-loop", "pattern": "^Begin"}], "events": "done (\\d+)"}});
        let mut whole = json!({"protocol": crate::spec::PROTOCOL, "command": ["true"], "directory": "/tmp"});
        whole["phases"] = spec["phases"].clone();
        let spec = crate::spec::read(whole).expect("a spec");
        let mut log = Log::new(path.clone(), &spec.phases.expect("phases"));
        log.read(|_| panic!("nobody has made it yet"));
        let mut file = File::create(&path).expect("made");
        let mut seen = Vec::new();
        for text in ["Loading\nBegin lo", "op\ndone 3\n", "done 4\n"] {
            file.write_all(text.as_bytes()).expect("written");
            log.read(|message| seen.push(message));
        }
        std::fs::remove_file(&path).expect("removed");
        let events = |count| Message::Events(Some(count));
        assert_eq!(seen, [Message::Phase("event-loop".to_owned()), events(3), events(4)]);
    }
}
