//! From a raw profile to folded stacks: one line a stack, `name;outermost;…;innermost count`.
//!
//! Source of the form: stackcollapse-perf.pl of github.com/brendangregg/FlameGraph; kernel frames end in `_[k]`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use crate::error::{Error, Result};
use crate::parse::perf_event::{HEAD_BYTES, Head, Mode, Record, SAMPLE, Sample, record};
use crate::read::Root;
use crate::sys;

use super::profile::FORMAT;
use super::symbols::Symbols;
use super::timeline::Timeline;

/// Reads a raw profile twice: what was where first, then the samples.
pub fn fold(root: &Root, raw: &Path) -> Result<String> {
    let cannot = |error: io::Error| Error::io(format!("fold {}", raw.display()), &error);
    let mut timeline = Timeline::default();
    each(raw, |kind| kind != SAMPLE, |record| timeline.add(record)).map_err(cannot)?;
    timeline.sort();
    let mut folder = Folder { timeline, symbols: Symbols::new(root), stacks: BTreeMap::new() };
    each(raw, |kind| kind == SAMPLE, |record| folder.add(record)).map_err(cannot)?;
    Ok(folder.stacks.iter().map(|(stack, count)| format!("{stack} {count}\n")).collect())
}

/// Folds in a process of its own, whose memory for names is gone with it.
pub fn fold_apart(root: &Root, raw: &Path, folded: &Path) -> Result<()> {
    let cannot = |error: io::Error| Error::io(format!("fold {}", raw.display()), &error);
    match sys::fork().map_err(cannot)? {
        sys::Side::Child => {
            let written = fold(root, raw).and_then(|text| std::fs::write(folded, text).map_err(cannot));
            sys::exit_now(written.map_or_else(|error| error.code, |()| 0));
        }
        sys::Side::Parent(pid) => match sys::reap(pid).map_err(cannot)?.1 {
            sys::Ending::Exit(0) => Ok(()),
            ending => Err(Error::failed(format!("cannot fold {}: {ending:?}", raw.display()))),
        },
    }
}

/// Hands over the wanted records; one that is cut at the end of the file is left out.
fn each(raw: &Path, wanted: impl Fn(u32) -> bool, mut sink: impl FnMut(Record)) -> io::Result<()> {
    let mut file = BufReader::with_capacity(1 << 16, File::open(raw)?);
    let mut first = Vec::new();
    file.read_until(b'\n', &mut first)?;
    if !first.starts_with(FORMAT.as_bytes()) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "no raw profile"));
    }
    let (mut head, mut body) = ([0; HEAD_BYTES], Vec::new());
    while file.read_exact(&mut head).is_ok() {
        let Some(head) = Head::parse(&head) else { break };
        body.resize(head.bytes - HEAD_BYTES, 0);
        if file.read_exact(&mut body).is_err() {
            break;
        }
        if let Some(record) = wanted(head.kind).then(|| record(head, &body)).flatten() {
            sink(record);
        }
    }
    Ok(())
}

const UNKNOWN: &str = "[unknown]";

struct Folder<'a> {
    timeline: Timeline,
    symbols: Symbols<'a>,
    stacks: BTreeMap<String, u64>,
}

impl Folder<'_> {
    fn add(&mut self, record: Record) {
        let Record::Sample(sample) = record else { return };
        // The idle process, which a processor's cycles may catch on its way in or out.
        if sample.thread == 0 {
            return;
        }
        let mut stack = String::new();
        push(&mut stack, self.timeline.name(sample.thread, sample.time_ns).unwrap_or(UNKNOWN));
        for name in self.names(&sample).iter().rev() {
            push(&mut stack, name);
        }
        *self.stacks.entry(stack).or_insert(0) += 1;
    }

    /// Names of a sample's frames, the innermost first.
    ///
    /// Code without frame pointers leads the kernel through whatever its stack holds. An address where nothing is
    /// executable is a sure sign of it: from there on outwards all is unknown.
    fn names(&mut self, sample: &Sample) -> Vec<String> {
        let mut names = Vec::new();
        for (depth, frame) in sample.frames.iter().enumerate() {
            // A caller's address is where it goes on, which may be past its end: the byte before belongs to its call.
            let address = if depth == 0 { frame.address } else { frame.address.saturating_sub(1) };
            let name = self.name(sample, address, frame.mode);
            let lost = name.is_none();
            names.push(name.unwrap_or_else(|| UNKNOWN.to_owned()));
            if lost {
                break;
            }
        }
        names
    }

    /// `None` where nothing executable is.
    fn name(&mut self, sample: &Sample, address: u64, mode: Mode) -> Option<String> {
        match mode {
            Mode::Kernel => Some(self.symbols.kernel(address)),
            Mode::Guest => Some("[guest]".to_owned()),
            Mode::User => {
                let map = self.timeline.map(sample.process, address, sample.time_ns)?;
                Some(self.symbols.user(sample.process, map, address))
            }
        }
    }
}

/// Separators and line ends cannot be part of a name.
fn push(stack: &mut String, name: &str) {
    if !stack.is_empty() {
        stack.push(';');
    }
    stack.extend(name.chars().map(|letter| match letter {
        ';' => ':',
        letter if letter.is_control() => '?',
        letter => letter,
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::perf_event::{Map, write_map, write_name};

    fn sample_record(pid: u32, chain: &[u64]) -> Vec<u8> {
        let ids = [pid.to_ne_bytes(), pid.to_ne_bytes()].concat();
        let numbers = |numbers: &[u64]| numbers.iter().flat_map(|n| n.to_ne_bytes()).collect::<Vec<u8>>();
        let body = [numbers(&[chain[0]]), ids, numbers(&[9, chain.len() as u64]), numbers(chain)].concat();
        let size = u16::try_from(body.len() + 8).expect("a short record");
        [&SAMPLE.to_ne_bytes()[..], &1_u16.to_ne_bytes(), &size.to_ne_bytes(), &body].concat()
    }

    fn folded(content: &[u8]) -> Result<String> {
        let path = std::env::temp_dir().join(format!("assay-fold-{}-{}", std::process::id(), content.len()));
        std::fs::write(&path, content).expect("a file");
        let text = fold(&Root::new("/nowhere"), &path);
        std::fs::remove_file(&path).expect("gone");
        text
    }

    #[test]
    fn equal_stacks_are_counted_and_names_cannot_break_a_line() {
        let (kernel, user) = (-128_i64 as u64, -512_i64 as u64);
        let file = "/opt/lib;x.so".to_owned();
        let map = Map { process: 5, start: 0x1000, bytes: 0x1000, offset: 0, file, time_ns: 0 };
        let one = sample_record(5, &[kernel, 0xffff_ffff_8100_0000, user, 0x1500, 0x9000, 0x1600, 0x1700]);
        let idle = sample_record(0, &[kernel, 0xffff_ffff_8100_0000]);
        let head = format!("{FORMAT} {{}}\n").into_bytes();
        let raw = [head, one.clone(), write_name(5, 5, "a\nb"), write_map(&map), one, idle, vec![1, 2, 3]].concat();
        assert_eq!(folded(&raw).expect("folded"), "a?b;[unknown];[lib:x.so];[kernel]_[k] 2\n");
    }

    #[test]
    fn a_file_that_is_no_profile_is_refused() {
        let error = folded(b"something else\n").expect_err("no profile");
        assert!(error.message.contains("no raw profile"), "{}", error.message);
    }
}
