//! A group that counts and does nothing else: no limits, no weights, no controllers passed on.
//!
//! Version 2 counts CPU time in a group without any controller (kernel 4.15); of version 1 `cpuacct` alone serves,
//! where it is not mounted together with `cpu`, which would change who gets processors when they are short.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::PathBuf;

use super::place::Place;
use super::{Controller, Group, Version, make_folder, usable};
use crate::read::Root;

impl Group {
    /// Makes a group that only counts; `None` where none can be had without disturbing whoever is in it.
    pub fn make_bare(root: &Root, unique: &str) -> Option<Self> {
        let place = Place::read(root)?;
        let (version, base) = base(root, &place)?;
        let folder = make_folder(&base, unique)?;
        let group = Self { version, folders: BTreeMap::from([(Controller::Cpuacct, folder)]) };
        let name = if version == Version::Two { "cpu.stat" } else { "cpuacct.usage" };
        if group.text(Controller::Cpuacct, name).is_some_and(|text| version == Version::One || counts(&text)) {
            return Some(group);
        }
        group.remove();
        None
    }

    /// Opens its folder, in which a child can be made; `None` for version 1.
    pub fn inside(&self) -> Option<File> {
        File::open(self.unified()?).ok()
    }

    /// Opens what a process enters it by.
    pub fn entrances(&self) -> io::Result<Vec<File>> {
        let open = |folder: &PathBuf| OpenOptions::new().write(true).open(folder.join("cgroup.procs"));
        self.each_folder().into_iter().map(open).collect()
    }

    /// Moves whoever is still in it to our own group, and removes it; how many were moved.
    pub fn release(self, root: &Root) -> usize {
        let mut moved = 0;
        // Members may fork while they are moved.
        for _ in 0..100 {
            let members = self.processes().unwrap_or_default();
            if members.is_empty() {
                break;
            }
            moved = moved.max(move_home(root, &members));
        }
        // For the most part that is all: what follows looks for groups below it first.
        let _ = self.each_folder().into_iter().try_for_each(fs::remove_dir);
        self.remove();
        moved
    }
}

/// Moves processes to the group that we are in ourselves.
fn move_home(root: &Root, members: &[i32]) -> usize {
    let Some((_, home)) = Place::read(root).and_then(|place| base(root, &place)) else { return 0 };
    let there = |pid: &&i32| fs::write(home.join("cgroup.procs"), pid.to_string()).is_ok();
    members.iter().filter(there).count()
}

fn counts(text: &str) -> bool {
    super::v2::cpu(text).is_some()
}

fn base(root: &Root, place: &Place) -> Option<(Version, PathBuf)> {
    let two = place.v2().map(|(_, own)| (Version::Two, root.path(own)));
    let alone = place.v1(Controller::Cpuacct).filter(|folder| place.v1(Controller::Cpu).as_ref() != Some(folder));
    let one = alone.map(|folder| (Version::One, root.path(folder)));
    [two, one].into_iter().flatten().find(|(_, folder)| usable(folder))
}
