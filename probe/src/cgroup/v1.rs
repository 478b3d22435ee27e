//! Control groups, version 1: one hierarchy a controller.
//!
//! Source: Linux `Documentation/admin-guide/cgroup-v1/`. `cpuacct.usage` is exact in ns; `cpuacct.usage_user`
//! and `cpuacct.usage_sys` (or `cpuacct.stat` before kernel 4.6) count ticks.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;

use super::place::Place;
use super::{Controller, Group, Version, make_folder, usable};
use crate::parse::cpu_list;
use crate::read::Root;
use crate::spec::Limits;

/// Makes a group in every hierarchy that is there and needed.
pub fn make(root: &Root, unique: &str, limits: &Limits) -> Option<Group> {
    let place = Place::read(root)?;
    let mut folders = BTreeMap::new();
    for controller in Controller::ALL.into_iter().filter(|controller| controller.serves(limits)) {
        if let Some(folder) = folder(root, &place, controller, unique) {
            folders.insert(controller, folder);
        }
    }
    (!folders.is_empty()).then_some(Group { version: Version::One, folders })
}

fn folder(root: &Root, place: &Place, controller: Controller, unique: &str) -> Option<PathBuf> {
    let base = root.path(place.v1(controller)?);
    if !usable(&base) {
        return None;
    }
    make_folder(&base, unique)
}

/// A new cpuset is empty, and takes no process before both its processors and its memory nodes are set,
/// in the parent first.
pub fn write_cpus(group: &Group, cpus: &[u32]) -> io::Result<()> {
    let folder = group.folders.get(&Controller::Cpuset).ok_or(io::ErrorKind::NotFound)?;
    let parent = folder.parent().ok_or(io::ErrorKind::NotFound)?;
    let above = parent.parent().ok_or(io::ErrorKind::NotFound)?;
    let all = |name: &str| fs::read_to_string(above.join(name));
    fs::write(parent.join("cpuset.mems"), all("cpuset.mems")?.trim())?;
    let all_cpus = all("cpuset.cpus")?;
    if cpu_list::parse(&fs::read_to_string(parent.join("cpuset.cpus"))?) != cpu_list::parse(&all_cpus) {
        fs::write(parent.join("cpuset.cpus"), all_cpus.trim())?;
    }
    fs::write(folder.join("cpuset.mems"), all("cpuset.mems")?.trim())?;
    fs::write(folder.join("cpuset.cpus"), cpu_list::format(cpus))
}

pub fn write_quota(group: &Group, quota_us: u64, period_us: u64) -> io::Result<()> {
    group.write(Controller::Cpu, "cpu.cfs_period_us", &period_us.to_string())?;
    group.write(Controller::Cpu, "cpu.cfs_quota_us", &quota_us.to_string())
}

/// Quota (`None` for -1, "no limit") and period.
pub fn read_quota(group: &Group) -> Option<(Option<u64>, u64)> {
    let number = |name: &str| group.text(Controller::Cpu, name)?.trim().parse::<i64>().ok();
    let period = u64::try_from(number("cpu.cfs_period_us")?).ok()?;
    Some((u64::try_from(number("cpu.cfs_quota_us")?).ok(), period))
}
