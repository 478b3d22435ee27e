//! Real groups of version 2, each test below a group of its own. On a hybrid machine that hierarchy carries no more than
//! what version 1 has no use for, mostly `hugetlb`, but it counts CPU time, freezes and kills.
//!
//! Root must find it mounted; whoever is not root can make no group.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use super::place::Place;
use super::tests::group_of_version_two;
use super::*;

/// A group of a test's own, in which others are made; it is gone at the end, unless something in it is left.
struct Base(PathBuf);

impl Base {
    fn make(name: &str) -> Option<Self> {
        if fs::metadata("/proc/self").expect("/proc").uid() != 0 {
            eprintln!("passed by: only root can make groups");
            return None;
        }
        let folder = top().join(format!("test-{name}-{}", std::process::id()));
        fs::create_dir(&folder).expect("a group");
        Some(Self(folder))
    }

    fn group(&self, unique: &str) -> Group {
        group_of_version_two(&make_folder(&self.0, unique).expect("a group"))
    }
}

impl Drop for Base {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

fn top() -> PathBuf {
    Place::read(&Root::here()).and_then(|place| place.v2()).expect("a mounted cgroup2").0
}

fn words(folder: &Path, name: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.join(name)).expect("a file of the kernel's");
    text.split_whitespace().map(str::to_owned).collect()
}

/// A shell that waits for its input to end, works, and sleeps after it has said so.
fn worker() -> (Child, ChildStdin) {
    let script = "read x; i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; echo done; exec sleep 600";
    let mut child = Command::new("sh")
        .args(["-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a shell");
    let input = child.stdin.take().expect("its input");
    (child, input)
}

/// CPU time of a process once it sleeps as the program that it is to become.
fn rested_ns(pid: i32) -> u64 {
    loop {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).expect("its state");
        if text.contains("(sleep) S") {
            return sys::process_cpu_ns(pid).expect("its CPU time");
        }
        std::thread::yield_now();
    }
}

#[test]
fn a_real_group_counts_what_its_member_uses_stands_still_and_is_killed() {
    let Some(base) = Base::make("counts") else { return };
    let group = base.group("1");
    let (mut child, input) = worker();
    let pid = i32::try_from(child.id()).expect("a number");
    group.add(pid).expect("moved");
    let mut gauge = Gauge::new(&group).expect("a gauge");
    assert_eq!((group.processes(), gauge.processes()), (Some(vec![pid]), Some(vec![pid])));
    let (before, used) = (sys::process_cpu_ns(pid).expect("its CPU time"), gauge.cpu().expect("cpu.stat"));
    drop(input);
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("read");
    let told_ns = rested_ns(pid) - before;
    let now = gauge.cpu().expect("cpu.stat");
    let counted_ns = now.total_ns - used.total_ns;
    // The shell may have come to its `read` in the meantime; the group's figure is cut to whole microseconds.
    assert!(counted_ns.abs_diff(told_ns) < told_ns / 5, "{counted_ns} {told_ns}");
    let split_us = now.user_ticks + now.system_ticks;
    assert!((now.total_ns / 1000).abs_diff(split_us) <= 2, "{now:?}");
    group.freeze(true).expect("frozen");
    while !words(&base.0.join("assay/1"), "cgroup.events").join(" ").contains("frozen 1") {
        std::thread::yield_now();
    }
    assert!(group.kill());
    assert!(!child.wait().expect("ended").success());
    assert!(group.remove() && !base.0.join("assay").exists());
}

/// Passes a controller on to the base: one that whoever else is there does not feel.
fn passed_to(base: &Base) -> Option<String> {
    let top = top();
    let offered = words(&top, "cgroup.controllers");
    let name =
        ["hugetlb", "misc", "rdma", "pids"].into_iter().find(|name| offered.iter().any(|word| word == name))?;
    // Another test like this one may take it away in the same moment.
    while !words(&base.0, "cgroup.controllers").iter().any(|word| word == name) {
        fs::write(top.join("cgroup.subtree_control"), format!("+{name}")).expect("passed on");
    }
    Some(name.to_owned())
}

#[test]
fn a_real_hierarchy_passes_on_and_puts_back() {
    let Some(base) = Base::make("passes") else { return };
    let before = words(&top(), "cgroup.subtree_control");
    let name = passed_to(&base).expect("a controller that can be passed on");
    let folder = make_folder(&base.0, "1").expect("a group");
    v2::pass_on(&base.0, &name);
    assert_eq!(words(&base.0, "cgroup.subtree_control"), [name.as_str()]);
    assert_eq!(words(&folder, "cgroup.controllers"), [name.as_str()]);
    assert!(clear(&[folder]));
    assert!(words(&base.0, "cgroup.subtree_control").is_empty() && !base.0.join("assay").exists());
    if !before.contains(&name) {
        // Refused, as it should be, where somebody else has begun to rely on it.
        let _ = fs::write(top().join("cgroup.subtree_control"), format!("-{name}"));
    }
}

#[test]
fn an_empty_group_that_nobody_holds_goes_when_the_next_is_made() {
    let Some(base) = Base::make("swept") else { return };
    let (old_ns, nobody) = (sys::monotonic_ns() - 2 * OLD_NS, u32::MAX);
    let group = |pid: u32, made_ns: i64| {
        let folder = base.0.join(PARENT).join(format!("{pid}-{made_ns}"));
        fs::create_dir_all(&folder).expect("a group");
        folder
    };
    let left = group(nobody, old_ns);
    let kept = [group(nobody, sys::monotonic_ns()), group(std::process::id(), old_ns), group(nobody, old_ns + 1)];
    let held = File::open(&kept[2]).expect("a folder");
    sys::lock_with_children(&held).expect("locked");
    let made = make_folder(&base.0, "1").expect("a group");
    assert!(!left.exists() && kept.iter().all(|folder| folder.exists()));
    drop(held);
    assert!(kept.iter().chain([&made]).all(|folder| remove_folder(folder)));
}
