//! Control groups, version 2: one hierarchy for all controllers.
//!
//! Source: Linux `Documentation/admin-guide/cgroup-v2.rst`. A group that holds processes cannot pass controllers
//! to groups below it, save the topmost: so ours is made below the nearest ancestor that lets us.
//! `cpu.stat` counts `usage_usec` exactly (rounded down to a microsecond) and splits it as it does for a process.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::place::Place;
use super::{Controller, Group, GroupCpu, PARENT, Version, make_folder, usable};
use crate::parse::flat;
use crate::read::Root;
use crate::spec::Limits;

/// Controllers that a v2 hierarchy must offer to go before version 1; where that holds them (hybrid) it does not.
const NEEDED: [Controller; 2] = [Controller::Cpu, Controller::Memory];
/// An empty group `assay/passed-CONTROLLER` says that we passed this controller on to `assay`: whichever run ends
/// last puts it back, also for one whose supervisor was killed.
const PASSED: &str = "passed-";

/// Makes a group that carries the controllers; `None` where version 1 carries them or nothing can be made.
pub fn make(root: &Root, unique: &str, limits: &Limits) -> Option<Group> {
    make_with(root, unique, limits, &NEEDED)
}

/// Makes a group with as many controllers as can be had, be it none.
pub fn make_poor(root: &Root, unique: &str, limits: &Limits) -> Option<Group> {
    let (top, _) = Place::read(root)?.v2()?;
    let mut offered = NEEDED.to_vec();
    offered.retain(|controller| offers(&root.path(&top), &[*controller]));
    make_with(root, unique, limits, &offered).or_else(|| make_with(root, unique, limits, &[]))
}

fn make_with(root: &Root, unique: &str, limits: &Limits, needed: &[Controller]) -> Option<Group> {
    let (top, own) = Place::read(root)?.v2()?;
    let (top, own) = (root.path(top), root.path(own));
    if !offers(&top, needed) {
        return None;
    }
    let bases = own.ancestors().take_while(|folder| folder.starts_with(&top));
    let folder = bases.filter(|base| usable(base)).find_map(|base| make_below(base, unique, limits, needed))?;
    Some(Group { version: Version::Two, folders: folders(&folder) })
}

fn offers(folder: &Path, controllers: &[Controller]) -> bool {
    let names = words(&folder.join("cgroup.controllers"));
    controllers.iter().all(|controller| names.iter().any(|name| name == controller.unified_name()))
}

