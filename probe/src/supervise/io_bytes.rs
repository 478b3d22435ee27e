//! Bytes that processes fetched from and sent to storage.
//!
//! Source: proc(5), `/proc/PID/io`; a parent's figures take in the children that it has waited for.
//! Limits: written bytes count when a page gets dirty, so they contain what is truncated before it is stored;
//! children whose parent ignores SIGCHLD are reaped by the kernel itself and counted nowhere.

use std::io;

use crate::parse::flat;
use crate::read::Root;

/// Bytes; `None` where the kernel does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoBytes {
    pub read: Option<u64>,
    pub write: Option<u64>,
}

impl IoBytes {
    pub const ZERO: Self = Self { read: Some(0), write: Some(0) };

    pub fn parse(text: &str) -> Self {
        Self { read: flat::number(text, "read_bytes"), write: flat::number(text, "write_bytes") }
    }

    /// Figures of a process, zombie or not; `None` where it is gone, and with it counted by who reaped it.
    pub fn of(root: &Root, pid: i32) -> Option<Self> {
        match root.bytes(format!("/proc/{pid}/io")) {
            Ok(bytes) => Some(Self::parse(&String::from_utf8_lossy(&bytes))),
            Err(error) if gone(&error) && !root.path(format!("/proc/{pid}")).exists() => None,
            Err(_) => Some(Self::default()),
        }
    }

    /// The sum, unknown where one part is.
    pub fn plus(self, other: Self) -> Self {
        let sum = |one: Option<u64>, two: Option<u64>| Some(one?.saturating_add(two?));
        Self { read: sum(self.read, other.read), write: sum(self.write, other.write) }
    }

    /// The larger of both: totals never go down.
    pub fn at_least(self, other: Self) -> Self {
        let larger = |one: Option<u64>, two: Option<u64>| Some(one?.max(two.unwrap_or(0)));
        Self { read: larger(self.read, other.read), write: larger(self.write, other.write) }
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
        let known = IoBytes::parse("read_bytes: 3\nwrite_bytes: 4\n");
        assert_eq!(known.plus(known), IoBytes { read: Some(6), write: Some(8) });
        assert_eq!(known.plus(IoBytes::parse("read_bytes: 1\n")), IoBytes { read: Some(4), write: None });
    }
}
