//! The command line: flags with one value each, words, nothing clever.

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

    /// Takes `--name VALUE` or `--name=VALUE`.
    pub fn flag(&mut self, name: &'static str) -> Result<Option<String>> {
        self.known.push(name);
        let joined = format!("{name}=");
        let mut own = self.words.iter().take_while(|word| *word != "--");
        let Some(at) = own.position(|word| word == name || word.starts_with(&joined)) else {
            return Ok(None);
        };
        let word = self.words.remove(at);
        if let Some(value) = word.strip_prefix(&joined) {
            return Ok(Some(value.to_owned()));
        }
        if at == self.words.len() {
            return Err(Error::usage(format!("cannot read the arguments: {name} wants a value")));
        }
        Ok(Some(self.words.remove(at)))
    }

    /// Takes `--name`, which has no value: whether it is there.
    pub fn switch(&mut self, name: &'static str) -> bool {
        self.known.push(name);
        let at = self.words.iter().position(|word| word == name);
        at.map(|at| self.words.remove(at)).is_some()
    }

    /// Takes a number that a check accepts.
    pub fn number<T: std::str::FromStr>(
        &mut self,
        name: &'static str,
        default: T,
        expected: &str,
        good: impl Fn(&T) -> bool,
    ) -> Result<T> {
        let Some(text) = self.flag(name)? else { return Ok(default) };
        let wrong = || Error::usage(format!("cannot read the arguments: {name}: expected {expected}, got '{text}'"));
        text.parse().ok().filter(good).ok_or_else(wrong)
    }

    /// Takes `--seconds`: how long something is repeated.
    pub fn seconds(&mut self, default: f64) -> Result<f64> {
        self.number("--seconds", default, "0.01 to 86400", |n| (0.01..=86400.0).contains(n))
    }

    /// Takes one of some words; the first is the default.
    pub fn choice(&mut self, name: &'static str, known: &[&'static str]) -> Result<&'static str> {
        let Some(text) = self.flag(name)? else { return Ok(known[0]) };
        let wrong = || {
            let known = known.join(" or ");
            Error::usage(format!("cannot read the arguments: {name}: expected {known}, got '{text}'"))
        };
        known.iter().find(|word| **word == text).copied().ok_or_else(wrong)
    }

    /// Takes the next word.
    pub fn word(&mut self, what: &str) -> Result<String> {
        if self.words.is_empty() {
            return Err(Error::usage(format!("cannot read the arguments: {what} is missing")));
        }
        let word = self.words.remove(0);
        if word.starts_with("--") { Err(self.unknown(&word)) } else { Ok(word) }
    }

    /// Checks that nothing is left.
    pub fn end(self) -> Result<()> {
        self.words.first().map_or(Ok(()), |word| Err(self.unknown(word)))
    }

    /// Everything that is left, after `--` if it is there.
    pub fn rest(mut self) -> Vec<String> {
        if self.words.first().is_some_and(|word| word == "--") {
            self.words.remove(0);
        }
        self.words
    }

    fn unknown(&self, word: &str) -> Error {
        let near = nearest(word, &self.known).filter(|_| word.starts_with('-'));
        let hint = near.map_or(String::new(), |near| format!(", nearest is '{near}'"));
        Error::usage(format!("cannot read the arguments: unknown '{word}'{hint}"))
    }
}
