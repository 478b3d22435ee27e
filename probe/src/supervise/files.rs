//! Files brought into the declared state just before the release, and what was read back.

use serde_json::{Value, json};

use crate::page_cache::{self, Act, Residency};
use crate::spec::{Cache, State};

use super::Doubt;
use super::reader::Read;

/// So much may differ from the declared state: a page at the end of a file, a page that somebody has mapped.
const TOLERANCE: f64 = 0.01;

/// What was done and found.
pub struct Prepared {
    state: State,
    drop_all: bool,
    found: Residency,
}

/// Evicts or loads, and says where the state was not reached.
pub fn prepare(cache: &Cache, doubts: &mut Vec<Doubt>) -> Result<Prepared, String> {
    if cache.drop_all {
        page_cache::drop_caches().map_err(|error| error.message)?;
    }
    let act = if cache.state == State::Warm { Act::Preload } else { Act::Evict };
    let found = page_cache::perform(act, &cache.paths).map_err(|error| error.message)?;
    let percent = found.share().map_or(0.0, |share| 100.0 * share);
    let reached = found.share().is_none_or(|share| match cache.state {
        State::Cold | State::ReadAhead => share <= TOLERANCE,
        State::Warm => share >= 1.0 - TOLERANCE,
    });
    if !reached {
        let name = if cache.state == State::Warm { "warm" } else { "cold" };
        let sentence =
            format!("The files were to be {name} at the start, and {percent:.1} % of them were in memory.");
        doubts.push(("cache-state", sentence));
    }
    Ok(Prepared { state: cache.state, drop_all: cache.drop_all, found })
}

impl Prepared {
    /// What was done, and what was read ahead meanwhile.
    pub fn json(&self, ahead: Option<&Read>) -> Value {
        let mut value = self.found.json();
        value["state"] = json!(self.state.name());
        value["drop_all"] = json!(self.drop_all);
        value["ahead"] = ahead.map_or(Value::Null, Read::json);
        value
    }
}
