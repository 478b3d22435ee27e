//! `kernel files`: what a file gives and takes, by IOzone's list.
//!
//! Source: W. Norcott, D. Capps, IOzone Filesystem Benchmark, <https://www.iozone.org/docs/IOzone_msword_98.pdf>:
//! write, re-write, read, re-read, random read, random write, stride read, of one file in records. The time of a
//! write contains fsync(2), as with IOzone's option -e. Random orders take each record once; the stride is 17
//! records, as IOzone's. Every page of a record carries the number of its place and of its last writing, which every
//! read checks. Limits: the file has no name once it is open, so it is not opened anew between operations. Without
//! `direct` reads come out of the page cache as far as it goes: each operation says how much of the file lay there at
//! its end.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use crate::Result;
use crate::aligned::{PAGE, Record};
use crate::cost::{cannot, figure, median};
use crate::entry::{Entry, HIGHER, Method, Metric};
use crate::random::Random;
use crate::scratch;
use crate::sys::{self, Mapping};

pub const ENTRY: Entry = Entry {
    name: "files",
    does: "Writes and reads of a file in order, again, at random and in strides.",
    rules: "by IOzone's list",
    metrics: &[
        metric(WRITE),
        metric(REWRITE),
        metric("read"),
        metric("reread"),
        metric("random_read"),
        metric("random_write"),
        metric("stride_read"),
    ],
};
const WRITE: &str = "write";
const REWRITE: &str = "rewrite";
const STRIDE: usize = 17;

const fn metric(name: &'static str) -> Metric {
    Metric { name, unit: "MB/s", direction: HIGHER }
}

pub struct Options<'a> {
    pub directory: &'a Path,
    pub bytes: usize,
    /// A multiple of 4096.
    pub record_bytes: usize,
    pub repetitions: usize,
    /// Past the page cache (O_DIRECT).
    pub direct: bool,
}

/// The order of the records of an operation.
enum Order {
    Forward,
    Random,
    Stride,
}

impl Order {
    fn records(&self, count: usize) -> Vec<u32> {
        match self {
            Self::Forward => (0..count as u32).collect(),
            Self::Random => Random(1).order(count as u32),
            Self::Stride => (0..STRIDE).flat_map(|first| (first as u32..count as u32).step_by(STRIDE)).collect(),
        }
    }
}

/// What is done to the file, in this order: name, writing or not, order of the records.
const OPERATIONS: [(&str, bool, Order); 7] = [
    (WRITE, true, Order::Forward),
    (REWRITE, true, Order::Forward),
    ("read", false, Order::Forward),
    ("reread", false, Order::Forward),
    ("random_read", false, Order::Random),
    ("random_write", true, Order::Random),
    ("stride_read", false, Order::Stride),
];

/// What stands at the start of a page.
fn stamp(offset: u64, writing: u64) -> [u8; 8] {
    (offset ^ writing << 56).to_ne_bytes()
}

fn fill(record: &mut [u8], offset: u64, writing: u64) {
    for (page, at) in record.chunks_mut(PAGE).zip((offset..).step_by(PAGE)) {
        page[..8].copy_from_slice(&stamp(at, writing));
    }
}

fn holds(record: &[u8], offset: u64, writing: u64) -> bool {
    record.chunks(PAGE).zip((offset..).step_by(PAGE)).all(|(page, at)| page[..8] == stamp(at, writing))
}

/// Writes the records and waits until they are on the disk.
fn write(file: &File, record: &mut [u8], order: &[u32], writing: u64) -> Result<()> {
    for number in order {
        let offset = u64::from(*number) * record.len() as u64;
        fill(record, offset, writing);
        file.write_all_at(record, offset).map_err(cannot("write a file"))?;
    }
    file.sync_all().map_err(cannot("write a file back"))
}

fn read(file: &File, record: &mut [u8], order: &[u32], writing: u64) -> Result<()> {
    for number in order {
        let offset = u64::from(*number) * record.len() as u64;
        file.read_exact_at(record, offset).map_err(cannot("read a file"))?;
        if !holds(record, offset, writing) {
            return Err(format!("cannot trust this disk: other bytes came back at {offset}"));
        }
    }
    Ok(())
}

