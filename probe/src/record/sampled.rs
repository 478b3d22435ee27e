//! What the samplers read of a machine.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::read::Root;

/// What samplers and counters read beside the facts; a star stands for any part of a name.
const SAMPLED: [&str; 52] = [
    "/proc/stat",
    "/proc/meminfo",
    "/proc/vmstat",
    "/proc/diskstats",
    "/proc/loadavg",
    "/proc/uptime",
    "/proc/version",
    "/proc/net/dev",
    "/proc/net/snmp",
    "/proc/schedstat",
    "/proc/softirqs",
    "/proc/pressure/*",
    "/proc/self/cgroup",
    "/proc/self/mountinfo",
    "/proc/self/stat",
    "/proc/self/statm",
    "/proc/self/status",
    "/proc/self/io",
    "/proc/self/limits",
    "/proc/self/sched",
    "/proc/self/schedstat",
    "/sys/block/*/stat",
    "/sys/class/powercap/*/energy_uj",
    "/sys/class/powercap/*/max_energy_range_uj",
    "/sys/class/hwmon/*/temp*_input",
    "/sys/class/hwmon/*/temp*_label",
    "/sys/class/thermal/thermal_zone*/temp",
    "/sys/class/net/*/statistics/rx_bytes",
    "/sys/class/net/*/statistics/tx_bytes",
    "/sys/devices/system/cpu/cpu*/cpufreq/scaling_cur_freq",
    "/sys/devices/system/cpu/cpu*/thermal_throttle/core_throttle_count",
    "/sys/devices/system/cpu/cpu*/thermal_throttle/package_throttle_count",
    "/sys/devices/system/node/node*/numastat",
    "/sys/devices/system/node/node*/vmstat",
    "/sys/kernel/debug/kvm/*",
    "/sys/bus/event_source/devices/*/type",
    "/sys/bus/event_source/devices/*/events/*",
    "/sys/bus/event_source/devices/*/format/*",
    "/sys/fs/cgroup/cgroup.controllers",
    "/sys/fs/cgroup/cgroup.subtree_control",
    "/sys/fs/cgroup/cpu.stat",
    "/sys/fs/cgroup/memory.stat",
    "/sys/fs/cgroup/io.stat",
    "/sys/fs/cgroup/*/cgroup.controllers",
    "/sys/fs/cgroup/*/cpu.stat",
    "/sys/fs/cgroup/*/cpuacct.usage",
    "/sys/fs/cgroup/*/cpuacct.stat",
    "/sys/fs/cgroup/*/memory.stat",
    "/sys/fs/cgroup/*/memory.usage_in_bytes",
    "/sys/fs/cgroup/*/blkio.throttle.io_service_bytes",
    "/proc/interrupts",
    "/proc/zoneinfo",
];

/// The files that samplers read, as far as they are there.
pub fn files(root: &Root) -> Vec<PathBuf> {
    let mut seen = BTreeSet::new();
    let found = SAMPLED.iter().flat_map(|pattern| expand(root, pattern));
    found.filter(|path| seen.insert(path.clone())).collect()
}

fn expand(root: &Root, pattern: &str) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::from("/")];
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        found = found.iter().flat_map(|folder| matching(root, folder, part)).collect();
    }
    found.retain(|path| root.path(path).is_file());
    found
}

fn matching(root: &Root, folder: &Path, part: &str) -> Vec<PathBuf> {
    let Some((start, end)) = part.split_once('*') else { return vec![folder.join(part)] };
    let fits =
        |name: &String| name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end);
    root.names(folder).into_iter().filter(fits).map(|name| folder.join(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_part_of_a_name() {
        let root = Root::new(format!("{}/tests/machines/hybrid-guest", env!("CARGO_MANIFEST_DIR")));
        let found = expand(&root, "/sys/devices/system/cpu/cpu*/topology/core_*_list");
        assert_eq!(found.len(), 2);
        assert!(expand(&root, "/proc/*/nothing").is_empty());
    }
}
