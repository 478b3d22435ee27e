//! Puts the limits in force before the job starts, and reads back what is.

use std::path::Path;

use crate::cgroup::{Device, Group, Rates, Version};
use crate::error::plain;
use crate::parse::flat;
use crate::read::Root;
use crate::spec::Limits;
use crate::sys;

use super::Doubt;

/// Limits as the kernel reports them.
#[derive(Debug)]
pub struct InForce {
    pub cpus: Vec<u32>,
    pub memory_bytes: Option<u64>,
    pub cpu_quota: Option<f64>,
    pub disk: Rates,
    /// Names of the disks for each of which these rates hold.
    pub disks: Vec<String>,
    pub by: &'static str,
}

/// A confined child.
pub struct Confinement {
    pub group: Option<Group>,
    pub in_force: InForce,
    pub doubts: Vec<Doubt>,
}

/// Confines the waiting children; limits of the disk are those of the one that carries their directory where none are named.
///
/// A limit that cannot be applied is a doubt; processors that cannot be given at all are an error.
pub fn confine(limits: &Limits, directory: &str, pids: &[i32], root: &Root) -> Result<Confinement, String> {
    let mut doubts = Vec::new();
    let usable = sys::affinity(0).unwrap_or_default();
    let group = group(limits, root);
    let grouped = group.as_ref().is_some_and(|group| limit_cpus(group, &limits.cpus));
    let group = group.and_then(|group| enter(group, pids));
    if !limits.cpus.is_empty() {
        pids.iter().try_for_each(|pid| give(*pid, &limits.cpus))?;
    }
    let by = by(group.as_ref(), grouped || limits.cpus.is_empty(), limits);
    if limits.any() && !by.starts_with("cgroup") {
        let why = if group.is_some() { "The control group has no cpuset" } else { "No control group could be made" };
        doubts.push(("no-cgroup", format!("{why}: the job could leave its processors.")));
    }
    let width = if limits.cpus.is_empty() { usable.len() } else { limits.cpus.len() };
    let memory_bytes = limits.memory_bytes.and_then(|bytes| memory(group.as_ref(), bytes, root, &mut doubts));
    let cpu_quota = limits.cpu_quota.and_then(|share| quota(group.as_ref(), share, width, &mut doubts));
    let (disk, disks) = if limits.disk() {
        limit_disks(group.as_ref(), limits, directory, root, &mut doubts)
    } else {
        Default::default()
    };
    let cpus = pids.first().map_or(Ok(Vec::new()), |pid| sys::affinity(*pid));
    let cpus = cpus.map_err(|error| format!("cannot read the processors of the job: {}", plain(&error)))?;
    Ok(Confinement { group, in_force: InForce { cpus, memory_bytes, cpu_quota, disk, disks, by }, doubts })
}

/// Moves ourselves off the job's processors: measuring must not take time from what is measured.
pub fn stand_aside(taken: &[u32]) {
    let usable = sys::affinity(0).unwrap_or_default();
    let free: Vec<u32> = usable.iter().copied().filter(|cpu| !taken.contains(cpu)).collect();
    if !taken.is_empty() && !free.is_empty() {
        let _ = sys::confine(0, &free);
    }
}

fn group(limits: &Limits, root: &Root) -> Option<Group> {
    Group::make(root, &format!("{}-{}", std::process::id(), sys::monotonic_ns()), limits)
}

fn limit_cpus(group: &Group, cpus: &[u32]) -> bool {
    !cpus.is_empty() && group.holds_cpus() && group.limit_cpus(cpus).is_ok_and(|held| held == cpus)
}

/// Moves the children in; a group that does not take them all is no group.
fn enter(group: Group, pids: &[i32]) -> Option<Group> {
    let added = pids.iter().all(|pid| group.add(*pid).is_ok());
    let inside = added && group.processes().is_some_and(|held| pids.iter().all(|pid| held.contains(pid)));
    if inside {
        return Some(group);
    }
    group.remove();
    None
}

/// A mask inherited from us may be narrower than the group's: the job gets exactly its processors.
fn give(pid: i32, cpus: &[u32]) -> Result<(), String> {
    sys::confine(pid, cpus).map_err(|error| format!("cannot confine the job to {cpus:?}: {}", plain(&error)))?;
    let held = sys::affinity(pid).unwrap_or_default();
    if held == cpus { Ok(()) } else { Err(format!("cannot confine the job to {cpus:?}: in force are {held:?}")) }
}