/// How one operation went.
struct Done {
    rate: f64,
    resident: f64,
}

/// All operations on a new file.
fn pass(options: &Options, record: &mut Record) -> Result<Vec<Done>> {
    let file = scratch::file(options.directory, options.direct)?;
    let (count, mut writing) = (options.bytes / options.record_bytes, 0);
    let mut operate = |(_, writes, order): &(&str, bool, Order)| {
        let order = order.records(count);
        writing += u64::from(*writes);
        let start = Instant::now();
        let act = if *writes { write } else { read };
        act(&file, record.bytes(), &order, writing)?;
        let rate = (count * options.record_bytes) as f64 / start.elapsed().as_secs_f64();
        Ok(Done { rate, resident: resident(&file, count * options.record_bytes)? })
    };
    OPERATIONS.iter().map(&mut operate).collect()
}

/// Share of the file that is in the page cache.
fn resident(file: &File, bytes: usize) -> Result<f64> {
    let page = sys::page_bytes();
    let pages = Mapping::file(file, bytes).and_then(|mapping| mapping.resident_pages(page));
    let pages = pages.map_err(cannot("ask what is in the page cache"))?;
    Ok(pages as f64 / bytes.div_ceil(page) as f64)
}

/// Runs the kernel.
pub fn files(options: &Options) -> Result<Value> {
    let mut record = Record::new(options.record_bytes);
    let passes = (0..options.repetitions).map(|_| pass(options, &mut record)).collect::<Result<Vec<_>>>()?;
    let (mut figures, mut operations) = (Vec::new(), Vec::new());
    for (index, (name, ..)) in OPERATIONS.iter().enumerate() {
        let of = |value: fn(&Done) -> f64| median(&passes.iter().map(|pass| value(&pass[index])).collect::<Vec<_>>());
        let resident = of(|done| done.resident);
        figures.push(figure(*name, of(|done| done.rate / 1e6)));
        operations.push(json!({"name": name, "resident_ratio": resident, "cached": resident > Some(0.0)}));
    }
    let method = Method { repetitions: options.repetitions, statistic: "median", warm_up: "none" };
    let facts = json!({
        "bytes": options.bytes / options.record_bytes * options.record_bytes,
        "record_bytes": options.record_bytes,
        "direct": options.direct,
        "larger_than_memory": options.bytes > sys::memory_bytes(),
        "cached": operations.iter().any(|operation| operation["cached"] == true),
        "operations": operations,
    });
    Ok(ENTRY.report(&method, &figures, facts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_takes_every_record_once() {
        for order in [Order::Forward, Order::Random, Order::Stride] {
            let mut records = order.records(100);
            records.sort_unstable();
            assert!(records.into_iter().eq(0..100));
        }
        assert_eq!(Order::Stride.records(40)[..4], [0, 17, 34, 1]);
    }

    #[test]
    fn a_page_of_another_place_or_another_writing_is_seen() {
        let mut record = vec![0; 3 * PAGE];
        fill(&mut record, 1 << 20, 2);
        assert!(holds(&record, 1 << 20, 2) && !holds(&record, 1 << 20, 1) && !holds(&record, 1 << 21, 2));
    }

    #[test]
    fn every_operation_has_its_rate_and_its_cache() {
        let directory = std::env::temp_dir();
        let options =
            Options { directory: &directory, bytes: 1 << 20, record_bytes: 8192, repetitions: 2, direct: false };
        let report = files(&options).expect("a report");
        for index in 0..OPERATIONS.len() {
            assert!(report["metrics"][index]["value"].as_f64().is_some_and(|rate| rate > 0.0));
            // the kernel may take back a page meanwhile
            let resident = report["operations"][index]["resident_ratio"].as_f64();
            assert!(resident.is_some_and(|ratio| (0.9..=1.0).contains(&ratio)), "{resident:?}");
        }
        assert_eq!((&report["cached"], &report["larger_than_memory"]), (&json!(true), &json!(false)));
    }
}
