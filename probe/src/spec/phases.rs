//! How the phases of a job are told.

use regex_lite::Regex;
use serde_json::Value;

use crate::error::{Error, Result};
use crate::fields::{Fields, text};

pub const FIELDS: [&str; 4] = ["marks", "events", "log", "announce"];
const MARK: [&str; 2] = ["phase", "pattern"];

/// A line of the log that begins a phase.
#[derive(Clone, Debug)]
pub struct Mark {
    pub phase: String,
    pub pattern: Regex,
}

/// Where phases come from: lines of a log, or the job itself.
#[derive(Clone, Debug)]
pub struct Phases {
    pub marks: Vec<Mark>,
    /// A line that tells of an event; its first group, where it has one, is the number of events so far.
    pub events: Option<Regex>,
    /// File that is read, relative to the copy's directory; `None` is its standard output.
    pub log: Option<String>,
    /// The job tells phases itself, by `ASSAY_PHASE_FD` or `ASSAY_PHASE_SOCKET`.
    pub announce: bool,
}

pub fn read(value: &Value) -> Result<Phases> {
    let fields = Fields::of(value, "phases", &FIELDS)?;
    let empty = Vec::new();
    let marks = fields.read("marks", "a list of marks", Value::as_array)?.unwrap_or(&empty);
    let pattern = |value| text(value).and_then(|text| Regex::new(&text).ok());
    Ok(Phases {
        marks: marks.iter().map(mark).collect::<Result<_>>()?,
        events: fields.read("events", "a regular expression", pattern)?,
        log: fields.read("log", "a path", |value| text(value).filter(|path| !path.is_empty()))?,
        announce: fields.read("announce", "true or false", Value::as_bool)?.unwrap_or(false),
    })
}

fn mark(value: &Value) -> Result<Mark> {
    let fields = Fields::of(value, "phases.marks", &MARK)?;
    let given = fields.read_needed("pattern", "a regular expression", text)?;
    let wrong = |error| {
        Error::usage(format!(
            "cannot read the spec: 'phases.marks.pattern': '{given}' is no regular expression: {error}"
        ))
    };
    Ok(Mark {
        phase: fields.read_needed("phase", "a name of letters, digits, - and _", name)?,
        pattern: Regex::new(&given).map_err(wrong)?,
    })
}

fn name(value: &Value) -> Option<String> {
    text(value).filter(|name| is_name(name))
}

/// What can stand in a table, a file and a chart.
pub fn is_name(name: &str) -> bool {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !name.is_empty() && name.len() <= 64 && name.chars().all(good)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn marks_and_events_are_regular_expressions() {
        let value = json!({"marks": [{"phase": "event-loop", "pattern": "^Begin"}], "events": "event (\\d+)"});
        let phases = read(&value).expect("good");
        assert!(phases.marks[0].pattern.is_match("Begin of the run"));
        assert_eq!(&phases.events.expect("there").captures("event 17").expect("matches")[1], "17");
        assert_eq!((phases.log, phases.announce), (None, false));
    }

    #[test]
    fn a_wrong_pattern_is_quoted_with_the_reason() {
        let error = read(&json!({"marks": [{"phase": "a", "pattern": "("}]})).expect_err("wrong").message;
        assert!(error.contains("'(' is no regular expression"), "{error}");
        assert!(read(&json!({"marks": [{"phase": "a b", "pattern": "x"}]})).is_err());
    }
}
