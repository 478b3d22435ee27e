//! What the machine's memory holds now.
//!
//! Source: proc(5), `/proc/meminfo`. Limits: `available_bytes` from kernel 3.14 on, `anon_huge_bytes` from 2.6.38;
//! `cached_bytes` is the page cache with shared memory, without `buffers_bytes`.

use crate::parse::flat;
use crate::read::Kept;

use super::{Collector, Group, Rows, Surroundings, View};

const KEYS: [&str; 24] = [
    "MemTotal",
    "MemFree",
    "MemAvailable",
    "Buffers",
    "Cached",
    "SwapCached",
    "Active",
    "Inactive",
    "Mlocked",
    "SwapTotal",
    "SwapFree",
    "Dirty",
    "Writeback",
    "AnonPages",
    "Mapped",
    "Shmem",
    "Slab",
    "SReclaimable",
    "KernelStack",
    "PageTables",
    "AnonHugePages",
    "HugePages_Total",
    "HugePages_Free",
    "Hugepagesize",
];

/// The two that count pages.
const COUNTS: [&str; 2] = ["HugePages_Total", "HugePages_Free"];

pub const GROUP: Group = Group {
    name: "meminfo",
    columns: &[
        "total_bytes",
        "free_bytes",
        "available_bytes",
        "buffers_bytes",
        "cached_bytes",
        "swap_cached_bytes",
        "active_bytes",
        "inactive_bytes",
        "mlocked_bytes",
        "swap_total_bytes",
        "swap_free_bytes",
        "dirty_bytes",
        "writeback_bytes",
        "anon_bytes",
        "mapped_bytes",
        "shmem_bytes",
        "slab_bytes",
        "slab_reclaimable_bytes",
        "kernel_stack_bytes",
        "page_tables_bytes",
        "anon_huge_bytes",
        "huge_pages_total_count",
        "huge_pages_free_count",
        "huge_page_bytes",
    ],
    open,
};

struct Meminfo(Kept);

fn open(around: &Surroundings) -> Result<Box<dyn Collector>, String> {
    let kept = around.root.keep("/proc/meminfo").map_err(|_| "/proc/meminfo cannot be read".to_owned())?;
    Ok(Box::new(Meminfo(kept)))
}

impl Collector for Meminfo {
    fn collect(&mut self, view: &View, rows: &mut Rows) {
        let Some(text) = self.0.text() else { return };
        let mut row = rows.row(view.now);
        for (key, value) in KEYS.into_iter().zip(flat::numbers(text, &KEYS)) {
            let unit = if COUNTS.contains(&key) { 1 } else { 1024 };
            row = row.cell(value.and_then(|value| value.checked_mul(unit)));
        }
    }
}
