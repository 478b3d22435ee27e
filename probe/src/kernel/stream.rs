//! `kernel stream`: sustainable memory bandwidth by STREAM's rules.
//!
//! Source: J. D. McCalpin, STREAM, <https://www.cs.virginia.edu/stream/ref.html>: four operations on three arrays of
//! 8-byte elements, several repetitions, the first left out, the best counted, results validated at the end;
//! bytes counted are those that the operation names (2, 2, 3 and 3 arrays), without write-allocate traffic.
//! Each thread touches first the part that it works on, so that pages lie near it.
//! Limits: copy is written as an exclusive-or with an unknown zero, so that no compiler turns it into the C
//! library's `memcpy`, which chooses its instructions by processor model and would differ between host and guest.

use std::hint::black_box;
use std::sync::{Barrier, Mutex};
use std::thread;
use std::time::Instant;

use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::parse::flat;
use crate::read::Root;

const SCALAR: f64 = 3.0;
const NAMES: [(&str, u64); 4] = [("copy", 2), ("scale", 2), ("add", 3), ("triad", 3)];
/// STREAM's own limit for 8-byte elements.
const TOLERANCE: f64 = 1e-13;

/// Times of the four operations, by repetition.
type Times = Vec<[f64; 4]>;

/// One thread's part of the arrays.
struct Part<'a> {
    a: &'a mut [f64],
    b: &'a mut [f64],
    c: &'a mut [f64],
}

#[inline(never)]
fn copy(c: &mut [f64], a: &[f64], zero: u64) {
    for (c, a) in c.iter_mut().zip(a) {
        *c = f64::from_bits(a.to_bits() ^ zero);
    }
}

#[inline(never)]
fn scale(b: &mut [f64], c: &[f64], scalar: f64) {
    for (b, c) in b.iter_mut().zip(c) {
        *b = scalar * c;
    }
}

#[inline(never)]
fn add(c: &mut [f64], a: &[f64], b: &[f64]) {
    for ((c, a), b) in c.iter_mut().zip(a).zip(b) {
        *c = a + b;
    }
}

#[inline(never)]
fn triad(a: &mut [f64], b: &[f64], c: &[f64], scalar: f64) {
    for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
        *a = b + scalar * c;
    }
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

    fn work(&mut self, repetitions: usize, barrier: &Barrier) -> (f64, Times) {
        let timed = |act: &mut dyn FnMut()| {
            barrier.wait();
            let start = Instant::now();
            act();
            barrier.wait();
            start.elapsed().as_secs_f64()
        };
        let touched = timed(&mut || self.touch());
        let times = (0..repetitions).map(|_| [0, 1, 2, 3].map(|name| timed(&mut || self.perform(name)))).collect();
        (touched, times)
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
    for _ in 0..repetitions {
        c = a;
        b = SCALAR * c;
        c = a + b;
        a = b + SCALAR * c;
    }
    [a, b, c]
}

/// Runs the kernel on three arrays of so many bytes each.
pub fn stream(array_bytes: u64, repetitions: usize, threads: usize) -> Result<Value> {
    fits(array_bytes)?;
    let elements = usize::try_from(array_bytes / 8).unwrap_or(usize::MAX).max(threads);
    // Zeroed memory of this size comes from the kernel untouched: the threads touch it first.
    let (mut a, mut b, mut c) = (vec![0.0; elements], vec![0.0; elements], vec![0.0; elements]);
    let size = elements.div_ceil(threads);
    let cut = a.chunks_mut(size).zip(b.chunks_mut(size)).zip(c.chunks_mut(size));
    let parts: Vec<Part> = cut.map(|((a, b), c)| Part { a, b, c }).collect();
    let threads = parts.len();
    let (touched, times, valid) = parallel(parts, repetitions);
    if !valid {
        return Err(Error::failed("cannot trust this memory: the arrays hold other values than they must"));
    }
    let mut result = json!({
        "kernel": "stream",
        "threads": threads,
        "array_bytes": array_bytes,
        "repetitions": repetitions,
        "elements": elements,
        "first_touch_s": touched,
        "valid": valid,
    });
    for (index, (name, arrays)) in NAMES.into_iter().enumerate() {
        let times: Vec<f64> = times.iter().skip(1).map(|times| times[index]).collect();
        result[name] = summary(&times, arrays * elements as u64 * 8);
    }
    Ok(result)
}

/// Refuses what would drive the machine into swap, or into the arms of its memory killer.
fn fits(array_bytes: u64) -> Result<()> {
    let meminfo = Root::here().text("/proc/meminfo").unwrap_or_default();
    let available = flat::number(&meminfo, "MemAvailable").map_or(u64::MAX, |kib| kib.saturating_mul(1024));
    if array_bytes.saturating_mul(3) <= available {
        return Ok(());
    }
    let what = format!("3 arrays of {array_bytes} bytes");
    Err(Error::usage(format!("cannot measure memory with {what}: {available} bytes are available")))
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

/// The first thread is the one that holds the watch, as in STREAM.
fn parallel(parts: Vec<Part>, repetitions: usize) -> (f64, Times, bool) {
    let barrier = Barrier::new(parts.len());
    let wrong = Mutex::new(false);
    let expected = expected(repetitions);
    let one = |mut part: Part| {
        let done = part.work(repetitions, &barrier);
        if !part.valid(expected) {
            wrong.lock().map(|mut wrong| *wrong = true).ok();
        }
        done
    };
    let mut parts = parts.into_iter();
    let Some(first) = parts.next() else { return (0.0, Vec::new(), false) };
    let (touched, times) = thread::scope(|scope| {
        parts.for_each(|part| drop(scope.spawn(|| one(part))));
        one(first)
    });
    (touched, times, !wrong.into_inner().unwrap_or(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_valid_on_any_number_of_threads() {
        for threads in [1, 2, 3, 5] {
            let result = stream(80_008, 3, threads).expect("a result");
            assert_eq!((result["valid"].clone(), result["threads"].clone()), (json!(true), json!(threads)));
            assert_eq!(result["triad"]["bytes"], 3 * 80_008);
        }
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
    fn arrays_that_do_not_fit_are_refused() {
        assert!(stream(1 << 60, 2, 1).is_err());
    }
}
