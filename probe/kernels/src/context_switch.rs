//! `kernel context-switch`: processes in a ring of pipes hand a token round, each summing its own working set.
//!
//! Source: L. McVoy, C. Staelin, lmbench: Portable Tools for Performance Analysis, USENIX 1996, `lat_ctx`. One hop is
//! a switch, a write and a read of a pipe, and the sum. What the last three cost is measured in one process that
//! hands the token through as many pipes with as many working sets, and subtracted; both are printed. All processes
//! are held on one processor, or there would be wake-ups of another instead of switches. Limits: as with lmbench, the
//! difference may lie below the noise: then there is no value.

use std::fs::File;
use std::hint::black_box;
use std::io::{Read, Write};
use std::time::Instant;

use serde_json::{Value, json};

use crate::Result;
use crate::cost::{cannot, figure, median, medians, points};
use crate::entry::{Entry, LOWER, Metric, size_name};
use crate::sys::{self, Child, OneCpu};

pub const ENTRY: Entry = Entry {
    name: "context-switch",
    does: "Time of a switch between processes in a ring of pipes, by their number and working set.",
    rules: "by lmbench's method",
    metrics: &[Metric { name: "switch_{PROCESSES}p_{SIZE}", unit: "us", direction: LOWER }],
};

pub struct Options {
    pub processes: Vec<usize>,
    /// Working sets in bytes.
    pub sizes: Vec<usize>,
    /// Times that the token goes round in a repetition.
    pub rounds: usize,
    pub repetitions: usize,
    /// Everything on one processor.
    pub one_cpu: bool,
}

/// Both ends of a pipe, to read and to write.
type Pipe = (File, File);

fn receive(mut from: &File) -> std::io::Result<u64> {
    let mut token = [0; 8];
    from.read_exact(&mut token).map(|()| u64::from_ne_bytes(token))
}

fn send(mut to: &File, token: u64) -> std::io::Result<()> {
    to.write_all(&token.to_ne_bytes())
}

fn sum(set: &[u64]) -> u64 {
    black_box(set).iter().sum()
}

/// Takes the token, sums, hands it on plus one, until killed.
fn member(from: &File, to: &File, set: &[u64]) -> u8 {
    loop {
        let Ok(token) = receive(from) else { return 1 };
        let sum = black_box(sum(set));
        if send(to, token.wrapping_add(1).wrapping_add(sum)).is_err() {
            return 1;
        }
    }
}

/// ns of one hop; the token must have been counted up at each.
fn rounds(rounds: usize, hops: usize, mut round: impl FnMut(u64) -> std::io::Result<u64>) -> Result<f64> {
    let (start, mut token) = (Instant::now(), 0);
    for _ in 0..rounds {
        token = round(token).map_err(cannot("hand a token round"))?;
    }
    let taken = start.elapsed().as_nanos() as f64;
    if token != (rounds * hops) as u64 {
        return Err(format!("cannot trust a ring of pipes: its token says {token}, not {}", rounds * hops));
    }
    Ok(taken / (rounds * hops) as f64)
}

/// A ring of processes; this one is the first of them.
struct Ring<'a> {
    pipes: &'a [Pipe],
    set: Vec<u64>,
    _others: Vec<Child>,
}

impl<'a> Ring<'a> {
    fn new(pipes: &'a [Pipe], bytes: usize) -> Result<Self> {
        let set = vec![0; bytes / 8];
        // Written by each process before the first round, so that each has its own pages.
        let other = |at: usize| {
            let mut own = set.clone();
            Child::fork(|| {
                own.fill(black_box(0));
                member(&pipes[at - 1].0, &pipes[at].1, &own)
            })
        };
        let others = (1..pipes.len()).map(other).collect::<std::io::Result<_>>().map_err(cannot("fork"))?;
        Ok(Self { pipes, set, _others: others })
    }

    fn round(&self, token: u64) -> std::io::Result<u64> {
        let last = self.pipes.len() - 1;
        send(&self.pipes[0].1, token.wrapping_add(1).wrapping_add(sum(&self.set)))?;
        receive(&self.pipes[last].0)
    }
}

/// The same hops in one process: no switch.
fn alone(pipes: &[Pipe], sets: &[Vec<u64>], mut token: u64) -> std::io::Result<u64> {
    for (pipe, set) in pipes.iter().zip(sets) {
        send(&pipe.1, token.wrapping_add(1).wrapping_add(sum(set)))?;
        token = receive(&pipe.0)?;
    }
    Ok(token)
}

/// Median ns of a hop with and without a switch, measured in turn.
fn hops(processes: usize, bytes: usize, options: &Options) -> Result<(Option<f64>, Option<f64>)> {
    let make = || (0..processes).map(|_| sys::pipe()).collect::<std::io::Result<Vec<Pipe>>>();
    let (pipes, own) = (make().map_err(cannot("make a pipe"))?, make().map_err(cannot("make a pipe"))?);
    let (ring, sets) = (Ring::new(&pipes, bytes)?, vec![vec![black_box(0_u64); bytes / 8]; processes]);
    let (mut hop, mut pipe) = (Vec::new(), Vec::new());
    for repetition in 0..=options.repetitions {
        let switched = rounds(options.rounds, processes, |token| ring.round(token))?;
        let plain = rounds(options.rounds, processes, |token| alone(&own, &sets, token))?;
        if repetition > 0 {
            hop.push(switched);
            pipe.push(plain);
        }
    }
    Ok((median(&hop), median(&pipe)))
}

/// Runs the kernel for each number of processes with each working set.
pub fn context_switch(options: &Options) -> Result<Value> {
    let _one = if options.one_cpu { Some(OneCpu::enter().map_err(cannot("take one processor"))?) } else { None };
    let (mut figures, mut found) = (Vec::new(), Vec::new());
    for bytes in &options.sizes {
        for processes in &options.processes {
            let (hop, pipe) = hops(*processes, *bytes, options)?;
            let switch = hop.zip(pipe).map(|(hop, pipe)| hop - pipe).filter(|switch| *switch > 0.0);
            let name = format!("switch_{processes}p_{}", size_name(*bytes));
            figures.push(figure(name, switch.map(|ns| ns / 1e3)));
            found.push(json!({"processes": processes, "bytes": bytes, "hop_ns": hop, "pipe_ns": pipe}));
        }
    }
    let mut facts = points(found);
    facts["rounds"] = json!(options.rounds);
    facts["one_cpu"] = json!(options.one_cpu);
    Ok(ENTRY.report(&medians(options.repetitions), &figures, facts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ring_has_its_hop_and_its_pipes() {
        let sizes = vec![0, 4096];
        let options = Options { processes: vec![2, 5], sizes, rounds: 20, repetitions: 3, one_cpu: true };
        let report = context_switch(&options).expect("a report");
        let points = report["points"].as_array().expect("points");
        assert_eq!(points.len(), 4);
        assert!(points.iter().all(|point| point["hop_ns"].as_f64() > Some(0.0) && point["pipe_ns"].is_f64()));
        assert_eq!(report["metrics"][3]["name"], "switch_5p_4_KiB");
    }

    #[test]
    fn a_token_that_was_not_counted_is_seen() {
        assert!(rounds(3, 2, |token| Ok(token + 1)).is_err());
        assert!(rounds(3, 2, |token| Ok(token + 2)).is_ok());
    }
}
