//! A control group of ours around one job: its limits, its exact CPU time, its members.

mod bare;
mod disk;
mod freezer;
mod gauge;
mod place;
mod quota;
#[cfg(test)]
mod real;
mod stalls;
#[cfg(test)]
pub mod tests;
mod v1;
mod v2;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use crate::arrange;
use crate::cpu_time::CpuTime;
use crate::parse::{cpu_list, flat};
use crate::read::Root;
use crate::spec::Limits;
use crate::sys;

pub use disk::{Device, Rates};
pub use gauge::Gauge;
pub use place::{Place, kind};
pub use quota::parse_max;

/// Name of the folder that holds our groups.
const PARENT: &str = "assay";
/// Younger groups are left alone: their makers may not have locked them yet.
const OLD_NS: i64 = 10_000_000_000;

/// Controllers that we use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Controller {
    Cpuset,
    Cpu,
    Cpuacct,
    Memory,
    /// Of version 1; version 2 calls it `io`.
    Blkio,
    /// Of version 1; in version 2 every group can be frozen.
    Freezer,
}

impl Controller {
    pub const ALL: [Self; 6] = [Self::Cpuset, Self::Cpu, Self::Cpuacct, Self::Memory, Self::Blkio, Self::Freezer];

    pub fn name(self) -> &'static str {
        match self {
            Self::Cpuset => "cpuset",
            Self::Cpu => "cpu",
            Self::Cpuacct => "cpuacct",
            Self::Memory => "memory",
            Self::Blkio => "blkio",
            Self::Freezer => "freezer",
        }
    }

    /// Its name in version 2.
    pub fn unified_name(self) -> &'static str {
        if self == Self::Blkio { "io" } else { self.name() }
    }

    /// Whether a job of these limits needs it: those that only confine are left alone where nothing is asked of them.
    fn serves(self, limits: &Limits) -> bool {
        match self {
            Self::Cpuset => !limits.cpus.is_empty(),
            Self::Blkio => limits.disk(),
            Self::Freezer => limits.pause.is_some(),
            Self::Cpu | Self::Cpuacct | Self::Memory => true,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    One,
    Two,
}

/// A group that exists; the same folder may serve several controllers.
#[derive(Debug)]
pub struct Group {
    pub version: Version,
    folders: BTreeMap<Controller, PathBuf>,
}

/// CPU time as the group tells it: an exact total, and ticks (any unit) in each mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupCpu {
    pub total_ns: u64,
    pub user_ticks: u64,
    pub system_ticks: u64,
}

impl GroupCpu {
    /// What was used since an earlier reading, added to what was known then.
    pub fn since(self, start: Self, known: CpuTime) -> CpuTime {
        let gone = |now: u64, then: u64| now.saturating_sub(then);
        known.grown(
            gone(self.total_ns, start.total_ns),
            gone(self.user_ticks, start.user_ticks),
            gone(self.system_ticks, start.system_ticks),
        )
    }
}

impl Group {
    /// Makes a group; `None` where this machine or this user can have none.
    ///
    /// Version 2 with its controllers, else version 1, else version 2 with what there is: it counts CPU time always.
    pub fn make(root: &Root, unique: &str, limits: &Limits) -> Option<Self> {
        let whole = v2::make(root, unique, limits);
        whole.or_else(|| v1::make(root, unique, limits)).or_else(|| v2::make_poor(root, unique, limits))
    }

    fn file(&self, controller: Controller, name: &str) -> Option<PathBuf> {
        Some(self.folders.get(&controller)?.join(name))
    }

    fn text(&self, controller: Controller, name: &str) -> Option<String> {
        fs::read_to_string(self.file(controller, name)?).ok()
    }

    fn write(&self, controller: Controller, name: &str, value: &str) -> io::Result<()> {
        let path = self.file(controller, name).ok_or(io::ErrorKind::NotFound)?;
        fs::write(path, value)
    }

    /// Whether processors can be given by the group.
    pub fn holds_cpus(&self) -> bool {
        self.folders.contains_key(&Controller::Cpuset)
    }

