//! What an act costs: the median over repetitions of many calls each.

use std::io;
use std::time::Instant;

use serde_json::Value;

use crate::Result;
use crate::entry::Method;

/// The repetition before the first is left out: it pages code in and fills caches.
pub fn medians(repetitions: usize) -> Method {
    Method { repetitions, statistic: "median", warm_up: "one repetition" }
}

/// The middle of the values (the mean of both where there are two); `None` of none.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = Vec::with_capacity(values.len());
    for value in values {
        // Repetitions are few; a sort of the standard library's is 4 kB of code.
        sorted.insert(sorted.partition_point(|other: &f64| other.total_cmp(value).is_le()), *value);
    }
    let last = sorted.len().checked_sub(1)?;
    Some(f64::midpoint(sorted[last / 2], sorted[last.div_ceil(2)]))
}

/// Median time of one call in ns. Each repetition makes so many calls; one more repetition before them is left out.
pub fn call_ns(repetitions: usize, calls: usize, mut act: impl FnMut() -> Result<()>) -> Result<Option<f64>> {
    let mut times = Vec::with_capacity(repetitions);
    for repetition in 0..=repetitions {
        let start = Instant::now();
        (0..calls).try_for_each(|_| act())?;
        let taken = start.elapsed();
        if repetition > 0 {
            times.push(taken.as_nanos() as f64 / calls as f64);
        }
    }
    Ok(median(&times))
}

/// Puts the kernel's words behind what could not be done.
pub fn cannot(what: &str) -> impl Fn(io::Error) -> String + '_ {
    move |error| {
        let text = error.to_string();
        let words = text.split(" (os error").next().unwrap_or(&text).to_ascii_lowercase();
        format!("cannot {what}: {words}")
    }
}

/// A figure under its name.
pub fn figure(name: impl Into<String>, value: Option<f64>) -> (String, Option<f64>) {
    (name.into(), value)
}

/// Adds a list of points to a report.
pub fn points(points: Vec<Value>) -> Value {
    serde_json::json!({ "points": points })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn a_call_that_fails_has_no_cost() {
        assert!(call_ns(3, 2, || Err("cannot".to_owned())).is_err());
        let mut calls = 0;
        let cost = call_ns(3, 2, || {
            calls += 1;
            Ok(())
        });
        assert!(cost.is_ok_and(|cost| cost.is_some()));
        assert_eq!(calls, 8);
    }
}
