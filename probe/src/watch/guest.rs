//! One guest: the files of its QEMU process.

use std::collections::BTreeMap;

use crate::arrange;
use crate::cpu_time::CpuTime;
use crate::parse::smaps::Mapping;
use crate::parse::{flat, pid_stat, qemu, schedstat};
use crate::read::{Kept, Root};
use crate::sys;

/// Statistics of KVM, as files of the guest's folder in debugfs.
pub const EXITS: [&str; 12] = [
    "exits",
    "io_exits",
    "mmio_exits",
    "halt_exits",
    "irq_exits",
    "irq_window_exits",
    "nmi_window_exits",
    "signal_exits",
    "hypercalls",
    "insn_emulation",
    "pf_fixed",
    "tlb_flush",
];

const DEBUG_FOLDER: &str = "/sys/kernel/debug/kvm";

pub struct Guest {
    pub pid: i32,
    pub name: String,
    /// Sizes of its memory backends.
    pub memories: Vec<u64>,
    /// Its tap interfaces on the host.
    pub taps: Vec<String>,
    stat: Kept,
    status: Option<Kept>,
    io: Option<Kept>,
    vcpus: BTreeMap<u32, Kept>,
    exits: Vec<Option<Kept>>,
}

impl Guest {
    /// A process that runs a guest; `None` for any other.
    pub fn find(root: &Root, pid: i32) -> Option<Self> {
        let command = root.bytes(format!("/proc/{pid}/cmdline")).ok()?;
        if !qemu::is_guest(&command) {
            return None;
        }
        let keep = |name: &str| root.keep(format!("/proc/{pid}/{name}"));
        let mut guest = Self {
            pid,
            name: qemu::name(&command).unwrap_or_else(|| pid.to_string()),
            memories: qemu::memories(&command),
            taps: Vec::new(),
            stat: keep("stat").ok()?,
            status: keep("status").ok(),
            io: keep("io").ok(),
            vcpus: BTreeMap::new(),
            exits: exits(root, pid),
        };
        guest.look_again(root);
        Some(guest)
    }

    /// Processors and interfaces may be plugged in later.
    pub fn look_again(&mut self, root: &Root) {
        let pid = self.pid;
        for thread in root.names(format!("/proc/{pid}/task")) {
            let folder = format!("/proc/{pid}/task/{thread}");
            let Some(number) = root.text(format!("{folder}/comm")).and_then(|name| qemu::vcpu(&name)) else {
                continue;
            };
            if !self.vcpus.contains_key(&number) {
                self.vcpus.extend(root.keep(format!("{folder}/schedstat")).ok().map(|kept| (number, kept)));
            }
        }
        self.taps = taps(root, pid);
    }

    /// CPU time of all its threads, `None` once it is gone.
    pub fn cpu_ns(&mut self) -> Option<u64> {
        let stat = pid_stat::parse(self.stat.bytes().ok()?).filter(|stat| !matches!(stat.state, 'Z' | 'X' | 'x'))?;
        let tick_ns = 1_000_000_000 / sys::ticks_per_s();
        Some(CpuTime { user_ns: stat.user * tick_ns, system_ns: stat.system * tick_ns }.total_ns())
    }

    /// Resident size, pages of hugetlbfs among it (told from kernel 4.4 on).
    pub fn rss_bytes(&mut self) -> Option<u64> {
        let [rss, huge] = flat::numbers(self.status.as_mut()?.text()?, &["VmRSS", "HugetlbPages"]);
        Some((rss? + huge.unwrap_or(0)) * 1024)
    }

    /// Bytes that the process fetched from and sent to storage.
    pub fn io(&mut self) -> [Option<u64>; 2] {
        let text = self.io.as_mut().and_then(Kept::text);
        text.map_or([None; 2], |text| flat::numbers(text, &["read_bytes", "write_bytes"]))
    }

    /// (vCPU, ns it ran, ns it waited for a processor of the host).
    pub fn vcpus(&mut self) -> impl Iterator<Item = (u32, [u64; 2])> {
        self.vcpus.iter_mut().filter_map(|(number, kept)| Some((*number, schedstat::parse(kept.text()?)?)))
    }

    pub fn exits(&mut self) -> impl Iterator<Item = Option<u64>> {
        self.exits.iter_mut().map(|kept| kept.as_mut()?.number())
    }
}

/// The folder is `PID-FD`, one for each guest of a process.
fn exits(root: &Root, pid: i32) -> Vec<Option<Kept>> {
    let ours = |name: &String| name.split_once('-').is_some_and(|(owner, _)| owner.parse() == Ok(pid));
    let folder = root.names(DEBUG_FOLDER).into_iter().find(ours);
    let keep = |name: &str| root.keep(format!("{DEBUG_FOLDER}/{}/{name}", folder.as_ref()?)).ok();
    EXITS.map(keep).into()
}

/// Source: Linux drivers/net/tun.c, `iff:` in the descriptor's `fdinfo`, from kernel 3.18 on.
fn taps(root: &Root, pid: i32) -> Vec<String> {
    let folder = format!("/proc/{pid}/fdinfo");
    let told = |name: String| {
        let text = root.text(format!("{folder}/{name}"))?;
        flat::word(&text, "iff").map(str::to_owned)
    };
    let mut taps: Vec<String> = root.names(&folder).into_iter().filter_map(told).collect();
    // One descriptor for each queue.
    arrange::sort_distinct(&mut taps);
    taps
}

/// Resident bytes of the mappings that are as large as the memory backends; `None` where one is not found.
///
/// Source: QEMU tcg/region.c: the buffer of translated code is executable, and may be as large as the guest's memory.
pub fn memory_bytes(mappings: &[Mapping], backends: &[u64]) -> Option<u64> {
    let mut left: Vec<Mapping> = mappings.iter().filter(|mapping| !mapping.executable).copied().collect();
    arrange::sort_by_key(&mut left, |mapping| std::cmp::Reverse(mapping.resident_bytes));
    let mut sum = 0;
    for backend in backends {
        let at = left.iter().position(|mapping| mapping.size_bytes == *backend)?;
        sum += left.remove(at).resident_bytes;
    }
    (!backends.is_empty()).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guest_memory_is_found_by_its_size_each_mapping_once() {
        let mapping = |size_bytes, resident_bytes| Mapping { size_bytes, resident_bytes, executable: false };
        let mappings = [mapping(100, 7), mapping(100, 90), mapping(5, 5), mapping(50, 50)];
        assert_eq!(memory_bytes(&mappings, &[100]), Some(90));
        assert_eq!(memory_bytes(&mappings, &[100, 100, 50]), Some(147));
        assert_eq!(memory_bytes(&mappings, &[50, 50]), None);
        assert_eq!(memory_bytes(&mappings, &[]), None);
        let code = Mapping { size_bytes: 50, resident_bytes: 50, executable: true };
        assert_eq!(memory_bytes(&[code, mapping(50, 3)], &[50]), Some(3));
    }
}
