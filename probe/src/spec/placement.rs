//! Copies of a job, where they run, and when they start.

use serde_json::Value;

use super::{Limits, values};
use crate::error::{Error, Result};
use crate::fields::Fields;

pub const FIELDS: [&str; 5] = ["copies", "threads", "cpus", "memory_nodes", "nice"];
pub const START: [&str; 2] = ["at_mono_ns", "stagger_s"];

const MOST_COPIES: u32 = 4096;
const MOST_THREADS: u32 = 65536;

/// How many copies of the command run at once, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    pub copies: usize,
    /// Told to each copy in its environment.
    pub threads: Option<u32>,
    /// Processors of each copy; empty is "those of the job".
    pub cpus: Vec<Vec<u32>>,
    /// Memory nodes of each copy; empty is "any".
    pub memory_nodes: Vec<Vec<u32>>,
    pub nice: i32,
}

impl Default for Placement {
    fn default() -> Self {
        Self { copies: 1, threads: None, cpus: Vec::new(), memory_nodes: Vec::new(), nice: 0 }
    }
}

/// When the copies start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Start {
    /// On this machine's CLOCK_MONOTONIC; `None` is "at once".
    pub at_mono_ns: Option<i64>,
    /// Time from one copy to the next.
    pub stagger_s: f64,
}

pub fn read(value: &Value, limits: &Limits) -> Result<Placement> {
    let fields = Fields::of(value, "placement", &FIELDS)?;
    let sets = "a list of processor or node numbers for each copy";
    let placement = Placement {
        copies: fields.read("copies", "1 to 4096", |value| values::count(value, MOST_COPIES))?.unwrap_or(1) as usize,
        threads: fields.read("threads", "1 to 65536", |value| values::count(value, MOST_THREADS))?,
        cpus: fields.read("cpus", sets, values::sets)?.unwrap_or_default(),
        memory_nodes: fields.read("memory_nodes", sets, values::sets)?.unwrap_or_default(),
        nice: fields.read("nice", "-20 to 19", nice)?.unwrap_or(0),
    };
    placement.agrees(limits).map(|()| placement)
}

pub fn read_start(value: &Value) -> Result<Start> {
    let fields = Fields::of(value, "start", &START)?;
    Ok(Start {
        at_mono_ns: fields.read("at_mono_ns", "ns from 0", |value| value.as_i64().filter(|at| *at >= 0))?,
        stagger_s: fields.read("stagger_s", "seconds from 0", values::from_zero)?.unwrap_or(0.0),
    })
}

fn nice(value: &Value) -> Option<i32> {
    i32::try_from(value.as_i64()?).ok().filter(|nice| (-20..20).contains(nice))
}

impl Placement {
    fn agrees(&self, limits: &Limits) -> Result<()> {
        for (name, sets) in [("cpus", &self.cpus), ("memory_nodes", &self.memory_nodes)] {
            if !sets.is_empty() && sets.len() != self.copies {
                let (found, copies) = (sets.len(), self.copies);
                let what = format!("'placement.{name}': expected a list for each of {copies} copies, got {found}");
                return Err(Error::usage(format!("cannot read the spec: {what}")));
            }
        }
        let outside = |cpu: &&u32| !limits.cpus.is_empty() && !limits.cpus.contains(cpu);
        match self.cpus.iter().flatten().find(outside) {
            None => Ok(()),
            Some(cpu) => Err(Error::usage(format!(
                "cannot read the spec: 'placement.cpus': processor {cpu} is not in 'limits.cpus' {:?}",
                limits.cpus
            ))),
        }
    }

    /// Processors of a copy; empty is "those of the job".
    pub fn cpus_of(&self, copy: usize) -> &[u32] {
        self.cpus.get(copy).map_or(&[], Vec::as_slice)
    }

    /// Memory nodes of a copy; empty is "any".
    pub fn nodes_of(&self, copy: usize) -> &[u32] {
        self.memory_nodes.get(copy).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn message(value: &Value, cpus: &[u32]) -> String {
        read(value, &Limits { cpus: cpus.to_vec(), ..Limits::default() }).expect_err("wrong").message
    }

    #[test]
    fn every_copy_has_its_own_processors_within_those_of_the_job() {
        let value = json!({"copies": 2, "cpus": [[0], [1]]});
        let placement = read(&value, &Limits::default()).expect("good");
        assert_eq!((placement.cpus_of(1), placement.nodes_of(1)), (&[1][..], &[][..]));
        assert!(message(&json!({"copies": 3, "cpus": [[0], [1]]}), &[]).contains("each of 3 copies, got 2"));
        assert!(message(&value, &[0]).contains("processor 1 is not in 'limits.cpus' [0]"));
    }

    #[test]
    fn wrong_values_are_refused_by_name() {
        for (name, wrong) in
            [("copies", json!(0)), ("threads", json!(-1)), ("cpus", json!([[]])), ("nice", json!(20))]
        {
            let error = message(&json!({name: wrong}), &[]);
            assert!(error.contains(&format!("'placement.{name}'")), "{error}");
        }
    }
}
