//! `kernel fork`: what it costs to make a process and to start a program.
//!
//! Source: lmbench, `lat_proc fork` and `lat_proc exec`: the parent forks and waits; the child ends at once, or
//! becomes a program that ends at once. No shell takes part. Limits: the cost of a fork grows with the memory of the
//! process that forks: this one is as small as the probe. The program is a static one, so no dynamic loader takes
//! part.

use std::ffi::CString;
use std::fs::{File, OpenOptions};

use serde_json::{Value, json};

use crate::Result;
use crate::cost::{call_ns, cannot, figure, medians};
use crate::entry::{Entry, LOWER, Metric};
use crate::sys::{self, Child};

pub const ENTRY: Entry = Entry {
    name: "fork",
    does: "Time to make a process that ends at once, and to start a program that ends at once.",
    rules: "by lmbench's method",
    metrics: &[
        Metric { name: "fork_exit", unit: "us", direction: LOWER },
        Metric { name: "fork_exec", unit: "us", direction: LOWER },
    ],
};

/// A program and its only argument, with which it must end well.
pub struct Program {
    pub path: CString,
    pub argument: CString,
}

fn ended(child: std::io::Result<Child>) -> Result<()> {
    match child.and_then(Child::wait).map_err(cannot("fork"))? {
        Some(0) => Ok(()),
        code => Err(format!("cannot start a program: its process ended with {code:?} and not with 0")),
    }
}

fn started(program: &Program, output: &File) -> std::io::Result<Child> {
    Child::fork(|| sys::become_program(&program.path, &program.argument, output))
}

/// Runs the kernel: repetitions of so many processes.
pub fn fork(program: &Program, repetitions: usize, processes: usize) -> Result<Value> {
    let null = OpenOptions::new().write(true).open("/dev/null").map_err(cannot("open /dev/null"))?;
    let us = |time: Option<f64>| time.map(|ns| ns / 1e3);
    let exit = us(call_ns(repetitions, processes, || ended(Child::fork(|| 0)))?);
    let exec = us(call_ns(repetitions, processes, || ended(started(program, &null)))?);
    let figures = [figure("fork_exit", exit), figure("fork_exec", exec)];
    Ok(ENTRY.report(&medians(repetitions), &figures, json!({"processes": processes})))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(path: &str) -> Program {
        Program { path: CString::new(path).expect("a path"), argument: c"x".to_owned() }
    }

    #[test]
    fn both_costs_are_told() {
        let report = fork(&program("/bin/true"), 2, 2).expect("a report");
        let cost = |index: usize| report["metrics"][index]["value"].as_f64().expect("a cost");
        assert!(cost(0) > 0.0 && cost(1) > 0.0);
    }

    #[test]
    fn a_program_that_fails_or_is_not_there_is_no_figure() {
        assert!(fork(&program("/bin/false"), 2, 2).is_err());
        assert!(fork(&program("/none/there"), 2, 2).is_err_and(|error| error.contains("Some(127)")));
    }
}
