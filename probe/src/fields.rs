//! Takes a JSON object apart and says in words what is wrong with it.

use serde_json::{Map, Value};

use crate::error::{Error, Result};
use assay_nearest::nearest;

/// One object of a spec, and its name for messages (empty for the outermost).
pub struct Fields<'a> {
    map: &'a Map<String, Value>,
    place: &'a str,
}

impl<'a> Fields<'a> {
    /// Checks that the value is an object with known fields only.
    pub fn of(value: &'a Value, place: &'a str, known: &[&str]) -> Result<Self> {
        let map = value.as_object().ok_or_else(|| wrong(place, "an object", value))?;
        let fields = Self { map, place };
        match map.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(fields),
            Some(key) => Err(fields.unknown(key, known)),
        }
    }

    fn unknown(&self, key: &str, known: &[&str]) -> Error {
        let name = self.name(key);
        let near = nearest(key, known).unwrap_or("nothing");
        let known = known.join(", ");
        Error::usage(format!("cannot read the spec: unknown field '{name}', nearest is '{near}' (known: {known})"))
    }

    fn name(&self, key: &str) -> String {
        if self.place.is_empty() { key.to_owned() } else { format!("{}.{key}", self.place) }
    }

    /// The value of a field; `None` where it is absent or null.
    pub fn value(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    /// The value of a field that must be there.
    pub fn needed(&self, key: &str) -> Result<&'a Value> {
        let name = self.name(key);
        self.value(key).ok_or_else(|| Error::usage(format!("cannot read the spec: field '{name}' is missing")))
    }

    /// Reads a field with `read`, which returns `None` for what it does not expect.
    pub fn read<T>(&self, key: &str, expected: &str, read: impl Fn(&'a Value) -> Option<T>) -> Result<Option<T>> {
        let Some(value) = self.value(key) else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| wrong(&self.name(key), expected, value))
    }

    /// As `read`, for a field that must be there.
    pub fn read_needed<T>(&self, key: &str, expected: &str, read: impl Fn(&'a Value) -> Option<T>) -> Result<T> {
        let value = self.needed(key)?;
        read(value).ok_or_else(|| wrong(&self.name(key), expected, value))
    }
}

/// A field holds something else than expected.
fn wrong(name: &str, expected: &str, value: &Value) -> Error {
    let name = if name.is_empty() { "the whole" } else { name };
    Error::usage(format!("cannot read the spec: '{name}': expected {expected}, got {value}"))
}

/// A text without a zero byte (the kernel ends strings there).
pub fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.contains('\0')).map(str::to_owned)
}

/// A list of texts, at least one.
pub fn texts(value: &Value) -> Option<Vec<String>> {
    let list: Option<Vec<String>> = value.as_array()?.iter().map(text).collect();
    list.filter(|list| !list.is_empty())
}
