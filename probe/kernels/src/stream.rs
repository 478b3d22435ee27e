//! `kernel stream`: sustainable memory bandwidth by STREAM's rules.
//!
//! Source: J. D. McCalpin, STREAM, <https://www.cs.virginia.edu/stream/ref.html>: four operations on three arrays of
//! 8-byte elements, several repetitions, the first left out, the best counted, results validated at the end;
//! bytes counted are those that the operation names (2, 2, 3 and 3 arrays), without write-allocate traffic.
//! Each thread touches first the part that it works on, so that pages lie near it.
//! Limits: copy is written as an exclusive-or with an unknown zero, so that no compiler turns it into the C
//! library's `memcpy`, which chooses its instructions by processor model and would differ between host and guest.

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use serde_json::{Value, json};

use crate::Result;
use crate::entry::{Entry, HIGHER, Method, Metric};
use crate::simd::{add, copy, scale, triad};

pub const ENTRY: Entry = Entry {
    name: "stream",
    does: "Memory bandwidth of four operations on arrays larger than the caches.",
    rules: "by STREAM's rules",
    metrics: &[metric("copy"), metric("scale"), metric("add"), metric("triad")],
};

const fn metric(name: &'static str) -> Metric {
    Metric { name, unit: "MB/s", direction: HIGHER }
}

const SCALAR: f64 = 3.0;
/// A repetition makes `a` 15 times as large; 15^260 is more than a number of 8 bytes can hold.
const FRESH: usize = 200;
const NAMES: [(&str, u64); 4] = [("copy", 2), ("scale", 2), ("add", 3), ("triad", 3)];
/// STREAM's own limit for 8-byte elements.
const TOLERANCE: f64 = 1e-13;

/// When one thread was at an operation. A thread that wakes late from the barrier must not shorten the time:
/// an operation takes from the first start to the last end of all threads.
type Span = (Instant, Instant);

/// One thread's part of the arrays.
struct Part<'a> {
    a: &'a mut [f64],
    b: &'a mut [f64],
    c: &'a mut [f64],
}

impl Part<'_> {
    /// First touch; then one doubling of `a`, as STREAM does to measure its clock.
    fn touch(&mut self) {
        self.a.fill(black_box(1.0));
        self.b.fill(black_box(2.0));
        self.c.fill(black_box(0.0));
        let two = black_box(2.0);
        self.a.iter_mut().for_each(|a| *a *= two);
    }

    fn perform(&mut self, operation: usize) {
        let scalar = black_box(SCALAR);
        match operation {
            0 => copy(self.c, self.a, black_box(0)),
            1 => scale(self.b, self.c, scalar),
            2 => add(self.c, self.a, self.b),
            _ => triad(self.a, self.b, self.c, scalar),
        }
        black_box((&mut *self.a, &mut *self.b, &mut *self.c));
    }

    /// First touch, then all operations in turn; nobody begins one before everybody has ended the last.
    /// Now and then, between two operations, the arrays start afresh.
    fn work(&mut self, repetitions: usize, barrier: &Barrier) -> Vec<Span> {
        let mut spans = Vec::with_capacity(1 + NAMES.len() * repetitions);
        let timed = |spans: &mut Vec<Span>, act: &mut dyn FnMut()| {
            barrier.wait();
            let start = Instant::now();
            act();
            spans.push((start, Instant::now()));
        };
        timed(&mut spans, &mut || self.touch());
        for repetition in 0..repetitions {
            if repetition > 0 && repetition % FRESH == 0 {
                self.touch();
            }
            for operation in 0..NAMES.len() {
                timed(&mut spans, &mut || self.perform(operation));
            }
        }
        spans
    }

    fn valid(&self, expected: [f64; 3]) -> bool {
        let close = |array: &[f64], expected: f64| {
            let error: f64 = array.iter().map(|value| (value - expected).abs()).sum();
            error / array.len().max(1) as f64 / expected < TOLERANCE
        };
        close(self.a, expected[0]) && close(self.b, expected[1]) && close(self.c, expected[2])
    }
}

/// What each element of a, b and c must be in the end.
fn expected(repetitions: usize) -> [f64; 3] {
    let (mut a, mut b, mut c) = (2.0, 2.0, 0.0);
    for _ in 0..repetitions.saturating_sub(1) % FRESH + 1 {
        c = a;
        b = SCALAR * c;
        c = a + b;
        a = b + SCALAR * c;
    }
    [a, b, c]
}

/// Runs the kernel for each number of threads; several make one entry each.
pub fn stream(array_bytes: u64, repetitions: usize, threads: &[usize]) -> Result<Value> {
    let entries = threads.iter().map(|threads| on_threads(array_bytes, repetitions, *threads));
    let mut entries = entries.collect::<Result<Vec<Value>>>()?;
    match entries.len() {
        1 => Ok(entries.remove(0)),
        _ => Ok(json!({"kernel": ENTRY.name, "rules": ENTRY.rules, "entries": entries})),
    }
}

