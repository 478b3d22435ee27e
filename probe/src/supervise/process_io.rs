//! Bytes that processes read and wrote, logically (by system call) and physically (from and to storage).
//!
//! Source: proc(5), `/proc/PID/io`; a parent's figures take in the children that it has waited for.
//! Limits: written bytes count when a page gets dirty, so they contain what is truncated before it is stored;
//! children whose parent ignores SIGCHLD are reaped by the kernel itself: the largest sum that a sample saw counts.

use std::collections::BTreeMap;
use std::io;

use crate::parse::flat;
use crate::read::{Kept, Root};

/// Names in `/proc/PID/io`, in the order of the figures.
const NAMES: [&str; 4] = ["read_bytes", "write_bytes", "rchar", "wchar"];

/// Bytes; `None` where the kernel does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoBytes([Option<u64>; 4]);

impl IoBytes {
    pub const ZERO: Self = Self([Some(0); 4]);

    pub fn parse(text: &str) -> Self {
        Self(NAMES.map(|name| flat::number(text, name)))
    }

    /// Fetched from storage.
    pub fn read(self) -> Option<u64> {
        self.0[0]
    }

    /// Sent to storage.
    pub fn write(self) -> Option<u64> {
        self.0[1]
    }

    /// Asked of the kernel, from whatever it came.
    pub fn logical_read(self) -> Option<u64> {
        self.0[2]
    }

    /// Given to the kernel, wherever it went.
    pub fn logical_write(self) -> Option<u64> {
        self.0[3]
    }

    /// The sum, unknown where one part is.
    pub fn plus(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| Some(self.0[i]?.saturating_add(other.0[i]?))))
    }

    /// The larger of both: totals never go down.
    pub fn at_least(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| Some(self.0[i]?.max(other.0[i].unwrap_or(0)))))
    }
}

/// Files of the living processes, kept open, and the sum of those that were reaped.
#[derive(Debug)]
pub struct ProcessIo {
    root: Root,
    files: BTreeMap<i32, Kept>,
    reaped: IoBytes,
    highest: IoBytes,
    buffer: Vec<u8>,
}

impl ProcessIo {
    pub fn new(root: &Root) -> Self {
        // Without /proc a process that is gone cannot be told from one that is not shown.
        let none = if root.path("/proc/self").exists() { IoBytes::ZERO } else { IoBytes::default() };
        Self { root: root.clone(), files: BTreeMap::new(), reaped: none, highest: none, buffer: Vec::new() }
    }

    /// Takes in a process that has ended, just before it is reaped.
    pub fn bury(&mut self, pid: i32) {
        self.files.remove(&pid);
        self.reaped = self.reaped.plus(self.of(pid).unwrap_or(IoBytes::ZERO));
        self.files.remove(&pid);
    }

    /// What these processes and those that were reaped have read and written; it never goes down.
    pub fn total(&mut self, pids: &[i32]) -> IoBytes {
        self.files.retain(|pid, _| pids.binary_search(pid).is_ok());
        let sum = pids.iter().fold(self.reaped, |sum, pid| sum.plus(self.of(*pid).unwrap_or(IoBytes::ZERO)));
        self.highest = sum.at_least(self.highest);
        self.highest
    }

    /// Whether those that were reaped are less than a sample saw: some were reaped by the kernel itself.
    pub fn is_short(&self) -> bool {
        self.reaped.at_least(self.highest) != self.reaped
    }

    /// Figures of a process, zombie or not; `None` where it is gone, and with it counted by who reaped it.
    pub fn of(&mut self, pid: i32) -> Option<IoBytes> {
        match self.bytes(pid) {
            Ok(io) => Some(io),
            Err(error) => {
                self.files.remove(&pid);
                let gone = gone(&error) && !self.root.path(format!("/proc/{pid}")).exists();
                (!gone).then_some(IoBytes::default())
            }
        }
    }

    fn bytes(&mut self, pid: i32) -> io::Result<IoBytes> {
        if !self.files.contains_key(&pid) {
            self.files.insert(pid, self.root.keep(format!("/proc/{pid}/io"))?);
        }
        let kept = self.files.get(&pid).ok_or(io::ErrorKind::NotFound)?;
        kept.piece_in(&mut self.buffer).map(|bytes| IoBytes::parse(std::str::from_utf8(bytes).unwrap_or("")))
    }
}

/// No such file, or "no such process" from a file that was open already.
fn gone(error: &io::Error) -> bool {
    const ESRCH: i32 = 3;
    error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(ESRCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_part_makes_the_sum_unknown() {
        let known = IoBytes::parse("rchar: 9\nwchar: 8\nread_bytes: 3\nwrite_bytes: 4\n");
        let twice = known.plus(known);
        assert_eq!((twice.read(), twice.write()), (Some(6), Some(8)));
        assert_eq!((twice.logical_read(), twice.logical_write()), (Some(18), Some(16)));
        assert_eq!(known.plus(IoBytes::parse("read_bytes: 1\n")).write(), None);
    }

    #[test]
    fn a_process_that_is_gone_adds_nothing_and_the_total_never_goes_down() {
        let mut io = ProcessIo::new(&Root::here());
        let me = i32::try_from(std::process::id()).expect("a number");
        let first = io.total(&[me]);
        assert!(first.logical_read() > Some(0));
        assert_eq!(io.total(&[]), first);
        assert_eq!(io.total(&[i32::MAX]), first);
    }

    #[test]
    fn only_a_process_that_is_not_there_is_gone() {
        assert!(gone(&io::ErrorKind::NotFound.into()) && gone(&io::Error::from_raw_os_error(3)));
        assert!(!gone(&io::ErrorKind::PermissionDenied.into()) && !gone(&io::Error::from_raw_os_error(5)));
    }
}