    /// Confines the group to processors and reads back what is in force.
    pub fn limit_cpus(&self, cpus: &[u32]) -> io::Result<Vec<u32>> {
        match self.version {
            Version::One => v1::write_cpus(self, cpus)?,
            Version::Two => self.write(Controller::Cpuset, "cpuset.cpus", &cpu_list::format(cpus))?,
        }
        let text = self.text(Controller::Cpuset, "cpuset.cpus");
        text.and_then(|text| cpu_list::parse(&text)).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Limits the memory and reads back what is in force (the kernel rounds to pages).
    pub fn limit_memory(&self, bytes: u64) -> io::Result<u64> {
        let name = if self.version == Version::One { "memory.limit_in_bytes" } else { "memory.max" };
        self.write(Controller::Memory, name, &bytes.to_string())?;
        let text = self.text(Controller::Memory, name);
        text.and_then(|text| text.trim().parse().ok()).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Keeps the job from going beyond its memory into swap; false where the kernel does not let us.
    pub fn refuse_swap(&self, bytes: u64) -> bool {
        // A page above the limit of memory alone, of which version 1 counts how often it is met, as not of this one.
        let both = bytes + sys::page_bytes();
        let written = match self.version {
            Version::One => self.write(Controller::Memory, "memory.memsw.limit_in_bytes", &both.to_string()),
            Version::Two => self.write(Controller::Memory, "memory.swap.max", "0"),
        };
        written.is_ok()
    }

    /// Limits the CPU time to a share of `cpus` processors and reads back the share in force.
    pub fn limit_quota(&self, share: f64, cpus: usize) -> io::Result<f64> {
        let (quota_us, period_us) = quota::of_share(share, cpus);
        match self.version {
            Version::One => v1::write_quota(self, quota_us, period_us)?,
            Version::Two => self.write(Controller::Cpu, "cpu.max", &format!("{quota_us} {period_us}"))?,
        }
        let read = match self.version {
            Version::One => v1::read_quota(self),
            Version::Two => self.text(Controller::Cpu, "cpu.max").and_then(|text| quota::parse_max(&text)),
        };
        read.map(|pair| quota::share(pair, cpus)).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Moves a process into the group, all controllers.
    pub fn add(&self, pid: i32) -> io::Result<()> {
        self.each_folder().into_iter().try_for_each(|folder| fs::write(folder.join("cgroup.procs"), pid.to_string()))
    }

    /// Its folders, each once.
    pub fn each_folder(&self) -> Vec<&PathBuf> {
        let mut folders: Vec<&PathBuf> = self.folders.values().collect();
        arrange::sort_distinct(&mut folders);
        folders
    }

    /// Its folder in the unified hierarchy; `None` for version 1.
    pub fn unified(&self) -> Option<&Path> {
        let folder = self.folders.values().next().filter(|_| self.version == Version::Two);
        folder.map(PathBuf::as_path)
    }

    /// Its processes, of groups below it too; `None` where that cannot be read.
    pub fn processes(&self) -> Option<Vec<i32>> {
        let mut pids = Vec::new();
        collect(self.folders.values().next()?, &mut pids)?;
        Some(pids)
    }

    /// Processes that the kernel killed for want of memory; `None` where it does not count them.
    pub fn oom_kills(&self) -> Option<u64> {
        let name = if self.version == Version::One { "memory.oom_control" } else { "memory.events" };
        flat::number(&self.text(Controller::Memory, name)?, "oom_kill")
    }

    /// Kills all members at once where the kernel can (v2 since 5.14).
    pub fn kill(&self) -> bool {
        self.version == Version::Two && self.write(Controller::Cpuacct, "cgroup.kill", "1").is_ok()
    }

    /// Removes the group and our parent folder if it is empty; false where a group had to be left.
    pub fn remove(self) -> bool {
        let gone: Vec<bool> = self.each_folder().into_iter().map(|folder| remove_folder(folder)).collect();
        gone.into_iter().all(|gone| gone)
    }
}

/// Kills what is left in the groups of a run whose supervisor is gone, and removes them.
pub fn clear(folders: &[PathBuf]) -> bool {
    // Whoever is frozen does not die (version 1).
    folders.iter().for_each(|folder| freezer::let_go(folder));
    for _ in 0..100 {
        let mut pids = Vec::new();
        for folder in folders {
            let _ = collect(folder, &mut pids);
        }
        if pids.is_empty() {
            break;
        }
        for pid in pids {
            let _ = sys::kill(pid, sys::SIGKILL);
        }
        pause();
    }
    let gone: Vec<bool> = folders.iter().map(|folder| remove_folder(folder)).collect();
    gone.into_iter().all(|gone| gone)
}

fn collect(folder: &Path, pids: &mut Vec<i32>) -> Option<()> {
    let text = fs::read_to_string(folder.join("cgroup.procs")).ok()?;
    pids.extend(text.lines().filter_map(|line| line.parse::<i32>().ok()));
    if !has_folders(folder) {
        return Some(());
    }
    for entry in fs::read_dir(folder).ok()?.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect(&entry.path(), pids);
        }
    }
    Some(())
}

/// Every folder in a folder is a link to it, besides its name and its own dot; some file systems don't count them.
fn has_folders(folder: &Path) -> bool {
    folder.metadata().is_ok_and(|metadata| metadata.nlink() != 2)
}

fn remove_folder(folder: &Path) -> bool {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_folder(&entry.path());
        }
    }
    // A group stays busy for a moment after its last process was reaped.
    let gone = (0..50).any(|_| fs::remove_dir(folder).is_ok() || !folder.exists() || pause());
    let parent = folder.parent().filter(|parent| parent.file_name().is_some_and(|name| name == PARENT));
    parent.map(v2::leave);
    gone
}

fn pause() -> bool {
    sleep(Duration::from_millis(10));
    false
}

/// Makes `base/assay/unique`; another run may remove an empty `assay` meanwhile, so it is tried again.
fn make_folder(base: &Path, unique: &str) -> Option<PathBuf> {
    let folder = base.join(PARENT).join(unique);
    sweep(&base.join(PARENT));
    let made = (0..5).any(|_| fs::create_dir_all(&folder).is_ok());
    if let Some(mine) = made.then(|| File::open(&folder)).and_then(Result::ok) {
        // Locked as long as this process lives: a group that nobody has locked is nobody's any more.
        let _ = sys::lock_with_children(&mine);
        std::mem::forget(mine);
    }
    made.then_some(folder)
}

/// Removes groups of runs that were killed with their supervisor and that nobody stopped: empty, and locked by nobody.
fn sweep(parent: &Path) {
    let now_ns = sys::monotonic_ns();
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some((pid, made_ns)) = name.to_str().and_then(maker) else { continue };
        let gone = now_ns - made_ns > OLD_NS && !Path::new(&format!("/proc/{pid}")).exists();
        if gone && File::open(entry.path()).is_ok_and(|folder| sys::lock_with_children(&folder).is_ok()) {
            let _ = fs::remove_dir(entry.path()); // never one that has processes
        }
    }
}

/// Number of the process that made a group, and when on the monotonic clock, by its name.
fn maker(name: &str) -> Option<(u32, i64)> {
    let (pid, made_ns) = name.split_once('-')?;
    Some((pid.parse().ok()?, made_ns.parse().ok()?))
}

/// Whether folders can be made here.
fn usable(folder: &Path) -> bool {
    folder.is_dir() && sys::writable(folder)
}
