//! Control groups, version 2: one hierarchy for all controllers.
//!
//! Source: Linux `Documentation/admin-guide/cgroup-v2.rst`. A group that holds processes cannot pass controllers
//! to groups below it, save the topmost: so ours is made below the nearest ancestor that lets us.
//! `cpu.stat` counts `usage_usec` exactly (rounded down to a microsecond) and splits it as it does for a process.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::place::Place;
use super::{Controller, Group, GroupCpu, PARENT, Version, make_folder, usable};
use crate::parse::flat;
use crate::read::Root;

/// Controllers that a v2 hierarchy must offer to be of use; where version 1 holds them (hybrid) it does not.
const NEEDED: [Controller; 2] = [Controller::Cpu, Controller::Memory];

/// Makes a group that carries the controllers; `None` where version 1 carries them or nothing can be made.
pub fn make(root: &Root, unique: &str) -> Option<Group> {
    let (top, own) = Place::read(root)?.v2()?;
    let (top, own) = (root.path(top), root.path(own));
    if !offers(&top, &NEEDED) {
        return None;
    }
    let bases = own.ancestors().take_while(|folder| folder.starts_with(&top));
    let folder = bases.filter(|base| usable(base)).find_map(|base| make_below(base, unique))?;
    Some(Group { version: Version::Two, folders: folders(&folder) })
}

fn offers(folder: &Path, controllers: &[Controller]) -> bool {
    let text = fs::read_to_string(folder.join("cgroup.controllers")).unwrap_or_default();
    let names: Vec<&str> = text.split_whitespace().collect();
    controllers.iter().all(|controller| names.contains(&controller.name()))
}

fn make_below(base: &Path, unique: &str) -> Option<PathBuf> {
    let folder = make_folder(base, unique)?;
    let parent = base.join(PARENT);
    // One by one: a machine without cpuset still has the others.
    for name in ["cpuset", "cpu", "memory"] {
        for above in [base, &parent] {
            let _ = fs::write(above.join("cgroup.subtree_control"), format!("+{name}"));
        }
    }
    if offers(&folder, &NEEDED) {
        return Some(folder);
    }
    let _ = fs::remove_dir(&folder);
    let _ = fs::remove_dir(&parent);
    None
}

fn folders(folder: &Path) -> BTreeMap<Controller, PathBuf> {
    let there = |controller: &Controller| *controller == Controller::Cpuacct || offers(folder, &[*controller]);
    Controller::ALL.into_iter().filter(there).map(|controller| (controller, folder.to_owned())).collect()
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
    use super::*;

    fn group(folder: &Path) -> Group {
        let folders = Controller::ALL.into_iter().map(|controller| (controller, folder.to_owned())).collect();
        Group { version: Version::Two, folders }
    }

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

    /// On a hybrid machine the v2 hierarchy carries no controllers, but it counts CPU time and kills.
    #[test]
    #[ignore = "needs root and a mounted cgroup2"]
    fn a_real_group_counts_and_kills() {
        let (top, _) = Place::read(&Root::here()).and_then(|place| place.v2()).expect("a cgroup2 mount");
        let folder = make_folder(&top, &format!("test-{}", std::process::id())).expect("a group");
        let group = group(&folder);
        let script = "read x; i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; exec sleep 60";
        let mut child = std::process::Command::new("sh")
            .args(["-c", script])
            .stdin(std::process::Stdio::piped())
            .spawn()
            .expect("a shell");
        let pid = i32::try_from(child.id()).expect("a number");
        group.add(pid).expect("moved");
        assert_eq!(group.processes(), Some(vec![pid]));
        drop(child.stdin.take());
        std::thread::sleep(std::time::Duration::from_millis(500));
        assert!(group.cpu().expect("cpu.stat").total_ns > 10_000_000);
        assert!(group.kill());
        assert!(!child.wait().expect("ended").success());
        assert!(group.remove());
    }

    #[test]
    fn the_totals_of_cpu_stat_are_read() {
        let text = "usage_usec 5123456\nuser_usec 5000000\nsystem_usec 123456\nnice_usec 0\n";
        let expected = GroupCpu { total_ns: 5_123_456_000, user_ticks: 5_000_000, system_ticks: 123_456 };
        assert_eq!(cpu(text), Some(expected));
        assert_eq!(cpu("usage_usec 1\n"), None);
    }
}
