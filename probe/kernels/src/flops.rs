//! `kernel flops`: floating-point additions and multiplications per second, nothing else.
//!
//! Sixteen chains x := x * A + B run side by side: each step depends on the one before in its own chain, so that
//! nothing can be left out, and the chains do not depend on each other, so that the processor can overlap and
//! vectorise them. Multiplication and addition are rounded one by one (no fused operation), so every machine that
//! follows IEEE 754 gets the same bits. A chunk of work is fixed; chunks are done until the time has passed.
//! Every chunk must repeat the first one bit for bit, and the first one must agree with the closed form.
//! Limits: the baseline instruction set of the architecture (x86-64: SSE2); memory is not touched.

use std::hint::black_box;
use std::time::Duration;

use serde_json::{Value, json};

use crate::Result;
use crate::entry::{Entry, HIGHER, Method, Metric};
use crate::simd::{CHAINS, chains};
use crate::threads::{parallel, repeat};

pub const ENTRY: Entry = Entry {
    name: "flops",
    does: "Floating-point multiplications and additions in double precision, without memory.",
    rules: "ours",
    metrics: &[Metric { name: "flops", unit: "Mflop/s", direction: HIGHER }],
};

/// Steps of a chunk: about 1 ms on a processor of today, so that the end is not missed by much.
const STEPS: u32 = 100_000;
/// One multiplication and one addition a step.
const CHUNK_FLOP: u64 = 2 * CHAINS as u64 * STEPS as u64;
const A: f64 = 0.999_99;
const B: f64 = 0.000_01;
/// The map contracts, so that rounding adds up to some 2^-53 / (1 - A) at most: 1.1e-11.
const TOLERANCE: f64 = 1e-10;

fn start(chain: usize) -> f64 {
    2.0 + chain as f64
}

fn chunk(mut x: [f64; CHAINS]) -> [f64; CHAINS] {
    chains(&mut x, STEPS, A, B);
    x
}

fn starts() -> [f64; CHAINS] {
    std::array::from_fn(start)
}

/// x after n steps: the fixed point B / (1 - A) is 1, and the distance to it shrinks by A each step.
fn closed_form(chain: usize) -> f64 {
    let fixed = B / (1.0 - A);
    fixed + A.powi(STEPS as i32) * (start(chain) - fixed)
}

fn agrees(x: &[f64; CHAINS]) -> bool {
    x.iter().enumerate().all(|(chain, value)| (value / closed_form(chain) - 1.0).abs() < TOLERANCE)
}

/// Does chunks until the time has passed: their number, or `None` where one gave another result.
fn work(time: Duration, expected: &[f64; CHAINS]) -> Option<u64> {
    let bits = expected.map(f64::to_bits);
    repeat(time, || black_box(chunk(black_box(starts()))).map(f64::to_bits) == bits)
}

/// Runs the kernel on as many threads.
pub fn flops(seconds: f64, threads: usize) -> Result<Value> {
    let expected = chunk(black_box(starts()));
    let wrong = || "cannot trust this processor: a chain of additions and multiplications came out wrong";
    if !agrees(&expected) {
        return Err(wrong().to_owned());
    }
    let time = Duration::from_secs_f64(seconds);
    let (chunks, taken) = parallel(threads, || work(time, &expected));
    let chunks = chunks.into_iter().sum::<Option<u64>>().ok_or_else(wrong)?;
    Ok(report(chunks, taken, threads, &expected))
}

fn report(chunks: u64, taken: f64, threads: usize, expected: &[f64; CHAINS]) -> Value {
    let flop = chunks * CHUNK_FLOP;
    let rate = flop as f64 / taken;
    let method = Method { repetitions: chunks as usize, statistic: "total", warm_up: "one chunk" };
    let facts = json!({
        "threads": threads,
        "seconds": taken,
        "flop": flop,
        "flop_per_s": rate,
        "checksum": expected.iter().sum::<f64>(),
    });
    ENTRY.report(&method, &[("flops".to_owned(), Some(rate / 1e6))], facts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_agrees_with_the_closed_form_and_repeats() {
        let first = chunk(black_box(starts()));
        assert!(agrees(&first));
        assert_eq!(first, chunk(black_box(starts())));
    }

    #[test]
    fn a_wrong_chunk_is_seen() {
        let mut first = chunk(black_box(starts()));
        first[3] += 1e-8;
        assert!(!agrees(&first));
        assert_eq!(work(Duration::from_millis(1), &first), None);
    }
}