fn words(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

fn make_below(base: &Path, unique: &str, limits: &Limits, needed: &[Controller]) -> Option<PathBuf> {
    let folder = make_folder(base, unique)?;
    // One by one: a machine without cpuset still has the others. A kernel before 6.2 forgets the affinity of all
    // processes around when cpuset is passed on, so that is not done for nothing.
    let asked = [Controller::Cpuset, Controller::Blkio].into_iter().filter(|controller| controller.serves(limits));
    for controller in NEEDED.into_iter().chain(asked) {
        pass_on(base, controller.unified_name());
    }
    if offers(&folder, needed) {
        return Some(folder);
    }
    super::remove_folder(&folder);
    None
}

/// Passes a controller on from `base` to the groups below `base/assay`.
pub(super) fn pass_on(base: &Path, name: &str) {
    let parent = base.join(PARENT);
    let [above, below] = [base, &parent].map(|folder| folder.join("cgroup.subtree_control"));
    let there = words(&above).iter().any(|word| word == name);
    if !there && fs::write(above, format!("+{name}")).is_ok() {
        let _ = fs::create_dir(parent.join(format!("{PASSED}{name}")));
    }
    let _ = fs::write(below, format!("+{name}"));
}

/// Removes `base/assay` where no group of a run is left in it, and puts back what was passed on for it.
///
/// Limits: a controller that somebody else began to rely on meanwhile is taken from them too.
pub fn leave(parent: &Path) {
    let entries: Vec<_> = fs::read_dir(parent).into_iter().flatten().flatten().collect();
    let groups = entries.iter().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let names: Vec<String> = groups.map(|group| group.file_name().to_string_lossy().into_owned()).collect();
    let passed: Vec<&str> = names.iter().filter_map(|name| name.strip_prefix(PASSED)).collect();
    if passed.len() < names.len() {
        return;
    }
    let mark = |name: &str| parent.join(format!("{PASSED}{name}"));
    for name in &passed {
        let _ = fs::remove_dir(mark(name));
    }
    let gone = fs::remove_dir(parent).is_ok();
    for name in passed {
        // Another run may have made its group meanwhile: it is left to that one.
        let _ = if gone { put_back(parent, name) } else { fs::create_dir(mark(name)) };
    }
}

fn put_back(parent: &Path, name: &str) -> io::Result<()> {
    let base = parent.parent().ok_or(io::ErrorKind::NotFound)?;
    fs::write(base.join("cgroup.subtree_control"), format!("-{name}"))
}

fn folders(folder: &Path) -> BTreeMap<Controller, PathBuf> {
    let always = [Controller::Cpuacct, Controller::Freezer];
    let there = |controller: &Controller| always.contains(controller) || offers(folder, &[*controller]);
    let mut folders = BTreeMap::new();
    folders.extend(Controller::ALL.into_iter().filter(there).map(|controller| (controller, folder.to_owned())));
    folders
}

/// Reads `cpu.stat`.
pub fn cpu(text: &str) -> Option<GroupCpu> {
    Some(GroupCpu {
        total_ns: flat::number(text, "usage_usec")?.checked_mul(1000)?,
        user_ticks: flat::number(text, "user_usec")?,
        system_ticks: flat::number(text, "system_usec")?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::group_of_version_two as group;
    use super::*;

    #[test]
    fn limits_are_written_in_the_files_of_version_two_and_read_back() {
        let folder = std::env::temp_dir().join(format!("assay-v2-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("memory.events"), "low 0\noom 1\noom_kill 2\n").expect("a file");
        let group = group(&folder);
        assert_eq!(group.limit_cpus(&[1, 3]).expect("cpus"), [1, 3]);
        assert_eq!(group.limit_memory(1 << 20).expect("memory"), 1 << 20);
        assert!((group.limit_quota(0.5, 2).expect("a quota") - 0.5).abs() < 1e-12);
        assert!(group.refuse_swap(1 << 20));
        assert_eq!(group.oom_kills(), Some(2));
        let written = |name: &str| fs::read_to_string(folder.join(name)).expect("a written file");
        assert_eq!(written("cpuset.cpus"), "1,3");
        assert_eq!(written("memory.max"), "1048576");
        assert_eq!(written("cpu.max"), "100000 100000");
        assert_eq!(written("memory.swap.max"), "0");
        fs::remove_dir_all(&folder).expect("removed");
    }

    /// A machine with version 2 alone whose topmost group, which is ours too, offers these controllers.
    ///
    /// A plain folder does not fill a new group as the kernel does: the group `1` is there before with its files.
    struct Fake {
        folder: PathBuf,
        root: Root,
    }

    impl Fake {
        fn new(name: &str, controllers: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("assay-v2-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            let fake = Self { root: Root::new(&folder), folder };
            fake.put("proc/self/mountinfo", "25 24 0:23 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n");
            fake.put("proc/self/cgroup", "0::/\n");
            for group in ["", "assay/1/"] {
                fake.put(&format!("sys/fs/cgroup/{group}cgroup.controllers"), controllers);
            }
            fake.put("sys/fs/cgroup/cgroup.procs", "1\n77\n");
            fake.put("sys/fs/cgroup/cgroup.subtree_control", "");
            fake.put("sys/fs/cgroup/assay/1/cgroup.procs", "");
            fake.put("sys/fs/cgroup/assay/1/cpu.stat", "usage_usec 30\nuser_usec 20\nsystem_usec 10\n");
            fake
        }

        fn put(&self, path: &str, text: &str) {
            let path = self.folder.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        }

        fn top(&self, name: &str) -> PathBuf {
            self.folder.join("sys/fs/cgroup").join(name)
        }

        fn marks(&self) -> Vec<String> {
            let names = self.root.names("/sys/fs/cgroup/assay");
            names.into_iter().filter(|name| name.starts_with(PASSED)).collect()
        }

        /// What the kernel does when a group goes.
        fn remove_files(&self, group: &str) {
            for name in self.root.names(format!("/sys/fs/cgroup/{group}")) {
                let _ = fs::remove_file(self.top(group).join(name));
            }
        }
    }

    impl Drop for Fake {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }

    fn all_limits() -> Limits {
        Limits { cpus: vec![0], memory_bytes: Some(1 << 20), cpu_quota: Some(0.5), ..Limits::default() }
    }

    #[test]
    fn in_the_topmost_group_a_job_without_limits_gets_a_group_that_counts() {
        let fake = Fake::new("counts", "cpuset cpu io memory pids\n");
        fake.put("sys/fs/cgroup/assay/1/memory.events", "low 0\noom_kill 0\n");
        let group = Group::make(&fake.root, "1", &Limits::default()).expect("a group");
        assert_eq!((group.version, group.each_folder()), (Version::Two, vec![&fake.top("assay/1")]));
        assert_eq!(
            super::super::Gauge::new(&group).and_then(|mut gauge| gauge.cpu()),
            Some(GroupCpu { total_ns: 30_000, user_ticks: 20, system_ticks: 10 })
        );
        assert_eq!(group.oom_kills(), Some(0));
        assert_eq!(fake.marks(), ["passed-cpu", "passed-memory"]);
        group.add(77).expect("moved");
        assert_eq!(group.processes(), Some(vec![77]));
    }

    #[test]
    fn in_the_topmost_group_all_limits_hold() {
        let fake = Fake::new("limits", "cpuset cpu io memory pids\n");
        let group = Group::make(&fake.root, "1", &all_limits()).expect("a group");
        assert_eq!(fake.marks(), ["passed-cpu", "passed-cpuset", "passed-memory"]);
        assert_eq!(group.limit_cpus(&[0]).expect("cpus"), [0]);
        assert_eq!(group.limit_memory(1 << 20).expect("memory"), 1 << 20);
        assert!((group.limit_quota(0.5, 1).expect("a quota") - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_group_without_controllers_counts_cpu_time_and_refuses_limits() {
        for controllers in ["", "cpu pids\n"] {
            let fake = Fake::new("poor", controllers);
            let group = Group::make(&fake.root, "1", &all_limits()).expect("a group");
            assert_eq!(
                super::super::Gauge::new(&group).and_then(|mut gauge| gauge.cpu()).map(|cpu| cpu.total_ns),
                Some(30_000)
            );
            assert_eq!(group.oom_kills(), None);
            assert!(!group.holds_cpus() && group.limit_memory(1 << 20).is_err());
            assert_eq!(group.limit_quota(0.5, 1).is_ok(), controllers.contains("cpu"));
        }
    }

    #[test]
    fn the_last_group_to_go_puts_back_what_was_passed_on() {
        let fake = Fake::new("back", "cpuset cpu memory\n");
        fake.put("sys/fs/cgroup/cgroup.subtree_control", "cpu pids\n");
        let group = Group::make(&fake.root, "1", &Limits::default()).expect("a group");
        assert_eq!(fake.marks(), ["passed-memory"]);
        let control = || fs::read_to_string(fake.top("cgroup.subtree_control")).expect("a file");
        assert_eq!(control(), "+memory");
        fs::create_dir(fake.top("assay/other")).expect("a group of another run");
        fake.remove_files("assay/1");
        fake.remove_files("assay");
        assert!(group.remove());
        assert_eq!((control().as_str(), fake.marks().len()), ("+memory", 1));
        assert!(crate::cgroup::clear(&[fake.top("assay/other")]));
        assert_eq!((control().as_str(), fake.top("assay").exists()), ("-memory", false));
    }

    #[test]
    fn the_totals_of_cpu_stat_are_read() {
        let text = "usage_usec 5123456\nuser_usec 5000000\nsystem_usec 123456\nnice_usec 0\n";
        let expected = GroupCpu { total_ns: 5_123_456_000, user_ticks: 5_000_000, system_ticks: 123_456 };
        assert_eq!(cpu(text), Some(expected));
        assert_eq!(cpu("usage_usec 1\n"), None);
    }
}
