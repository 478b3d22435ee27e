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
    /// Names of the disks that reads are limited from; of writes alone, the one of the directory.
    pub disks: Vec<String>,
    pub by: &'static str,
}

/// A confined child.
pub struct Confinement {
    pub group: Option<Group>,
    pub in_force: InForce,
    pub doubts: Vec<Doubt>,
}

/// Confines the waiting children; reads are limited from the disks that are named, or from that of their directory, and
/// writes to that of their directory.
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

/// What is in force of limits of disks, and which are read from under them: all that was asked for, or nothing at all.
fn limit_disks(
    group: Option<&Group>,
    limits: &Limits,
    directory: &str,
    root: &Root,
    doubts: &mut Vec<Doubt>,
) -> (Rates, Vec<String>) {
    let wishes = match wishes(limits, directory, root) {
        Ok(wishes) => wishes,
        Err(path) => {
            doubts.push(("io-limit-not-applied", format!("{path} lies on no disk that could be limited.")));
            return Default::default();
        }
    };
    let holds = |(device, rates): &&(Device, Rates)| {
        group.and_then(|group| group.limit_disk(device, *rates).ok()).as_ref() == Some(rates)
    };
    if let Some(refused) = wishes.iter().position(|wish| !holds(&wish)) {
        if let Some(group) = group {
            wishes[..=refused].iter().for_each(|(device, _)| group.free_disk(device));
        }
        let name = wishes[refused].0.name(root);
        let sentence = format!("The limit of reads or writes could not be applied to {name}: none is in force.");
        doubts.push(("io-limit-not-applied", sentence));
        return Default::default();
    }
    let reads = limits.read_bytes_per_s.is_some();
    let named = wishes.iter().filter(|(_, rates)| !reads || rates.read.is_some());
    let mut disks: Vec<String> = named.map(|(device, _)| device.name(root)).collect();
    disks.sort_unstable();
    (Rates { read: limits.read_bytes_per_s, write: limits.write_bytes_per_s }, disks)
}

