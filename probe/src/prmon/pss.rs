//! The share of memory of all processes, read as seldom as its price asks for.
//!
//! Source: proc(5), `smaps_rollup`, before kernel 4.14 `smaps`. Reading it walks the page tables of a process and holds
//! up its `mmap`: it may take at most one thousandth of the time, and in between the last value is repeated.

use std::io;

use crate::parse::smaps;
use crate::read::Root;
use crate::sys;

/// One part in so many of the time may go into reading.
const SHARE: i64 = 1000;

/// Readings of the share of memory.
#[derive(Debug)]
pub struct Pss {
    root: Root,
    last_kb: Option<u64>,
    next_ns: i64,
    pub readings: u64,
    pub repeated: u64,
    /// Readings of a process that this user was refused.
    pub refused: u64,
}

impl Pss {
    pub fn new(root: &Root) -> Self {
        Self { root: root.clone(), last_kb: None, next_ns: i64::MIN, readings: 0, repeated: 0, refused: 0 }
    }

    /// What these processes share; never more than what they have resident.
    pub fn kb(&mut self, pids: &[i32], rss_kb: u64, now_ns: i64) -> Option<u64> {
        if now_ns < self.next_ns {
            self.repeated += 1;
        } else {
            // Wall time: a reader that has lost its processor goes on holding the job up.
            let before = sys::monotonic_ns();
            self.last_kb = Some(pids.iter().filter_map(|pid| self.of(*pid)).sum());
            let price = (sys::monotonic_ns() - before).saturating_mul(SHARE);
            self.next_ns = now_ns.saturating_add(price);
            self.readings += 1;
        }
        self.last_kb.map(|kb| kb.min(rss_kb))
    }

    fn of(&mut self, pid: i32) -> Option<u64> {
        let read = |name: &str| self.root.bytes(format!("/proc/{pid}/{name}"));
        let rollup = read("smaps_rollup");
        let absent = rollup.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        let read = if absent { read("smaps") } else { rollup };
        if read.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied) {
            self.refused += 1;
        }
        kb(&String::from_utf8_lossy(&read.ok()?))
    }
}

fn kb(text: &str) -> Option<u64> {
    smaps::pss(text).all_bytes.map(|bytes| bytes / 1024)
}

/// Whether the kernel tells it of this process.
pub fn told(root: &Root, pid: &str) -> bool {
    let text = |name: &str| root.text(format!("/proc/{pid}/{name}"));
    ["smaps_rollup", "smaps"].into_iter().filter_map(text).any(|text| kb(&text).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_repeated_until_its_reading_is_paid_for() {
        let me = i32::try_from(std::process::id()).expect("a number");
        let mut pss = Pss::new(&Root::here());
        let first = pss.kb(&[me], u64::MAX, 0);
        assert!(first > Some(0));
        assert_eq!(pss.kb(&[me], u64::MAX, 1), first);
        assert_eq!(pss.kb(&[], 7, 2), Some(7));
        assert_eq!((pss.readings, pss.repeated), (1, 2));
        assert_eq!(pss.kb(&[], 7, i64::MAX), Some(0));
    }
}
