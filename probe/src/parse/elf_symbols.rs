//! Functions of an ELF file and where they lie in memory.
//!
//! Source: elf(5). Limits: 64 bits, little-endian. Where a file was stripped, only what it exports is known.

use crate::arrange;

/// A function's first address and its bytes (0 where the file does not say).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    start: u64,
    bytes: u64,
    name: u32,
}

/// A loaded part: file offset, length in the file, address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Segment {
    offset: u64,
    bytes: u64,
    address: u64,
}

/// Functions by address.
#[derive(Debug, Default)]
pub struct Functions {
    segments: Vec<Segment>,
    spans: Vec<Span>,
    names: Vec<u8>,
}

impl Functions {
    /// The function that holds a byte of the file.
    pub fn at(&self, offset: u64) -> Option<String> {
        let holds = |part: &&Segment| offset.checked_sub(part.offset).is_some_and(|into| into < part.bytes);
        let part = self.segments.iter().find(holds)?;
        self.of((offset - part.offset).wrapping_add(part.address))
    }

    /// The function that holds an address as the file counts them.
    fn of(&self, address: u64) -> Option<String> {
        let after = self.spans.partition_point(|span| span.start <= address);
        let span = self.spans.get(after.checked_sub(1)?)?;
        let inside = span.bytes == 0 || address - span.start < span.bytes;
        inside.then(|| text(&self.names, span.name)).flatten()
    }
}

/// What is needed of a file: `read` gives the bytes at an offset, as many as there are.
pub fn parse(read: impl Fn(u64, usize) -> Vec<u8>) -> Option<Functions> {
    let head = read(0, 64);
    if !head.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let programs = table(&read, &head, 32, 54, 56)?;
    let segments = programs.chunks_exact(56).filter_map(segment).collect();
    let sections = table(&read, &head, 40, 58, 60).unwrap_or_default();
    let sections: Vec<&[u8]> = sections.chunks_exact(64).collect();
    let (mut spans, names) = symbols(&read, &sections).unwrap_or_default();
    // Of several names of one address the first that is long enough is taken, always the same one.
    arrange::sort_by_key(&mut spans, |span| (span.start, span.bytes, std::cmp::Reverse(span.name)));
    Some(Functions { segments, spans, names })
}

/// The largest table of headers that is believed.
const MOST_BYTES: usize = 1 << 20;

fn table(read: impl Fn(u64, usize) -> Vec<u8>, head: &[u8], at: usize, size: usize, count: usize) -> Option<Vec<u8>> {
    let bytes = usize::try_from(number(head, size, 2)? * number(head, count, 2)?).ok()?;
    Some(read(number(head, at, 8)?, bytes.min(MOST_BYTES)))
}

fn segment(entry: &[u8]) -> Option<Segment> {
    const PT_LOAD: u64 = 1;
    let part = Segment { offset: number(entry, 8, 8)?, bytes: number(entry, 32, 8)?, address: number(entry, 16, 8)? };
    (number(entry, 0, 4)? == PT_LOAD).then_some(part)
}

/// The largest programs have some tens of MB of names; a file may claim anything.
const MOST_SECTION_BYTES: usize = 256 << 20;

/// Symbols and their names: of all there are, else of those that the dynamic linker needs.
fn symbols(read: &impl Fn(u64, usize) -> Vec<u8>, sections: &[&[u8]]) -> Option<(Vec<Span>, Vec<u8>)> {
    const SYMTAB: u64 = 2;
    const DYNSYM: u64 = 11;
    let of_kind = |kind| sections.iter().find(|section| number(section, 4, 4) == Some(kind));
    let section = of_kind(SYMTAB).or_else(|| of_kind(DYNSYM))?;
    let names = sections.get(usize::try_from(number(section, 40, 4)?).ok()?)?;
    let content = |section: &[u8]| {
        let bytes = usize::try_from(number(section, 32, 8)?).ok().filter(|bytes| *bytes <= MOST_SECTION_BYTES)?;
        Some(read(number(section, 24, 8)?, bytes))
    };
    let spans = content(section)?.chunks_exact(24).filter_map(function).collect();
    Some((spans, content(names)?))
}