fn by(group: Option<&Group>, cpus_held: bool, limits: &Limits) -> &'static str {
    match group.map(|group| group.version) {
        Some(Version::One) if cpus_held => "cgroup-v1",
        Some(Version::Two) if cpus_held => "cgroup-v2",
        _ if !limits.cpus.is_empty() => "affinity",
        _ => "none",
    }
}

fn memory(group: Option<&Group>, bytes: u64, root: &Root, doubts: &mut Vec<Doubt>) -> Option<u64> {
    let limited = group.map(|group| group.limit_memory(bytes));
    let Some(Ok(held)) = limited.filter(|held| !held.as_ref().is_ok_and(|held| *held > bytes)) else {
        doubts.push(("memory-limit-not-applied", format!("The memory limit of {bytes} bytes could not be applied.")));
        return None;
    };
    let swap = flat::number(&root.text("/proc/meminfo").unwrap_or_default(), "SwapTotal");
    if !group.is_some_and(|group| group.refuse_swap(held)) && swap != Some(0) {
        doubts.push(("swap-not-limited", "The job may use swap beyond its memory limit.".to_owned()));
    }
    Some(held)
}

fn quota(group: Option<&Group>, share: f64, cpus: usize, doubts: &mut Vec<Doubt>) -> Option<f64> {
    let limited = group.map(|group| group.limit_quota(share, cpus));
    match limited {
        Some(Ok(held)) if (held - share).abs() <= 0.01 * share => Some(held),
        _ => {
            doubts.push(("cpu-quota-not-applied", format!("The CPU quota of {share} could not be applied.")));
            None
        }
    }
}

/// What is in force of limits of disks, and for which; of the first alone where it could not be applied as wanted.
fn limit_disks(
    group: Option<&Group>,
    limits: &Limits,
    directory: &str,
    root: &Root,
    doubts: &mut Vec<Doubt>,
) -> (Rates, Vec<String>) {
    let wanted = Rates { read: limits.read_bytes_per_s, write: limits.write_bytes_per_s };
    let own = [directory.to_owned()];
    let mut disks = Vec::new();
    for path in if limits.disks.is_empty() { &own[..] } else { &limits.disks } {
        let Some(device) = Device::at(root, Path::new(path)) else {
            doubts.push(("io-limit-not-applied", format!("{path} lies on no disk that could be limited.")));
            return Default::default();
        };
        let held = group.and_then(|group| group.limit_disk(&device, wanted).ok()).unwrap_or_default();
        if held != wanted {
            let sentence = format!("The limit of reads or writes could not be applied to {}.", device.name(root));
            doubts.push(("io-limit-not-applied", sentence));
            let some = held != Rates::default();
            return (held, if some { vec![device.name(root)] } else { Vec::new() });
        }
        disks.push(device.name(root));
    }
    disks.sort_unstable();
    disks.dedup();
    (wanted, disks)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Doubts of a job of these limits in the topmost group of a version 2 that offers no controllers.
    fn doubts(name: &str, limits: &Limits) -> (&'static str, Vec<&'static str>) {
        let folder = std::env::temp_dir().join(format!("assay-confine-{name}-{}", std::process::id()));
        for (path, text) in [
            ("proc/self/mountinfo", "25 24 0:23 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
            ("proc/self/cgroup", "0::/\n"),
            ("sys/fs/cgroup/cgroup.controllers", ""),
        ] {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        let me = i32::try_from(std::process::id()).expect("a number");
        let confinement = confine(limits, "/tmp", &[me], &Root::new(&folder)).expect("confined");
        fs::remove_dir_all(&folder).expect("removed");
        (confinement.in_force.by, confinement.doubts.iter().map(|(code, _)| *code).collect())
    }

    #[test]
    fn an_absent_controller_is_a_doubt_only_where_its_limit_was_asked_for() {
        assert_eq!(doubts("none", &Limits::default()), ("cgroup-v2", vec![]));
        let limits = Limits { memory_bytes: Some(1 << 20), cpu_quota: Some(0.5), ..Limits::default() };
        assert_eq!(doubts("some", &limits).1, ["memory-limit-not-applied", "cpu-quota-not-applied"]);
        let limits = Limits { read_bytes_per_s: Some(1), ..Limits::default() };
        assert_eq!(doubts("disk", &limits).1, ["io-limit-not-applied"]);
        let limits = Limits { cpus: sys::affinity(0).expect("processors"), ..Limits::default() };
        assert_eq!(doubts("cpus", &limits), ("affinity", vec!["no-cgroup"]));
    }
}
