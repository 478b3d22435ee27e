//! Values of a spec's fields; `None` for what is not as expected.

use serde_json::Value;

use crate::arrange;
use crate::fields::{text, texts};

/// Highest number of a processor or a memory node, plus one.
const NUMBERS: u32 = 1 << 16;
/// A century is more than any job takes, and keeps clock sums in range.
const LONGEST_S: f64 = 3.2e9;

pub fn command(value: &Value) -> Option<Vec<String>> {
    texts(value).filter(|words| !words[0].is_empty())
}

/// A list of texts, which may be empty.
pub fn names(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(text).collect()
}

pub fn absolute(value: &Value) -> Option<String> {
    text(value).filter(|path| path.starts_with('/'))
}

/// A list of absolute paths, which may be empty.
pub fn paths(value: &Value) -> Option<Vec<String>> {
    names(value).filter(|paths| paths.iter().all(|path| path.starts_with('/')))
}

pub fn file_name(value: &Value) -> Option<String> {
    text(value).filter(|name| !name.is_empty() && !name.contains('/') && name != "." && name != "..")
}

pub fn environment(value: &Value) -> Option<Vec<(String, String)>> {
    let good = |name: &String| !name.is_empty() && !name.contains(['=', '\0']);
    value.as_object()?.iter().map(|(name, value)| Some((Some(name.clone()).filter(good)?, text(value)?))).collect()
}

/// A list of processors or memory nodes, sorted, each once.
pub fn cpus(value: &Value) -> Option<Vec<u32>> {
    let number = |value: &Value| u32::try_from(value.as_u64()?).ok().filter(|cpu| *cpu < NUMBERS);
    let mut cpus: Vec<u32> = value.as_array()?.iter().map(number).collect::<Option<_>>()?;
    arrange::sort_distinct(&mut cpus);
    Some(cpus)
}

/// One such list a copy, none of them empty.
pub fn sets(value: &Value) -> Option<Vec<Vec<u32>>> {
    let set = |value: &Value| cpus(value).filter(|set| !set.is_empty());
    value.as_array()?.iter().map(set).collect()
}

pub fn share(value: &Value) -> Option<f64> {
    value.as_f64().filter(|share| *share > 0.0 && *share <= 1.0)
}

/// A share of which enough is left.
pub fn part(value: &Value) -> Option<f64> {
    share(value).filter(|share| *share <= 0.9)
}

pub fn interval(value: &Value) -> Option<f64> {
    value.as_f64().filter(|time| (0.01..=3600.0).contains(time))
}

pub fn above_zero(value: &Value) -> Option<f64> {
    value.as_f64().filter(|time| *time > 0.0 && *time <= LONGEST_S)
}

pub fn from_zero(value: &Value) -> Option<f64> {
    value.as_f64().filter(|time| (0.0..=LONGEST_S).contains(time))
}

pub fn count(value: &Value, highest: u32) -> Option<u32> {
    u32::try_from(value.as_u64()?).ok().filter(|count| (1..=highest).contains(count))
}