/// Runs the kernel on three arrays of so many bytes each.
fn on_threads(array_bytes: u64, repetitions: usize, threads: usize) -> Result<Value> {
    let elements = usize::try_from(array_bytes / 8).unwrap_or(usize::MAX).max(threads);
    // Zeroed memory of this size comes from the kernel untouched: the threads touch it first.
    let (mut a, mut b, mut c) = (vec![0.0; elements], vec![0.0; elements], vec![0.0; elements]);
    let size = elements.div_ceil(threads);
    let cut = a.chunks_mut(size).zip(b.chunks_mut(size)).zip(c.chunks_mut(size));
    let parts: Vec<Part> = cut.map(|((a, b), c)| Part { a, b, c }).collect();
    let threads = parts.len();
    let (times, valid) = parallel(parts, repetitions);
    if !valid {
        return Err("cannot trust this memory: the arrays hold other values than they must".to_owned());
    }
    let facts = json!({
        "threads": threads,
        "array_bytes": array_bytes,
        "elements": elements,
        "first_touch_s": times[0],
        "valid": valid,
    });
    Ok(report(&times[1..], repetitions, elements, facts))
}

fn report(times: &[f64], repetitions: usize, elements: usize, mut facts: Value) -> Value {
    let mut figures = Vec::new();
    for (index, (name, arrays)) in NAMES.into_iter().enumerate() {
        let times: Vec<f64> = times.chunks(NAMES.len()).skip(1).map(|times| times[index]).collect();
        let summary = summary(&times, arrays * elements as u64 * 8);
        figures.push((name.to_owned(), summary["best_bytes_per_s"].as_f64().map(|rate| rate / 1e6)));
        facts[name] = summary;
    }
    let method = Method { repetitions, statistic: "best", warm_up: "the first repetition" };
    ENTRY.report(&method, &figures, facts)
}

fn summary(times: &[f64], bytes: u64) -> Value {
    let best = times.iter().copied().fold(f64::INFINITY, f64::min);
    json!({
        "bytes": bytes,
        "best_s": best,
        "avg_s": times.iter().sum::<f64>() / times.len() as f64,
        "max_s": times.iter().copied().fold(0.0, f64::max),
        "best_bytes_per_s": bytes as f64 / best,
    })
}

/// Seconds of the first touch and of each operation in turn, and whether all results are valid.
fn parallel(parts: Vec<Part>, repetitions: usize) -> (Vec<f64>, bool) {
    let barrier = Barrier::new(parts.len());
    let expected = expected(repetitions);
    let one = |mut part: Part| (part.work(repetitions, &barrier), part.valid(expected));
    let mut parts = parts.into_iter();
    let Some(first) = parts.next() else { return (vec![0.0; 1 + NAMES.len() * repetitions], false) };
    let (spans, valid): (Vec<_>, Vec<_>) = thread::scope(|scope| {
        let workers: Vec<_> = parts.map(|part| scope.spawn(|| one(part))).collect();
        let mine = one(first);
        workers.into_iter().filter_map(|worker| worker.join().ok()).chain([mine]).unzip()
    });
    (taken(&spans), valid.into_iter().all(|valid| valid))
}

/// Seconds of each operation, from the spans of each thread.
fn taken(spans: &[Vec<Span>]) -> Vec<f64> {
    let one = |operation: usize| {
        let start = spans.iter().map(|spans| spans[operation].0).min();
        let end = spans.iter().map(|spans| spans[operation].1).max();
        end.zip(start).map_or(0.0, |(end, start)| (end - start).as_secs_f64())
    };
    (0..spans.first().map_or(0, Vec::len)).map(one).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn results_are_valid_on_any_number_of_threads() {
        for threads in [1, 2, 3, 5] {
            let result = stream(80_008, 3, &[threads]).expect("a result");
            assert_eq!((result["valid"].clone(), result["threads"].clone()), (json!(true), json!(threads)));
            assert_eq!(result["triad"]["bytes"], 3 * 80_008);
        }
    }

    #[test]
    fn an_operation_takes_from_the_first_start_to_the_last_end() {
        let zero = Instant::now();
        let at = |ms: u64| zero + Duration::from_millis(ms);
        let times = taken(&[vec![(at(5), at(7)), (at(20), at(30))], vec![(at(0), at(6)), (at(21), at(22))]]);
        assert_eq!(times, [0.007, 0.01]);
    }

    #[test]
    fn one_wrong_element_in_a_small_array_is_seen() {
        let [a, b, c] = expected(4);
        let (mut x, mut y, mut z) = (vec![a; 100], vec![b; 100], vec![c; 100]);
        assert!(Part { a: &mut x, b: &mut y, c: &mut z }.valid([a, b, c]));
        z[7] *= 1.001;
        assert!(!Part { a: &mut x, b: &mut y, c: &mut z }.valid([a, b, c]));
    }

    #[test]
    fn results_stay_finite_over_many_repetitions() {
        for repetitions in [FRESH, FRESH + 1, 1000] {
            assert!(expected(repetitions).iter().all(|value| value.is_finite()));
            assert_eq!(stream(800, repetitions, &[2]).expect("a result")["repetitions"], repetitions);
        }
    }

    #[test]
    fn each_number_of_threads_has_its_entry() {
        let result = stream(80_000, 2, &[1, 2]).expect("a result");
        let threads = |index: usize| result["entries"][index]["threads"].clone();
        assert_eq!([threads(0), threads(1)], [1, 2]);
    }
}