fn function(entry: &[u8]) -> Option<Span> {
    const FUNCTION: u8 = 2;
    const INDIRECT: u8 = 10;
    let kind = entry.get(4)? & 0xf;
    let defined = number(entry, 6, 2)? != 0;
    let span = Span { name: number(entry, 0, 4)? as u32, start: number(entry, 8, 8)?, bytes: number(entry, 16, 8)? };
    (defined && (kind == FUNCTION || kind == INDIRECT)).then_some(span)
}

fn text(names: &[u8], at: u32) -> Option<String> {
    let name = names.get(at as usize..)?.split(|byte| *byte == 0).next()?;
    (!name.is_empty()).then(|| String::from_utf8_lossy(name).into_owned())
}

fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let span = bytes.get(at..at + length)?;
    Some(span.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> Option<Functions> {
        parse(|at, length| {
            let start = usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
            bytes[start..start.saturating_add(length).min(bytes.len())].to_vec()
        })
    }

    #[test]
    fn functions_of_this_very_test_are_found() {
        let bytes = std::fs::read(std::env::current_exe().expect("a path")).expect("the test itself");
        let functions = of(&bytes).expect("an ELF file");
        let span = functions.spans.iter().find(|span| {
            text(&functions.names, span.name).is_some_and(|name| name.contains("elf_symbols") && span.bytes > 8)
        });
        let span = *span.expect("a function of this file");
        let part =
            functions.segments.iter().find(|part| (part.address..part.address + part.bytes).contains(&span.start));
        let part = part.expect("its segment");
        let offset = span.start - part.address + part.offset;
        assert_eq!(functions.at(offset + 4), text(&functions.names, span.name));
    }

    #[test]
    fn gaps_between_functions_belong_to_nobody() {
        let spans = vec![Span { start: 0x1000, bytes: 0x10, name: 1 }, Span { start: 0x2000, bytes: 0, name: 3 }];
        let segments = vec![Segment { offset: 0x400, bytes: 0x4000, address: 0x1000 }];
        let functions = Functions { segments, spans, names: b"\0a\0b\0".to_vec() };
        assert_eq!(functions.at(0x408).as_deref(), Some("a"));
        assert_eq!(functions.at(0x410), None);
        assert_eq!(functions.at(0x1500).as_deref(), Some("b"));
        assert_eq!(functions.at(0x100), None);
    }

    #[test]
    fn cut_and_foreign_files_have_no_functions() {
        let bytes = std::fs::read("/proc/self/exe").expect("the test itself");
        assert!(of(b"#!/bin/sh\n").is_none());
        for end in (0..400).chain([bytes.len() / 2, bytes.len() - 1]) {
            if let Some(functions) = of(&bytes[..end]) {
                let _ = functions.at(4096);
            }
        }
    }

    #[test]
    fn only_functions_that_are_defined_are_taken() {
        let entry = |kind: u8, section: u16| {
            let mut bytes = vec![7, 0, 0, 0, 0x10 | kind, 0];
            bytes.extend(section.to_le_bytes());
            bytes.extend([0x1000_u64, 0x20].map(u64::to_le_bytes).concat());
            bytes
        };
        let span = Span { start: 0x1000, bytes: 0x20, name: 7 };
        let found = [(2, 1), (10, 1), (1, 1), (2, 0), (10, 0)].map(|(kind, section)| function(&entry(kind, section)));
        assert_eq!(found, [Some(span), Some(span), None, None, None]);
    }

    #[test]
    fn the_byte_behind_a_part_belongs_to_nobody() {
        let spans = vec![Span { start: 0x1000, bytes: 0, name: 1 }];
        let segments = vec![Segment { offset: 0x400, bytes: 0x10, address: 0x1000 }];
        let functions = Functions { segments, spans, names: b"\0a\0".to_vec() };
        assert_eq!((functions.at(0x40f).as_deref(), functions.at(0x410)), (Some("a"), None));
    }
}
