//! `kernel syscall`: what entering the kernel costs, alone and with a little work.
//!
//! Source: lmbench, `lat_syscall`: getppid as the call that does nothing (never answered by the C library), one byte
//! read from /dev/zero, one byte written to /dev/null, stat, open and close.
//! Limits: stat and open take the directory `/`, which is there even in an empty chroot: its path is one step,
//! a program's own are longer. Mitigations and audit rules are part of the figures.

use std::ffi::CStr;
use std::fs::{File, OpenOptions};
use std::hint::black_box;
use std::io::{Read, Write};

use serde_json::{Value, json};

use crate::Result;
use crate::cost::{call_ns, cannot, figure, medians};
use crate::entry::{Entry, LOWER, Metric};
use crate::sys;

pub const ENTRY: Entry = Entry {
    name: "syscall",
    does: "Time of system calls: none to do, read, write, stat, open and close.",
    rules: "by lmbench's method",
    metrics: &[metric("null_call"), metric("read"), metric("write"), metric("stat"), metric("open_close")],
};
const PATH: &CStr = c"/";

const fn metric(name: &'static str) -> Metric {
    Metric { name, unit: "ns", direction: LOWER }
}

fn succeeded(what: &str, done: bool) -> Result<()> {
    if done { Ok(()) } else { Err(format!("cannot {what} '/': {}", std::io::Error::last_os_error())) }
}

/// Runs the kernel: repetitions of so many calls.
pub fn syscall(repetitions: usize, calls: usize) -> Result<Value> {
    let mut zero = File::open("/dev/zero").map_err(cannot("open /dev/zero"))?;
    let mut null = OpenOptions::new().write(true).open("/dev/null").map_err(cannot("open /dev/null"))?;
    let parent = sys::parent();
    let time = |act: &mut dyn FnMut() -> Result<()>| call_ns(repetitions, calls, act);
    let same = |found: i64| if found == parent { Ok(()) } else { Err("cannot ask for the parent twice".to_owned()) };
    let mut byte = [1];
    let figures = [
        figure("null_call", time(&mut || same(black_box(sys::parent())))?),
        figure("read", time(&mut || zero.read_exact(&mut byte).map_err(cannot("read /dev/zero")))?),
        figure("write", time(&mut || null.write_all(&[1]).map_err(cannot("write /dev/null")))?),
        figure("stat", time(&mut || succeeded("stat", sys::stat(PATH)))?),
        figure("open_close", time(&mut || succeeded("open", sys::open_close(PATH)))?),
    ];
    Ok(ENTRY.report(&medians(repetitions), &figures, json!({"calls": calls})))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_has_its_cost() {
        let report = syscall(3, 10).expect("a report");
        let metrics = report["metrics"].as_array().expect("figures");
        assert_eq!(metrics.len(), ENTRY.metrics.len());
        assert!(metrics.iter().all(|metric| metric["value"].as_f64().is_some_and(|value| value > 0.0)));
    }
}
