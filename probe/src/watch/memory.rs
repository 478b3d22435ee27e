//! Memory of the job by kind: of its control group, where that counts memory, else summed over its processes.
//!
//! Source: `cgroup-v2`: Linux Documentation/admin-guide/cgroup-v2.rst, `memory.stat` and `memory.swap.current`;
//! `cgroup-v1`: Linux Documentation/admin-guide/cgroup-v1/memory.rst, the `total_` lines of `memory.stat`;
//! `processes`: proc(5), `/proc/PID/status`. `cache_bytes` contains `shmem_bytes` and pages of files that the job was
//! the first to touch; `mapped_bytes` are pages of files in somebody's address space. Limits: summed over processes,
//! pages that they share count once for each, and the cache is not told; `Rss*` from kernel 4.5 on, `VmSwap` from
//! 2.6.34; swap of a group of version 1 needs swap accounting.

use std::path::PathBuf;

use crate::cgroup::{Group as ControlGroup, Version};
use crate::parse::flat;
use crate::read::{Kept, Root};

use super::each::Files;
use super::{Collector, Group, Rows, Surroundings, View};

pub const GROUP: Group = Group {
    name: "memory",
    columns: &["source", "anon_bytes", "cache_bytes", "mapped_bytes", "shmem_bytes", "swap_bytes"],
    open,
};

/// As the columns, without the source.
type Sizes = [Option<u64>; 5];

enum Memory {
    Two { stat: Kept, swap: Option<Kept> },
    One(Kept),
    Processes(Files),
}

fn open(around: &Surroundings) -> Result<Box<dyn Collector>, String> {
    let counted = around.group.and_then(of_group);
    let summed = || Memory::Processes(Files::new(around.root, "status"));
    Ok(Box::new(counted.unwrap_or_else(summed)))
}

fn of_group(group: &ControlGroup) -> Option<Memory> {
    let folder: &PathBuf = group.each_folder().into_iter().find(|folder| folder.join("memory.stat").exists())?;
    let here = Root::here();
    let stat = here.keep(folder.join("memory.stat")).ok()?;
    Some(match group.version {
        Version::One => Memory::One(stat),
        Version::Two => Memory::Two { stat, swap: here.keep(folder.join("memory.swap.current")).ok() },
    })
}

impl Collector for Memory {
    fn collect(&mut self, view: &View, rows: &mut Rows) {
        let (source, sizes) = match self {
            Self::Two { stat, swap } => ("cgroup-v2", two(stat, swap.as_mut())),
            Self::One(stat) => ("cgroup-v1", stat.text().map_or([None; 5], one)),
            Self::Processes(files) => ("processes", processes(files, view.members())),
        };
        let mut row = rows.row(view.now).name(source);
        for size in sizes {
            row = row.cell(size);
        }
    }
}

fn two(stat: &mut Kept, swap: Option<&mut Kept>) -> Sizes {
    let swap = swap.and_then(Kept::number);
    let Some(text) = stat.text() else { return [None; 5] };
    let [anon, cache, shmem, mapped] = flat::numbers(text, &["anon", "file", "shmem", "file_mapped"]);
    [anon, cache, mapped, shmem, swap]
}

fn one(text: &str) -> Sizes {
    flat::numbers(text, &["total_rss", "total_cache", "total_mapped_file", "total_shmem", "total_swap"])
}

fn processes(files: &mut Files, members: &[i32]) -> Sizes {
    let mut sum: [Option<u64>; 4] = [None; 4];
    files.read(members, |bytes| {
        // A name that is no UTF-8 stands in the first line only.
        let text = String::from_utf8_lossy(bytes);
        // A zombie has none of these lines; it holds nothing.
        for (sum, kib) in sum.iter_mut().zip(flat::numbers(&text, &["RssAnon", "RssFile", "RssShmem", "VmSwap"])) {
            *sum = kib.map_or(*sum, |kib| Some(sum.unwrap_or(0) + kib * 1024));
        }
    });
    let [anon, mapped, shmem, swap] = sum;
    [anon, None, mapped, shmem, swap]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_of_version_one_tells_with_its_children() {
        let text = "cache 1\nrss 2\nshmem 3\ntotal_cache 10\ntotal_rss 20\ntotal_shmem 30\ntotal_mapped_file 40\n";
        assert_eq!(one(text), [Some(20), Some(10), Some(40), Some(30), None]);
    }

    #[test]
    fn processes_are_summed_and_one_that_is_gone_holds_nothing() {
        let mut files = Files::new(&Root::here(), "status");
        let me = i32::try_from(std::process::id()).expect("a number");
        let sizes = processes(&mut files, &[me, 0]);
        assert!(sizes[0] > Some(0) && sizes[1].is_none() && sizes[4].is_some());
        assert_eq!(processes(&mut files, &[]), [None; 5]);
    }
}
