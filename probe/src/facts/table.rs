//! Facts that are one file each: a name, how to read it, and where it lies.

use serde_json::{Map, Value, json};

use crate::arrange;
use crate::parse::{cpu_list, setting};
use crate::read::Root;

pub type Facts = Map<String, Value>;

/// How the text of a file becomes a value; what does not read as expected is null.
#[derive(Clone, Copy)]
pub enum As {
    /// The text without the blanks around it.
    Text,
    Number,
    /// A number in a larger unit than ours.
    Times(i64),
    /// `Y` or `1`, `N` or `0`.
    Switch,
    /// The word in brackets.
    Chosen,
    /// Words, sorted.
    Words,
    /// A list of processors.
    Cpus,
}

/// Name, how, and the file below the table's folder.
pub type Row = (&'static str, As, &'static str);

/// Reads all rows; an absent file is null.
pub fn read(root: &Root, folder: &str, rows: &[Row]) -> Facts {
    let cell = |(name, how, file): &Row| ((*name).to_owned(), value(root, &format!("{folder}/{file}"), *how));
    gather(&mut rows.iter().map(cell))
}

/// Facts by name. `collect` would sort them first, with a sort of its own for each caller.
pub fn gather(pairs: &mut dyn Iterator<Item = (String, Value)>) -> Facts {
    let mut facts = Facts::new();
    for (name, fact) in pairs {
        facts.insert(name, fact);
    }
    facts
}

/// One file as a value.
pub fn value(root: &Root, path: &str, how: As) -> Value {
    // A list of processors may be empty, nothing else.
    let text = if matches!(how, As::Cpus) { root.text(path) } else { root.word(path) };
    text.and_then(|text| convert(text.trim(), how)).unwrap_or(Value::Null)
}

fn convert(text: &str, how: As) -> Option<Value> {
    Some(match how {
        As::Text => json!(text),
        As::Number => json!(text.parse::<i64>().ok()?),
        As::Times(unit) => json!(text.parse::<i64>().ok()?.checked_mul(unit)?),
        As::Switch => json!(switch(text)?),
        As::Chosen => json!(setting::chosen(text)?),
        As::Words => json!(words(text)),
        As::Cpus => json!(cpu_list::parse(text)?),
    })
}

fn switch(text: &str) -> Option<bool> {
    match text {
        "Y" | "1" => Some(true),
        "N" | "0" => Some(false),
        _ => None,
    }
}

/// Words of a text, sorted, each once: the order of flags means nothing.
pub fn words(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    arrange::sort_distinct(&mut words);
    words
}

/// A fact that holds others, null where none of them is known.
pub fn unless_empty(facts: Facts) -> Value {
    if facts.values().all(Value::is_null) { Value::Null } else { Value::Object(facts) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_reads_its_own_and_nothing_else() {
        assert_eq!(convert("2500000", As::Times(1000)), Some(json!(2_500_000_000_i64)));
        assert_eq!(convert("-1", As::Number), Some(json!(-1)));
        assert_eq!(convert("Y", As::Switch), Some(json!(true)));
        assert_eq!(convert("maybe", As::Switch), None);
        assert_eq!(convert("none [mq-deadline] bfq", As::Chosen), Some(json!("mq-deadline")));
        assert_eq!(convert("tsc acpi_pm tsc", As::Words), Some(json!(["acpi_pm", "tsc"])));
        assert_eq!(convert("", As::Cpus), Some(json!([])));
        assert_eq!(convert("9223372036854775807", As::Times(1024)), None);
    }

    #[test]
    fn absent_files_are_null_and_a_table_of_them_too() {
        let root = Root::new("/nowhere");
        let facts = read(&root, "/sys", &[("one", As::Text, "one"), ("cpus", As::Cpus, "cpus")]);
        assert_eq!(facts["cpus"], Value::Null);
        assert_eq!(unless_empty(facts), Value::Null);
    }
}
