//! In which state files are when a job starts.

use serde_json::Value;

use super::values;
use crate::error::Result;
use crate::fields::{Fields, text};

pub const FIELDS: [&str; 3] = ["state", "paths", "drop_all"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Cold,
    Warm,
    /// Cold at the start, and read by a process beside the job from then on.
    ReadAhead,
}

impl State {
    pub fn name(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Warm => "warm",
            Self::ReadAhead => "read-ahead",
        }
    }
}

/// Files to evict or to load before the start, read back.
#[derive(Clone, Debug, PartialEq)]
pub struct Cache {
    pub state: State,
    /// Files and folders, absolute.
    pub paths: Vec<String>,
    /// Drop the caches of the whole machine first.
    pub drop_all: bool,
}

pub fn read(value: &Value) -> Result<Cache> {
    let fields = Fields::of(value, "cache", &FIELDS)?;
    Ok(Cache {
        state: fields.read_needed("state", "'cold', 'warm' or 'read-ahead'", state)?,
        paths: fields.read("paths", "a list of absolute paths", values::paths)?.unwrap_or_default(),
        drop_all: fields.read("drop_all", "true or false", Value::as_bool)?.unwrap_or(false),
    })
}

fn state(value: &Value) -> Option<State> {
    match text(value)?.as_str() {
        "cold" => Some(State::Cold),
        "warm" => Some(State::Warm),
        "read-ahead" => Some(State::ReadAhead),
        _ => None,
    }
}
