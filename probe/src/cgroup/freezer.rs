//! A group whose processes all stand still, and go on as if nothing had been.
//!
//! Source: Linux `Documentation/admin-guide/cgroup-v1/freezer-subsystem.rst` and `cgroup-v2.rst` (`cgroup.freeze`).
//! Limits: a process stands still once it leaves the kernel; what it waits for there goes on. In version 1 a frozen
//! process does not even die.

use std::fs;
use std::io;
use std::path::Path;

use super::{Controller, Group, Version};

impl Group {
    /// Lets its processes stand still, or go on.
    pub fn freeze(&self, still: bool) -> io::Result<()> {
        match self.version {
            Version::One => self.write(Controller::Freezer, STATE, if still { "FROZEN" } else { "THAWED" }),
            Version::Two => self.write(Controller::Freezer, "cgroup.freeze", if still { "1" } else { "0" }),
        }
    }
}

const STATE: &str = "freezer.state";

/// Lets whoever is frozen in a folder of version 1 go on.
pub fn let_go(folder: &Path) {
    let state = folder.join(STATE);
    if state.exists() {
        let _ = fs::write(state, "THAWED");
    }
}
