//! `kernel mmap`: what it costs to map a file, touch its pages and unmap it, by size.
//!
//! Source: lmbench, `lat_mmap`. Unlike lmbench, which touches a byte every 16 KiB, every page is touched.
//! Limits: the file is in the page cache, so no disk takes part.

use std::fs::File;
use std::path::Path;

use serde_json::{Value, json};

use crate::Result;
use crate::cost::{call_ns, cannot, figure, medians};
use crate::entry::{Entry, LOWER, Metric, size_name};
use crate::scratch;
use crate::sys::{self, Mapping};

pub const ENTRY: Entry = Entry {
    name: "mmap",
    does: "Time to map a cached file, touch each of its pages and unmap it, by size.",
    rules: "by lmbench's method",
    metrics: &[Metric { name: "map_{SIZE}", unit: "us", direction: LOWER }],
};

fn map(file: &File, bytes: usize, page: usize) -> Result<()> {
    let mapping = Mapping::file(file, bytes).map_err(cannot("map a file"))?;
    let (sum, expected) = (mapping.read_pages(page), bytes.div_ceil(page) as u64);
    if sum == expected { Ok(()) } else { Err(format!("cannot trust a mapping: {sum} was read, not {expected}")) }
}

/// Runs the kernel for each size in bytes.
pub fn mmap(directory: &Path, sizes: &[usize], repetitions: usize) -> Result<Value> {
    let page = sys::page_bytes();
    let mut figures = Vec::new();
    for bytes in sizes {
        let file = scratch::filled(directory, *bytes, 1)?;
        let time = call_ns(repetitions, 1, || map(&file, *bytes, page))?;
        figures.push(figure(format!("map_{}", size_name(*bytes)), time.map(|ns| ns / 1e3)));
    }
    Ok(ENTRY.report(&medians(repetitions), &figures, json!({"sizes": sizes})))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_has_its_cost() {
        let report = mmap(&std::env::temp_dir(), &[4096, 5000, 1 << 20], 3).expect("a report");
        let names = |index: usize| report["metrics"][index]["name"].clone();
        assert_eq!([names(0), names(1), names(2)], ["map_4_KiB", "map_5000_B", "map_1_MiB"]);
        assert!(report["metrics"][2]["value"].as_f64().is_some_and(|value| value > 0.0));
    }
}