/// Each disk once with what shall hold for it: reads from those that are named, writes to the one of the directory.
///
/// What lies on no disk is an error, before anything is limited.
fn wishes<'a>(limits: &'a Limits, directory: &'a str, root: &Root) -> Result<Vec<(Device, Rates)>, &'a str> {
    let (read, write) = (limits.read_bytes_per_s, limits.write_bytes_per_s);
    let mut from: Vec<&str> = limits.disks.iter().map(String::as_str).collect();
    if from.is_empty() {
        from.push(directory);
    }
    let reads = from.into_iter().filter(|_| read.is_some()).map(|path| (path, Rates { read, write: None }));
    let writes = write.map(|_| (directory, Rates { read: None, write }));
    let mut wishes: Vec<(Device, Rates)> = Vec::new();
    for (path, rates) in reads.chain(writes) {
        let device = Device::at(root, Path::new(path)).ok_or(path)?;
        match wishes.iter_mut().find(|(known, _)| *known == device) {
            Some((_, both)) => *both = Rates { read: both.read.or(rates.read), write: both.write.or(rates.write) },
            None => wishes.push((device, rates)),
        }
    }
    Ok(wishes)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

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

    /// A version 1 of which a group limits disks; `/proc` stands for a file on disk 1:3, `/sys` for one on disk 1:5.
    fn disks(name: &str) -> (PathBuf, Root, Group, PathBuf) {
        let folder = std::env::temp_dir().join(format!("assay-disks-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let mounts = "26 24 0:24 / /sys/fs/cgroup rw - cgroup cgroup rw,blkio\n\
            27 24 0:25 / /proc rw - proc /dev/null rw\n28 24 0:26 / /sys rw - sysfs /dev/zero rw\n";
        for (path, text) in [
            ("proc/self/mountinfo", mounts),
            ("proc/self/cgroup", "3:blkio:/\n"),
            ("sys/dev/block/1:3/dev", "1:3\n"),
            ("sys/dev/block/1:5/dev", "1:5\n"),
            ("sys/fs/cgroup/cgroup.procs", ""),
        ] {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        let root = Root::new(&folder);
        let limits = Limits { read_bytes_per_s: Some(1), ..Limits::default() };
        let group = Group::make(&root, "1", &limits).expect("a group");
        let place = folder.join("sys/fs/cgroup/assay/1");
        for file in [READ, WRITE] {
            fs::write(place.join(file), "").expect("written");
        }
        (folder, root, group, place)
    }

    const READ: &str = "blkio.throttle.read_bps_device";
    const WRITE: &str = "blkio.throttle.write_bps_device";

    fn both(disks: &[&str]) -> Limits {
        let disks = disks.iter().map(|path| (*path).to_owned()).collect();
        Limits { read_bytes_per_s: Some(7), write_bytes_per_s: Some(9), disks, ..Limits::default() }
    }

    #[test]
    fn reads_are_limited_from_the_named_disks_and_writes_to_that_of_the_directory() {
        let (folder, root, group, place) = disks("both");
        let (mut doubts, limits) = (Vec::new(), both(&["/proc"]));
        let held = limit_disks(Some(&group), &limits, "/sys", &root, &mut doubts);
        assert_eq!(held, (Rates { read: Some(7), write: Some(9) }, vec!["1:3".to_owned()]));
        let text = |name: &str| fs::read_to_string(place.join(name)).expect("a file");
        assert_eq!((text(READ), text(WRITE), doubts.len()), ("1:3 7".to_owned(), "1:5 9".to_owned(), 0));
        let limits = Limits { read_bytes_per_s: None, ..both(&["/proc"]) };
        let (rates, disks) = limit_disks(Some(&group), &limits, "/sys", &root, &mut doubts);
        assert_eq!((rates.read, rates.write, disks), (None, Some(9), vec!["1:5".to_owned()]));
        fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn where_one_disk_cannot_be_limited_none_is() {
        let (folder, root, group, place) = disks("one");
        let (mut doubts, nothing) = (Vec::new(), (Rates::default(), Vec::new()));
        let text = |name: &str| fs::read_to_string(place.join(name)).expect("a file");
        let held = limit_disks(Some(&group), &both(&["/proc", "/none-such"]), "/sys", &root, &mut doubts);
        assert_eq!(
            (held, text(READ).as_str()),
            (nothing.clone(), ""),
            "all are looked up before the first is limited"
        );
        fs::remove_file(place.join(WRITE)).expect("removed");
        fs::create_dir(place.join(WRITE)).expect("a folder, which takes no limit");
        for directory in ["/sys", "/proc"] {
            let held = limit_disks(Some(&group), &both(&["/proc"]), directory, &root, &mut doubts);
            assert_eq!((held, text(READ).as_str()), (nothing.clone(), "1:3 0"), "what was limited is let go");
        }
        assert_eq!(doubts.iter().map(|(code, _)| *code).collect::<Vec<_>>(), ["io-limit-not-applied"; 3]);
        fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn who_measures_leaves_the_processors_of_the_job_if_there_are_others() {
        let all = sys::affinity(0).expect("processors");
        for taken in [vec![], all.clone()] {
            stand_aside(&taken);
            assert_eq!(sys::affinity(0).expect("processors"), all, "{taken:?}");
        }
        stand_aside(&all[..1]);
        let left = sys::affinity(0).expect("processors");
        assert_eq!(left, if all.len() > 1 { all[1..].to_vec() } else { all });
    }

    #[test]
    fn what_holds_the_processors_is_named() {
        let machine = crate::cgroup::tests::Machine::new("by");
        let (one, two) = (machine.group_one(), machine.group_two());
        let cpus = Limits { cpus: vec![0], ..Limits::default() };
        assert_eq!((by(Some(&one), true, &cpus), by(Some(&two), true, &cpus)), ("cgroup-v1", "cgroup-v2"));
        assert_eq!((by(Some(&one), false, &cpus), by(Some(&two), false, &cpus)), ("affinity", "affinity"));
        assert_eq!((by(None, true, &cpus), by(None, false, &Limits::default())), ("affinity", "none"));
    }

    #[test]
    fn limits_hold_that_are_read_back_as_they_were_asked_for() {
        let machine = crate::cgroup::tests::Machine::new("held");
        machine.put("proc/meminfo", "SwapTotal: 5 kB\n");
        let (group, mut doubts) = (machine.group_two(), Vec::new());
        assert_eq!(memory(Some(&group), 4096, &machine.root, &mut doubts), Some(4096));
        assert_eq!(quota(Some(&group), 0.5, 2, &mut doubts), Some(0.5));
        assert!(limit_cpus(&group, &[1]) && !limit_cpus(&group, &[]));
        assert_eq!(doubts.len(), 0);
        // The kernel wants 1 ms in 1 s at least.
        assert_eq!(quota(Some(&group), 0.000_1, 1, &mut doubts), None);
        let codes = |doubts: &[Doubt]| doubts.iter().map(|(code, _)| *code).collect::<Vec<_>>();
        assert_eq!(codes(&doubts), ["cpu-quota-not-applied"]);
        fs::remove_file(machine.path("v2/memory.swap.max")).expect("removed");
        fs::create_dir(machine.path("v2/memory.swap.max")).expect("a folder, which takes no limit");
        assert_eq!(memory(Some(&group), 4096, &machine.root, &mut doubts), Some(4096));
        assert_eq!(codes(&doubts), ["cpu-quota-not-applied", "swap-not-limited"]);
        machine.put("proc/meminfo", "SwapTotal: 0 kB\n");
        assert_eq!(memory(Some(&group), 4096, &machine.root, &mut doubts), Some(4096));
        assert_eq!(doubts.len(), 2, "there is no swap to go to");
        assert_eq!((memory(None, 4096, &machine.root, &mut doubts), doubts.len()), (None, 3));
    }

    #[test]
    fn we_leave_the_processors_of_the_job_where_others_are_left() {
        let after = |taken: Vec<u32>| {
            let there = std::thread::spawn(move || {
                stand_aside(&taken);
                sys::affinity(0).expect("processors")
            });
            there.join().expect("ended")
        };
        let all = sys::affinity(0).expect("processors");
        assert_eq!((after(Vec::new()), after(all.clone())), (all.clone(), all.clone()));
        let (first, rest) = all.split_first().expect("a processor");
        assert_eq!(after(vec![*first]), if rest.is_empty() { &all } else { rest });
    }
}
