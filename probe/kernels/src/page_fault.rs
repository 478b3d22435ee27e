//! `kernel page-fault`: what the first touch of a page costs.
//!
//! Fresh memory is written page by page (the kernel clears each), in ordinary pages whatever the machine's setting of
//! transparent huge pages. A file that is in the page cache is mapped and read page by page.
//! Source of the second: lmbench, `lat_pagefault`. Unlike lmbench, the time is divided by the faults that the kernel
//! counted (`getrusage`), because from kernel 3.15 on one fault maps up to 16 neighbouring pages of a file.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use crate::Result;
use crate::cost::{cannot, figure, median, medians};
use crate::entry::{Entry, LOWER, Metric};
use crate::scratch;
use crate::sys::{self, Mapping};

pub const ENTRY: Entry = Entry {
    name: "page-fault",
    does: "Time of a page fault at the first touch of fresh memory and of a cached file.",
    rules: "by lmbench's method",
    metrics: &[
        Metric { name: "memory_fault", unit: "ns", direction: LOWER },
        Metric { name: "file_fault", unit: "ns", direction: LOWER },
    ],
};

/// Time of a touch of all pages in ns, and faults that it made.
struct Touch {
    ns: f64,
    faults: u64,
}

fn touch(act: impl FnOnce() -> u64, expected: u64) -> Result<Touch> {
    let (faults, start) = (sys::minor_faults(), Instant::now());
    let sum = act();
    let (ns, faults) = (start.elapsed().as_nanos() as f64, sys::minor_faults() - faults);
    if sum != expected {
        return Err(format!("cannot trust this memory: {sum} was read where {expected} was written"));
    }
    Ok(Touch { ns, faults })
}

fn memory(bytes: usize, page: usize) -> Result<Touch> {
    let mut mapping = Mapping::memory(bytes).map_err(cannot("map memory"))?;
    let touched = touch(
        || {
            mapping.write_pages(page, 1);
            0
        },
        0,
    )?;
    // Read back outside the time.
    touch(|| mapping.read_pages(page), (bytes / page) as u64).map(|_| touched)
}

fn cached(file: &std::fs::File, bytes: usize, page: usize) -> Result<Touch> {
    let mapping = Mapping::file(file, bytes).map_err(cannot("map a file"))?;
    touch(|| mapping.read_pages(page), (bytes / page) as u64)
}

/// Median time of a fault, and median number of faults.
fn costs(repetitions: usize, mut act: impl FnMut() -> Result<Touch>) -> Result<(Option<f64>, Option<f64>)> {
    act()?;
    let touches = (0..repetitions).map(|_| act()).collect::<Result<Vec<Touch>>>()?;
    let of =
        |value: fn(&Touch) -> f64| touches.iter().filter(|touch| touch.faults > 0).map(value).collect::<Vec<_>>();
    Ok((median(&of(|touch| touch.ns / touch.faults as f64)), median(&of(|touch| touch.faults as f64))))
}

/// Runs the kernel on so many bytes, rounded up to whole pages.
pub fn page_fault(directory: &Path, bytes: usize, repetitions: usize) -> Result<Value> {
    let page = sys::page_bytes();
    let bytes = bytes.next_multiple_of(page);
    let file = scratch::filled(directory, bytes, 1)?;
    let (memory_ns, memory_faults) = costs(repetitions, || memory(bytes, page))?;
    let (file_ns, file_faults) = costs(repetitions, || cached(&file, bytes, page))?;
    let figures = [figure("memory_fault", memory_ns), figure("file_fault", file_ns)];
    let facts = json!({
        "bytes": bytes,
        "pages": bytes / page,
        "memory_faults": memory_faults,
        "file_faults": file_faults,
    });
    Ok(ENTRY.report(&medians(repetitions), &figures, facts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fresh_page_is_a_fault() {
        let report = page_fault(&std::env::temp_dir(), 1 << 20, 3).expect("a report");
        let number = |name: &str| report[name].as_f64().expect("a number");
        assert!(number("memory_faults") >= number("pages"));
        assert!(number("file_faults") >= 1.0);
        assert!(report["metrics"][1]["value"].as_f64().is_some_and(|value| value > 0.0));
    }

    #[test]
    fn a_wrong_sum_is_seen() {
        assert!(touch(|| 3, 4).is_err());
    }
}
