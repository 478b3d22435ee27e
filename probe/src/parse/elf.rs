//! Which interpreter a program names: an ELF file's loader, or the first line of a script.
//!
//! Source: elf(5), execve(2). Limits: little-endian files only.

/// What the first bytes of a program say.
#[derive(Debug, PartialEq, Eq)]
pub enum Head {
    Elf(Table),
    /// Words after `#!`: the interpreter and at most one argument.
    Script(Vec<String>),
    Other,
}

/// Where an ELF file's program headers lie.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub struct Table {
    wide: bool,
    pub offset: u64,
    entry: usize,
    count: usize,
}

impl Table {
    /// Bytes that the table takes.
    pub fn size(&self) -> usize {
        self.entry * self.count
    }

    /// Offset and length of the loader's path (PT_INTERP); `None` for a static program.
    pub fn interpreter(&self, table: &[u8]) -> Option<(u64, u64)> {
        const PT_INTERP: u64 = 3;
        table.chunks_exact(self.entry.max(1)).find_map(|entry| {
            let (at, length) = if self.wide { ((8, 8), (32, 8)) } else { ((4, 4), (16, 4)) };
            let found = number(entry, 0, 4)? == PT_INTERP;
            found.then(|| Some((number(entry, at.0, at.1)?, number(entry, length.0, length.1)?)))?
        })
    }
}

/// Reads the first bytes (a few hundred are enough).
pub fn head(bytes: &[u8]) -> Head {
    if bytes.starts_with(b"\x7fELF\x01\x01") || bytes.starts_with(b"\x7fELF\x02\x01") {
        return table(bytes).map_or(Head::Other, Head::Elf);
    }
    bytes.strip_prefix(b"#!").map_or(Head::Other, |rest| script(rest).unwrap_or(Head::Other))
}

fn table(bytes: &[u8]) -> Option<Table> {
    let wide = bytes[4] == 2;
    let (offset, entry, count) = if wide { ((32, 8), 54, 56) } else { ((28, 4), 42, 44) };
    Some(Table {
        wide,
        offset: number(bytes, offset.0, offset.1)?,
        entry: usize::try_from(number(bytes, entry, 2)?).ok()?,
        count: usize::try_from(number(bytes, count, 2)?).ok()?,
    })
}

fn script(rest: &[u8]) -> Option<Head> {
    let line = rest.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    let line = line.trim();
    let (program, argument) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let words = [program, argument.trim()].into_iter().filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_owned).collect();
    (!words.is_empty()).then_some(Head::Script(words))
}

fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let span = bytes.get(at..at + length)?;
    Some(span.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_real_program_names_its_loader() {
        let bytes = std::fs::read(std::env::current_exe().expect("a path")).expect("the test itself");
        let Head::Elf(table) = head(&bytes) else { panic!("an ELF file") };
        let start = usize::try_from(table.offset).expect("an offset");
        let (at, length) = table.interpreter(&bytes[start..start + table.size()]).expect("a loader");
        let (at, length) = (at as usize, length as usize);
        assert!(bytes[at..at + length].starts_with(b"/lib"));
    }

    #[test]
    fn a_script_names_its_interpreter_and_one_argument() {
        let words = |text: &[u8]| match head(text) {
            Head::Script(words) => words,
            other => panic!("{other:?}"),
        };
        assert_eq!(words(b"#!/bin/sh\necho\n"), ["/bin/sh"]);
        assert_eq!(words(b"#! /usr/bin/env python3\n"), ["/usr/bin/env", "python3"]);
        assert_eq!(words(b"#!/usr/bin/awk -f -x\n"), ["/usr/bin/awk", "-f -x"]);
    }

    #[test]
    fn cut_and_foreign_files_are_neither() {
        assert_eq!(head(b"\x7fELF\x02\x01"), Head::Other);
        assert_eq!(head(b"#!\n"), Head::Other);
        assert_eq!(head(b"hello"), Head::Other);
        assert_eq!(head(b""), Head::Other);
    }
}
