//! What a group's members use, read again and again through files that stay open.
//!
//! Source: Linux `Documentation/admin-guide/cgroup-v1/{cpuacct,memory}.rst` and `cgroup-v2.rst`.
//! Limits: the memory controller counts pages where they were first touched, each once: pages of a library that another
//! group loaded before are not in it; it may be off by some pages for each processor (the kernel batches its count).

use std::path::PathBuf;

use super::{Controller, Group, GroupCpu, Version, collect, has_folders, v2};
use crate::arrange;
use crate::parse::flat;
use crate::read::{Kept, Root};

/// Kept files of a group; each is `None` where the kernel has not got it.
#[derive(Debug)]
pub struct Gauge {
    version: Version,
    folder: PathBuf,
    total: Option<Kept>,
    /// `cpuacct.usage_user` and `cpuacct.usage_sys`; else `cpuacct.stat` alone.
    split: (Option<Kept>, Option<Kept>),
    memory: Option<Kept>,
    members: Option<Kept>,
}

impl Gauge {
    pub fn new(group: &Group) -> Option<Self> {
        let here = Root::here();
        let keep = |controller, name: &str| here.keep(group.file(controller, name)?).ok();
        let cpu = |name: &str| keep(Controller::Cpuacct, name);
        let (total, split) = match group.version {
            Version::One => (cpu("cpuacct.usage"), (cpu("cpuacct.usage_user"), cpu("cpuacct.usage_sys"))),
            Version::Two => (cpu("cpu.stat"), (None, None)),
        };
        let split =
            if group.version == Version::One && split.1.is_none() { (cpu("cpuacct.stat"), None) } else { split };
        let folder = group.folders.values().next()?.clone();
        // Version 1 answers an open file from a list that it may have made a second ago.
        let members = here.keep(folder.join("cgroup.procs")).ok().filter(|_| group.version == Version::Two);
        let memory = keep(Controller::Memory, "memory.stat");
        Some(Self { version: group.version, folder, total, split, memory, members })
    }

    pub fn version(&self) -> Version {
        self.version
    }

    /// CPU time of all who ever were in it.
    pub fn cpu(&mut self) -> Option<GroupCpu> {
        let total = self.total.as_mut()?.piece()?;
        if self.version == Version::Two {
            return v2::cpu(total);
        }
        let total_ns = total.trim().parse().ok()?;
        let (user_ticks, system_ticks) = self.ticks().unwrap_or((0, 0));
        Some(GroupCpu { total_ns, user_ticks, system_ticks })
    }

    fn ticks(&mut self) -> Option<(u64, u64)> {
        let user = self.split.0.as_mut()?.piece()?;
        match &mut self.split.1 {
            None => Some((flat::number(user, "user")?, flat::number(user, "system")?)),
            Some(system) => Some((user.trim().parse().ok()?, system.piece()?.trim().parse().ok()?)),
        }
    }

    /// Anonymous and mapped memory of all members; `None` where no controller counts it.
    pub fn rss_bytes(&mut self) -> Option<u64> {
        let names = match self.version {
            Version::One => ["total_rss", "total_mapped_file"],
            Version::Two => ["anon", "file_mapped"],
        };
        let text = self.memory.as_mut()?.piece()?;
        Some(flat::number(text, names[0])? + flat::number(text, names[1])?)
    }

    /// Its processes, of groups below it too, sorted; `None` where that cannot be read.
    pub fn processes(&mut self) -> Option<Vec<i32>> {
        let mut pids = Vec::new();
        match &mut self.members {
            Some(members) if !has_folders(&self.folder) => {
                pids.extend(members.text()?.lines().filter_map(|line| line.parse::<i32>().ok()));
            }
            _ => collect(&self.folder, &mut pids)?,
        }
        arrange::sort_distinct(&mut pids);
        Some(pids)
    }
}
