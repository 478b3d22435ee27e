//! Processes that run before a profile begins: the kernel tells of them in `/proc` only.

use std::io::{self, Write};

use crate::parse::maps;
use crate::parse::perf_event::{write_map, write_name};
use crate::read::Root;

/// Writes names and executable maps of all processes as records from the time 0; returns the number of bytes.
pub fn write(root: &Root, out: &mut impl Write) -> io::Result<u64> {
    let mut bytes = 0;
    for pid in root.names("/proc").iter().filter_map(|name| name.parse().ok()) {
        let records = of(root, pid);
        out.write_all(&records)?;
        bytes += records.len() as u64;
    }
    Ok(bytes)
}

fn of(root: &Root, pid: u32) -> Vec<u8> {
    let mut records = Vec::new();
    for thread in root.names(format!("/proc/{pid}/task")).iter().filter_map(|name| name.parse().ok()) {
        let name = root.text(format!("/proc/{pid}/task/{thread}/comm")).unwrap_or_default();
        records.extend(write_name(pid, thread, name.trim_end_matches('\n')));
    }
    let maps = root.text(format!("/proc/{pid}/maps")).unwrap_or_default();
    for map in maps::executable(&maps, pid) {
        records.extend(write_map(&map));
    }
    records
}
