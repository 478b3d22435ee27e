//! What a profile samples.

use serde_json::Value;

use crate::error::Result;
use crate::fields::{Fields, text};

pub const FIELDS: [&str; 2] = ["hz", "scope"];

/// The kernel's own default limit is 100,000 a second; far less is of use.
const MOST_HZ: u64 = 10_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Job,
    Machine,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    pub hz: u64,
    pub scope: Scope,
}

pub fn read(value: &Value) -> Result<Profile> {
    let fields = Fields::of(value, "profile", &FIELDS)?;
    let hz = |value: &Value| value.as_u64().filter(|hz| (1..=MOST_HZ).contains(hz));
    Ok(Profile {
        hz: fields.read("hz", "1 to 10000", hz)?.unwrap_or(99),
        scope: fields.read("scope", "'job' or 'machine'", scope)?.unwrap_or(Scope::Job),
    })
}

fn scope(value: &Value) -> Option<Scope> {
    match text(value)?.as_str() {
        "job" => Some(Scope::Job),
        "machine" => Some(Scope::Machine),
        _ => None,
    }
}
