//! The columns of `prmon.txt`: prmon's own in a fixed order, then ours.

use super::sample::Sample;

/// Every monitor of prmon, by its name; `pss` is the part of `memmon` that holds the job up.
pub const MONITORS: [&str; 8] = ["wallmon", "cpumon", "memmon", "pss", "iomon", "netmon", "countmon", "nvidiamon"];
/// The one that cannot be switched off.
pub const ALWAYS: &str = "wallmon";

/// How a column's figures are summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It only grows: "Max" is the total, "Avg" the total by wall time.
    Total,
    /// It goes up and down: "Max" is the highest sample, "Avg" the mean of all.
    Level,
}

/// One column; its cells are whole numbers.
#[derive(Debug)]
pub struct Column {
    pub name: &'static str,
    pub monitor: &'static str,
    pub kind: Kind,
    pub unit: &'static str,
    /// Unit of its "Avg"; `None` where prmon gives none.
    pub mean_unit: Option<&'static str>,
    pub pick: fn(&Sample) -> Option<u64>,
}

const fn total(
    name: &'static str,
    monitor: &'static str,
    unit: &'static str,
    mean_unit: Option<&'static str>,
    pick: fn(&Sample) -> Option<u64>,
) -> Column {
    Column { name, monitor, kind: Kind::Total, unit, mean_unit, pick }
}

const fn level(
    name: &'static str,
    monitor: &'static str,
    unit: &'static str,
    pick: fn(&Sample) -> Option<u64>,
) -> Column {
    Column { name, monitor, kind: Kind::Level, unit, mean_unit: Some(unit), pick }
}

const BYTES: Option<&str> = Some("B/s");
const COUNTS: Option<&str> = Some("1/s");
const S: u64 = 1_000_000_000;
const MS: u64 = 1_000_000;

/// Number of columns that prmon has too; the others are ours.
pub const STANDARD: usize = 17;

/// Columns of ours whose totals the summary has not got otherwise.
pub const TOTALS: [&str; 4] = ["minflt", "majflt", "machine_steal_ms", "machine_iowait_ms"];

pub const COLUMNS: [Column; 25] = [
    total("wtime", "wallmon", "s", None, |s| Some(s.wall_ns / S)),
    level("pss", "memmon", "kB", |s| s.memory.pss_kb),
    level("rss", "memmon", "kB", |s| s.memory.rss_kb),
    level("swap", "memmon", "kB", |s| s.memory.swap_kb),
    level("vmem", "memmon", "kB", |s| s.memory.vmem_kb),
    total("rchar", "iomon", "B", BYTES, |s| s.io.logical_read()),
    total("read_bytes", "iomon", "B", BYTES, |s| s.io.read()),
    total("wchar", "iomon", "B", BYTES, |s| s.io.logical_write()),
    total("write_bytes", "iomon", "B", BYTES, |s| s.io.write()),
    total("rx_bytes", "netmon", "B", BYTES, |s| Some(s.traffic?.rx_bytes)),
    total("rx_packets", "netmon", "1", COUNTS, |s| Some(s.traffic?.rx_packets)),
    total("tx_bytes", "netmon", "B", BYTES, |s| Some(s.traffic?.tx_bytes)),
    total("tx_packets", "netmon", "1", COUNTS, |s| Some(s.traffic?.tx_packets)),
    total("stime", "cpumon", "s", None, |s| Some(s.cpu.system_ns / S)),
    total("utime", "cpumon", "s", None, |s| Some(s.cpu.user_ns / S)),
    level("nprocs", "countmon", "1", |s| Some(s.processes)),
    level("nthreads", "countmon", "1", |s| Some(s.threads)),
    total("time_ns", "wallmon", "ns", None, |s| u64::try_from(s.real_ns).ok()),
    total("wtime_ms", "wallmon", "ms", None, |s| Some(s.wall_ns / MS)),
    total("stime_ms", "cpumon", "ms", None, |s| Some(s.cpu.system_ns / MS)),
    total("utime_ms", "cpumon", "ms", None, |s| Some(s.cpu.user_ns / MS)),
    total("minflt", "memmon", "1", COUNTS, |s| Some(s.minor_faults)),
    total("majflt", "memmon", "1", COUNTS, |s| Some(s.major_faults)),
    total("machine_steal_ms", "cpumon", "ms", None, |s| s.machine_steal_ms),
    total("machine_iowait_ms", "cpumon", "ms", None, |s| s.machine_iowait_ms),
];
