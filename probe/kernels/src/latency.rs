//! `kernel latency`: time of one load that the next one waits for, by the size of what is walked through.
//!
//! Source: L. McVoy, C. Staelin, lmbench: Portable Tools for Performance Analysis, USENIX 1996, `lat_mem_rd`: each
//! cell holds the place of the next; the curve over sizes shows the caches and the memory behind them. As with
//! lmbench's option -t the order is random, here one cycle through all cells, so that no prefetcher follows.
//! Repetitions go on where the last one ended: a size larger than a repetition's loads is not loaded from what a
//! smaller part left in a cache. Limits: misses of the TLB are part of the time, as in a real program; how many
//! depends on transparent huge pages (`facts` tells whether they are on). A load is one from an indexed address.

use std::hint::black_box;
use std::time::Instant;

use serde_json::{Value, json};

use crate::Result;
use crate::cost::{figure, median, medians, points};
use crate::entry::{Entry, LOWER, Metric, size_name};
use crate::random::Random;

pub const ENTRY: Entry = Entry {
    name: "latency",
    does: "Time of a load that depends on the one before, by working-set size.",
    rules: "by lmbench's method",
    metrics: &[Metric { name: "load_{SIZE}", unit: "ns", direction: LOWER }],
};

const WORD: usize = size_of::<usize>();
const SMALLEST: usize = 1024;
/// Sizes that stand for themselves in reports; the largest is named `load_largest`.
const NAMED: [usize; 3] = [16 << 10, 256 << 10, 4 << 20];

pub struct Options {
    /// Sizes below are left out, but for the largest.
    pub min_bytes: usize,
    pub max_bytes: usize,
    /// Bytes from one cell to the next, a multiple of 8.
    pub stride: usize,
    /// Loads of a repetition.
    pub loads: usize,
    pub repetitions: usize,
}

/// 1 KiB, 1.5 KiB, 2 KiB, 3 KiB and so on, those from the smallest wanted; then the largest.
fn sizes(min_bytes: usize, max_bytes: usize) -> Vec<usize> {
    let powers = (0..).map(|power| SMALLEST << power).take_while(|size| *size < max_bytes);
    let between = powers.flat_map(|size| [size, size + size / 2]);
    between.filter(|size| (min_bytes..max_bytes).contains(size)).chain([max_bytes]).collect()
}

/// Makes one cycle of all cells: the order in which they are visited.
fn link(words: &mut [usize], step: usize, random: &mut Random) -> Vec<u32> {
    let order = random.order((words.len() / step) as u32);
    for (at, next) in order.iter().zip(order.iter().cycle().skip(1)) {
        words[*at as usize * step] = *next as usize * step;
    }
    order
}

#[inline(never)]
fn chase(words: &[usize], mut at: usize, loads: usize) -> usize {
    for _ in 0..loads {
        at = words[at];
    }
    at
}

/// Median time of a load in a working set, in ns.
fn load_ns(words: &mut [usize], options: &Options, random: &mut Random) -> Result<Option<f64>> {
    let step = options.stride / WORD;
    let order = link(words, step, random);
    let place = |visits: usize| order[visits % order.len()] as usize * step;
    let mut times = Vec::with_capacity(options.repetitions);
    for repetition in 0..=options.repetitions {
        let start = Instant::now();
        let end = black_box(chase(black_box(words), place(repetition * options.loads), options.loads));
        let taken = start.elapsed().as_nanos() as f64 / options.loads as f64;
        if end != place((repetition + 1) * options.loads) {
            return Err("cannot trust this memory: a chain of loads ended in the wrong place".to_owned());
        }
        if repetition > 0 {
            times.push(taken);
        }
    }
    Ok(median(&times))
}

/// Runs the kernel.
pub fn latency(options: &Options) -> Result<Value> {
    let mut random = Random(1);
    let mut words = vec![1_usize; options.max_bytes / WORD];
    let (mut curve, mut figures) = (Vec::new(), Vec::new());
    for size in sizes(options.min_bytes, options.max_bytes) {
        let time = load_ns(&mut words[..size / WORD], options, &mut random)?;
        curve.push(json!({"bytes": size, "load_ns": time}));
        if size == options.max_bytes {
            figures.push(figure("load_largest", time));
        } else if NAMED.contains(&size) {
            figures.push(figure(format!("load_{}", size_name(size)), time));
        }
    }
    let mut facts = points(curve);
    facts["stride"] = json!(options.stride);
    facts["loads"] = json!(options.loads);
    facts["min_bytes"] = json!(options.min_bytes);
    facts["max_bytes"] = json!(options.max_bytes);
    Ok(ENTRY.report(&medians(options.repetitions), &figures, facts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_grow_by_halves_up_to_the_largest() {
        assert_eq!(sizes(1024, 5000), [1024, 1536, 2048, 3072, 4096, 5000]);
        assert_eq!(sizes(1024, 2048), [1024, 1536, 2048]);
    }

    #[test]
    fn sizes_below_the_smallest_wanted_are_left_out() {
        assert_eq!(sizes(2000, 5000), [2048, 3072, 4096, 5000]);
        assert_eq!(sizes(4096, 4096), [4096]);
    }

    #[test]
    fn a_chain_visits_every_cell_once_before_it_returns() {
        let mut words = vec![0; 1024];
        let order = link(&mut words, 8, &mut Random(3));
        let start = order[0] as usize * 8;
        let visited: std::collections::BTreeSet<usize> = (0..128).map(|loads| chase(&words, start, loads)).collect();
        assert_eq!((visited.len(), chase(&words, start, 128)), (128, start));
    }

    #[test]
    fn the_curve_ends_with_the_largest_size() {
        let options = Options { min_bytes: 1024, max_bytes: 20_480, stride: 64, loads: 1000, repetitions: 2 };
        let report = latency(&options).expect("a report");
        let names: Vec<&Value> = (0..2).map(|index| &report["metrics"][index]["name"]).collect();
        assert_eq!(names, ["load_16_KiB", "load_largest"]);
        assert_eq!(report["points"].as_array().and_then(|points| points.last()).expect("a point")["bytes"], 20_480);
    }
}
