//! `kernel integer`: whole-number arithmetic and branches, out of the first-level cache.
//!
//! A chunk is three parts, each with a result that is known beforehand: eight chains of a 64-bit linear congruential
//! generator (multiply and add, held to its closed form), eight chains of Marsaglia's xorshift64 (shifts and
//! exclusive-or, held to values computed apart from this code), and a sieve of Eratosthenes below 2^14 (memory and
//! branches, held to the number of primes). Chunks are done until the time has passed. Sources: D. E. Knuth's MMIX
//! constants; G. Marsaglia, Xorshift RNGs, J. Stat. Soft. 8 (14), 2003, triple 13, 7, 17. Limits: an operation is
//! counted as written (2, 6 and 1 a crossing-off), not as the compiler makes it.

use std::hint::black_box;
use std::time::Duration;

use serde_json::{Value, json};

use crate::Result;
use crate::entry::{Entry, HIGHER, Method, Metric};
use crate::simd;
use crate::threads::{parallel, repeat};

pub const ENTRY: Entry = Entry {
    name: "integer",
    does: "Whole-number multiplications, additions, shifts and a sieve of primes.",
    rules: "ours",
    metrics: &[Metric { name: "integer", unit: "Mop/s", direction: HIGHER }],
};

const CHAINS: usize = simd::SHIFT_CHAINS;
const STEPS: u64 = 20_000;
const A: u64 = 6_364_136_223_846_793_005;
const C: u64 = 1_442_695_040_888_963_407;
const SIEVE: usize = 1 << 14;
/// Primes below 2^14.
const PRIMES: usize = 1900;
/// Exclusive-or of the eight xorshift chains after `STEPS` steps, from starts 1 to 8.
const SHIFTED: u64 = 10_235_798_787_347_528_730;

/// One step of the linear congruential generator.
pub fn step(x: u64) -> u64 {
    x.wrapping_mul(A).wrapping_add(C)
}

/// The generator after so many steps at once. Source: F. Brown, Random Number Generation with Arbitrary Strides,
/// Trans. Am. Nucl. Soc. 71, 1994.
pub fn jump(x: u64, mut steps: u64) -> u64 {
    let (mut a, mut c, mut power, mut sum) = (A, C, 1_u64, 0_u64);
    while steps > 0 {
        if steps & 1 == 1 {
            power = power.wrapping_mul(a);
            sum = sum.wrapping_mul(a).wrapping_add(c);
        }
        c = c.wrapping_mul(a.wrapping_add(1));
        a = a.wrapping_mul(a);
        steps >>= 1;
    }
    x.wrapping_mul(power).wrapping_add(sum)
}

fn starts() -> [u64; CHAINS] {
    std::array::from_fn(|chain| chain as u64 + 1)
}

#[inline(never)]
fn congruential(mut x: [u64; CHAINS]) -> [u64; CHAINS] {
    for _ in 0..STEPS {
        x.iter_mut().for_each(|x| *x = step(*x));
    }
    x
}

fn shifts(mut x: [u64; CHAINS]) -> u64 {
    simd::shifts(&mut x, STEPS);
    x.iter().fold(0, |sum, x| sum ^ x)
}

/// Primes below the size, and how often a number was crossed off.
#[inline(never)]
fn sieve(size: usize) -> (usize, u64) {
    let mut crossed = vec![false; size];
    let (mut primes, mut crossings) = (0, 0);
    for number in 2..size {
        if crossed[number] {
            continue;
        }
        primes += 1;
        for multiple in (number * number..size).step_by(number) {
            crossed[multiple] = true;
            crossings += 1;
        }
    }
    (primes, crossings)
}

/// Does one chunk: whether its results are right.
fn chunk() -> bool {
    let chained = congruential(black_box(starts()));
    let chained = black_box(chained).iter().zip(starts()).all(|(end, start)| *end == jump(start, STEPS));
    let shifted = black_box(shifts(black_box(starts()))) == SHIFTED;
    chained && shifted && black_box(sieve(black_box(SIEVE))).0 == PRIMES
}

/// Runs the kernel on as many threads.
pub fn integer(seconds: f64, threads: usize) -> Result<Value> {
    let wrong = || "cannot trust this processor: whole-number arithmetic came out wrong".to_owned();
    if !chunk() {
        return Err(wrong());
    }
    let operations = CHAINS as u64 * STEPS * (2 + 6) + sieve(SIEVE).1;
    let (chunks, taken) = parallel(threads, || repeat(Duration::from_secs_f64(seconds), chunk));
    let chunks = chunks.into_iter().sum::<Option<u64>>().ok_or_else(wrong)?;
    let rate = (chunks * operations) as f64 / taken;
    let method = Method { repetitions: chunks as usize, statistic: "total", warm_up: "one chunk" };
    let facts = json!({"threads": threads, "seconds": taken, "operations": chunks * operations});
    Ok(ENTRY.report(&method, &[("integer".to_owned(), Some(rate / 1e6))], facts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_has_the_known_results() {
        assert!(chunk());
    }

    #[test]
    fn a_jump_is_as_many_steps() {
        for steps in [0, 1, 2, 3, 1000] {
            assert_eq!(jump(5, steps), (0..steps).fold(5, |x, _| step(x)));
        }
    }

    #[test]
    fn the_report_counts_every_operation() {
        let report = integer(0.01, 2).expect("a report");
        let operations = report["operations"].as_f64().expect("a number");
        let rate = report["metrics"][0]["value"].as_f64().expect("a rate");
        assert!((rate * 1e6 * report["seconds"].as_f64().expect("a time") / operations - 1.0).abs() < 1e-9);
    }
}
