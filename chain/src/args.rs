//! The command line: options with one value each, switches, one word.

use std::str::FromStr;

use crate::error::{Error, Result};
use assay_nearest::nearest;

/// Arguments that are not taken yet.
pub struct Args {
    words: Vec<String>,
    known: Vec<&'static str>,
}

impl Args {
    pub fn new(words: Vec<String>) -> Self {
        Self { words, known: Vec::new() }
    }

    /// Takes the first word, which is no option.
    pub fn word(&mut self, what: &str) -> Result<String> {
        match self.words.first() {
            None => Err(Error::usage(format!("{what} is missing (see --help)"))),
            Some(word) if word.starts_with('-') => Err(Error::usage(format!("{what} comes first, got '{word}'"))),
            Some(_) => Ok(self.words.remove(0)),
        }
    }

    /// Takes `--name VALUE` or `--name=VALUE`.
    pub fn option(&mut self, name: &'static str) -> Result<Option<String>> {
        self.known.push(name);
        let joined = format!("{name}=");
        let Some(at) = self.words.iter().position(|word| word == name || word.starts_with(&joined)) else {
            return Ok(None);
        };
        let word = self.words.remove(at);
        if let Some(value) = word.strip_prefix(&joined) {
            return Ok(Some(value.to_owned()));
        }
        if at == self.words.len() {
            return Err(Error::usage(format!("{name} wants a value")));
        }
        Ok(Some(self.words.remove(at)))
    }

    /// Whether an option is there.
    pub fn has(&self, name: &str) -> bool {
        self.words.iter().any(|word| word.split('=').next() == Some(name))
    }

    /// Takes `--name`, which has no value: whether it is there.
    pub fn switch(&mut self, name: &'static str) -> bool {
        self.known.push(name);
        let at = self.words.iter().position(|word| word == name);
        at.map(|at| self.words.remove(at)).is_some()
    }

    /// Takes a number that a check accepts.
    pub fn number<T: FromStr>(
        &mut self,
        name: &'static str,
        expected: &str,
        good: impl Fn(&T) -> bool,
    ) -> Result<Option<T>> {
        let Some(text) = self.option(name)? else {
            return Ok(None);
        };
        let wrong = || Error::usage(format!("{name}: expected {expected}, got '{text}'"));
        text.parse().ok().filter(good).map(Some).ok_or_else(wrong)
    }

    /// Takes a number of bytes: digits, or with a suffix `K`, `M`, `G` (binary, also `MiB`).
    pub fn size(&mut self, name: &'static str) -> Result<Option<u64>> {
        let Some(text) = self.option(name)? else {
            return Ok(None);
        };
        let wrong = || Error::usage(format!("{name}: expected bytes such as 4194304, 64M or 1G, got '{text}'"));
        parse_size(&text).map(Some).ok_or_else(wrong)
    }

    /// Takes one of some words; the first is the default.
    pub fn choice(&mut self, name: &'static str, known: &[&'static str]) -> Result<&'static str> {
        let Some(text) = self.option(name)? else {
            return Ok(known[0]);
        };
        let near = nearest(&text, known).unwrap_or_default();
        let wrong = || Error::usage(format!("{name}: unknown '{text}', nearest is '{near}' of {}", known.join(", ")));
        known.iter().find(|word| **word == text).copied().ok_or_else(wrong)
    }

    /// Checks that nothing is left.
    pub fn end(self) -> Result<()> {
        let Some(word) = self.words.first() else {
            return Ok(());
        };
        let near = nearest(word, &self.known).filter(|_| word.starts_with('-'));
        let hint = near.map_or(String::new(), |near| format!(", nearest is '{near}'"));
        Err(Error::usage(format!("unknown '{word}'{hint}")))
    }
}

fn parse_size(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let shift = match text[digits..].trim_start() {
        "" | "B" => 0,
        "K" | "KiB" => 10,
        "M" | "MiB" => 20,
        "G" | "GiB" => 30,
        _ => return None,
    };
    text[..digits].parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Args {
        Args::new(line.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn sizes_have_binary_suffixes() {
        let sizes = ["123", "4K", "64M", "64 MiB", "1GiB"].map(parse_size);
        assert_eq!(sizes, [Some(123), Some(4096), Some(64 << 20), Some(64 << 20), Some(1 << 30)]);
        assert_eq!(["", "M", "1T", "-1", "99999999999G"].map(parse_size), [None; 5]);
    }

    #[test]
    fn what_is_not_known_names_the_nearest() {
        let mut given = args("--evnts 3");
        assert!(given.option("--events").expect("not there").is_none());
        assert!(
            given.end().is_err_and(|error| { error.message.ends_with("unknown '--evnts', nearest is '--events'") })
        );
    }

    #[test]
    fn options_are_taken_with_a_blank_or_an_equals_sign() {
        let mut given = args("detsim --events=3 --seed 4 --no-output");
        assert_eq!(given.word("a step").expect("a word"), "detsim");
        assert_eq!(given.number::<u64>("--events", "a number", |_| true).expect("a number"), Some(3));
        assert_eq!(given.number::<u64>("--seed", "a number", |_| true).expect("a number"), Some(4));
        assert!(given.switch("--no-output") && given.end().is_ok());
    }
}
