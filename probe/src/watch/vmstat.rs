//! What the machine's memory management has done since boot: paging, reclaim, compaction, huge pages, NUMA balancing,
//! same-page merging.
//!
//! Source: `/proc/vmstat` (Linux mm/vmstat.c has the names), Linux Documentation/admin-guide/mm/ksm.rst. Columns keep
//! the kernel's names and units: events or pages since boot, `pgpgin` and `pgpgout` in KiB; `ksm_*` are pages now, but
//! `ksm_full_scans` counts. Limits: names come and go with the kernel; an absent one is an empty cell.

use crate::parse::flat;
use crate::read::Kept;

use super::{Collector, Group, Rows, Surroundings, View};

const COUNTERS: [&str; 44] = [
    "numa_hit",
    "numa_miss",
    "numa_foreign",
    "numa_interleave",
    "numa_local",
    "numa_other",
    "workingset_refault_anon",
    "workingset_refault_file",
    "pgpgin",
    "pgpgout",
    "pswpin",
    "pswpout",
    "pgfault",
    "pgmajfault",
    "pgsteal_kswapd",
    "pgsteal_direct",
    "pgscan_kswapd",
    "pgscan_direct",
    "zone_reclaim_failed",
    "slabs_scanned",
    "pageoutrun",
    "oom_kill",
    "numa_pte_updates",
    "numa_huge_pte_updates",
    "numa_hint_faults",
    "numa_hint_faults_local",
    "numa_pages_migrated",
    "pgmigrate_success",
    "pgmigrate_fail",
    "compact_stall",
    "compact_fail",
    "compact_success",
    "compact_daemon_wake",
    "thp_fault_alloc",
    "thp_fault_fallback",
    "thp_collapse_alloc",
    "thp_collapse_alloc_failed",
    "thp_split_page",
    "thp_split_pmd",
    "thp_zero_page_alloc",
    "thp_swpout",
    "balloon_inflate",
    "balloon_deflate",
    "cow_ksm",
];

/// Files of `/sys/kernel/mm/ksm`.
const KSM: [&str; 6] =
    ["full_scans", "pages_scanned", "pages_shared", "pages_sharing", "pages_unshared", "pages_volatile"];

const COLUMNS: [&str; 50] = {
    let mut columns = [""; 50];
    let mut at = 0;
    while at < COUNTERS.len() {
        columns[at] = COUNTERS[at];
        at += 1;
    }
    let ksm = [
        "ksm_full_scans",
        "ksm_pages_scanned",
        "ksm_pages_shared",
        "ksm_pages_sharing",
        "ksm_pages_unshared",
        "ksm_pages_volatile",
    ];
    while at < columns.len() {
        columns[at] = ksm[at - COUNTERS.len()];
        at += 1;
    }
    columns
};

pub const GROUP: Group = Group { name: "vmstat", columns: &COLUMNS, open };

struct Vmstat {
    vmstat: Kept,
    ksm: [Option<Kept>; KSM.len()],
}

fn open(around: &Surroundings) -> Result<Box<dyn Collector>, String> {
    let vmstat = around.root.keep("/proc/vmstat").map_err(|_| "/proc/vmstat cannot be read".to_owned())?;
    let ksm = KSM.map(|name| around.root.keep(format!("/sys/kernel/mm/ksm/{name}")).ok());
    Ok(Box::new(Vmstat { vmstat, ksm }))
}

impl Collector for Vmstat {
    fn collect(&mut self, view: &View, rows: &mut Rows) {
        let Some(text) = self.vmstat.text() else { return };
        let mut row = rows.row(view.now);
        for value in flat::numbers(text, &COUNTERS) {
            row = row.cell(value);
        }
        for kept in &mut self.ksm {
            row = row.cell(kept.as_mut().and_then(Kept::number));
        }
    }
}
