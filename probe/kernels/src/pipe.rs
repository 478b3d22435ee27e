//! `kernel pipe`: two processes that speak through pipes.
//!
//! Source: lmbench, `lat_pipe` (a byte goes to the other process and back) and `bw_pipe` (one writes, one reads, in
//! blocks of 64 KiB). Limits: where both run is the scheduler's choice; on one processor a switch is part of each
//! way.

use std::fs::File;
use std::io::{Read, Write};
use std::time::Instant;

use serde_json::{Value, json};

use crate::Result;
use crate::cost::{call_ns, cannot, figure, median, medians};
use crate::entry::{Entry, HIGHER, LOWER, Metric};
use crate::sys::{self, Child};

pub const ENTRY: Entry = Entry {
    name: "pipe",
    does: "Round trip of a byte between two processes, and bandwidth from one to the other.",
    rules: "by lmbench's method",
    metrics: &[
        Metric { name: "round_trip", unit: "us", direction: LOWER },
        Metric { name: "bandwidth", unit: "MB/s", direction: HIGHER },
    ],
};
const BLOCK: usize = 64 << 10;

fn pipe() -> Result<(File, File)> {
    sys::pipe().map_err(cannot("make a pipe"))
}

/// Gives each byte back plus one.
fn echo(mut from: &File, mut to: &File) -> u8 {
    let mut byte = [0];
    while from.read_exact(&mut byte).is_ok() {
        byte[0] = byte[0].wrapping_add(1);
        if to.write_all(&byte).is_err() {
            return 1;
        }
    }
    0
}

fn trip(mut to: &File, mut from: &File) -> Result<()> {
    let mut byte = [7];
    to.write_all(&byte).and_then(|()| from.read_exact(&mut byte)).map_err(cannot("speak through a pipe"))?;
    if byte == [8] { Ok(()) } else { Err(format!("cannot trust a pipe: 8 was expected, {} came", byte[0])) }
}

fn round_trip(repetitions: usize, trips: usize) -> Result<Option<f64>> {
    let ((their, mine), (back, answer)) = (pipe()?, pipe()?);
    let _other = Child::fork(|| echo(&their, &answer)).map_err(cannot("fork"))?;
    call_ns(repetitions, trips, || trip(&mine, &back))
}

/// Seconds for the bytes to come from a new process, from the first block on.
fn stream(block: &mut [u8], blocks: usize) -> Result<f64> {
    let (mut from, to) = pipe()?;
    let full = [3; BLOCK];
    let writer = Child::fork(|| u8::from((0..=blocks).any(|_| (&to).write_all(&full).is_err())));
    let writer = writer.map_err(cannot("fork"))?;
    let mut read = || from.read_exact(block).map_err(cannot("read from a pipe"));
    read()?;
    let start = Instant::now();
    (0..blocks).try_for_each(|_| read())?;
    let taken = start.elapsed().as_secs_f64();
    let ended = writer.wait().map_err(cannot("wait for a process"))?;
    if ended == Some(0) && block == full {
        Ok(taken)
    } else {
        Err("cannot trust a pipe: other bytes came".to_owned())
    }
}

/// Runs the kernel: repetitions of so many round trips, and of so many bytes in whole blocks.
pub fn pipe_costs(repetitions: usize, trips: usize, bytes: usize) -> Result<Value> {
    let trip_us = round_trip(repetitions, trips)?.map(|ns| ns / 1e3);
    let (blocks, mut block) = (bytes.div_ceil(BLOCK), vec![0; BLOCK]);
    stream(&mut block, blocks)?;
    let times = (0..repetitions).map(|_| stream(&mut block, blocks)).collect::<Result<Vec<f64>>>()?;
    let rate = median(&times).map(|time| (blocks * BLOCK) as f64 / time / 1e6);
    let figures = [figure("round_trip", trip_us), figure("bandwidth", rate)];
    Ok(ENTRY.report(&medians(repetitions), &figures, json!({"trips": trips, "bytes": blocks * BLOCK})))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_figures_are_told() {
        let report = pipe_costs(2, 5, 200_000).expect("a report");
        let value = |index: usize| report["metrics"][index]["value"].as_f64().expect("a figure");
        assert!(value(0) > 0.0 && value(1) > 0.0);
        assert_eq!(report["bytes"], 4 * BLOCK);
    }
}
