//! How the kernel deals with memory.
//!
//! Source: Linux `Documentation/admin-guide/mm/` (transhuge, ksm, hugetlbpage, zswap), `admin-guide/sysctl/vm.rst`.

use serde_json::{Value, json};

use super::table::{As, Row, gather, read, unless_empty};
use crate::parse::flat;
use crate::read::Root;

const MM: &str = "/sys/kernel/mm";
const THP: [Row; 4] = [
    ("defrag", As::Chosen, "defrag"),
    ("shmem", As::Chosen, "shmem_enabled"),
    ("zero_page", As::Switch, "use_zero_page"),
    ("size_bytes", As::Number, "hpage_pmd_size"),
];
const KHUGEPAGED: [Row; 6] = [
    ("defrag", As::Switch, "defrag"),
    ("pages_to_scan", As::Number, "pages_to_scan"),
    ("scan_sleep_ms", As::Number, "scan_sleep_millisecs"),
    ("most_empty", As::Number, "max_ptes_none"),
    ("most_swapped", As::Number, "max_ptes_swap"),
    ("most_shared", As::Number, "max_ptes_shared"),
];
const KSM: [Row; 9] = [
    ("run", As::Number, "run"),
    ("pages_to_scan", As::Number, "pages_to_scan"),
    ("sleep_ms", As::Number, "sleep_millisecs"),
    ("merge_across_nodes", As::Switch, "merge_across_nodes"),
    ("use_zero_pages", As::Switch, "use_zero_pages"),
    ("most_sharing", As::Number, "max_page_sharing"),
    ("advisor", As::Chosen, "advisor_mode"),
    ("pages_shared", As::Number, "pages_shared"),
    ("pages_sharing", As::Number, "pages_sharing"),
];
const HUGE: [Row; 3] = [
    ("total", As::Number, "nr_hugepages"),
    ("surplus", As::Number, "surplus_hugepages"),
    ("most_surplus", As::Number, "nr_overcommit_hugepages"),
];
const ZSWAP: [Row; 4] = [
    ("enabled", As::Switch, "enabled"),
    ("compressor", As::Text, "compressor"),
    ("most_percent", As::Number, "max_pool_percent"),
    ("pool", As::Text, "zpool"),
];
const VM: [Row; 16] = [
    ("swappiness", As::Number, "vm/swappiness"),
    ("overcommit", As::Number, "vm/overcommit_memory"),
    ("overcommit_percent", As::Number, "vm/overcommit_ratio"),
    ("numa_balancing", As::Number, "kernel/numa_balancing"),
    ("zone_reclaim", As::Number, "vm/zone_reclaim_mode"),
    ("dirty_percent", As::Number, "vm/dirty_ratio"),
    ("dirty_bytes", As::Number, "vm/dirty_bytes"),
    ("dirty_background_percent", As::Number, "vm/dirty_background_ratio"),
    ("dirty_background_bytes", As::Number, "vm/dirty_background_bytes"),
    ("dirty_expire_cs", As::Number, "vm/dirty_expire_centisecs"),
    ("dirty_writeback_cs", As::Number, "vm/dirty_writeback_centisecs"),
    ("minimum_free_bytes", As::Times(1024), "vm/min_free_kbytes"),
    ("watermark_scale", As::Number, "vm/watermark_scale_factor"),
    ("cache_pressure", As::Number, "vm/vfs_cache_pressure"),
    ("compaction_proactiveness", As::Number, "vm/compaction_proactiveness"),
    ("most_maps", As::Number, "vm/max_map_count"),
];

pub fn facts(root: &Root) -> Value {
    let mut facts = read(root, "/proc/sys", &VM);
    let table = |folder: &str, rows: &[Row]| unless_empty(read(root, folder, rows));
    let mut add = |name: &str, value: Value| drop(facts.insert(name.to_owned(), value));
    add("swap_bytes", json!(swap(root)));
    add("thp", table(&format!("{MM}/transparent_hugepage"), &THP));
    add("khugepaged", table(&format!("{MM}/transparent_hugepage/khugepaged"), &KHUGEPAGED));
    add("ksm", table(&format!("{MM}/ksm"), &KSM));
    add("huge_pages", huge_pages(root));
    add("zswap", table("/sys/module/zswap/parameters", &ZSWAP));
    add("lru_gen", super::table::value(root, &format!("{MM}/lru_gen/enabled"), As::Text));
    Value::Object(facts)
}

fn swap(root: &Root) -> Option<u64> {
    flat::number(&root.text("/proc/meminfo")?, "SwapTotal")?.checked_mul(1024)
}

/// Pools by page size as the kernel spells it (`2048kB`), with the pages of each memory node.
fn huge_pages(root: &Root) -> Value {
    let folder = format!("{MM}/hugepages");
    let names = root.names(&folder);
    let sizes = names.iter().filter_map(|name| name.strip_prefix("hugepages-"));
    unless_empty(gather(&mut sizes.map(|size| (size.to_owned(), pool(root, &folder, size)))))
}

fn pool(root: &Root, folder: &str, size: &str) -> Value {
    let mut facts = read(root, &format!("{folder}/hugepages-{size}"), &HUGE);
    let nodes = root.names("/sys/devices/system/node");
    let count = |name: &String| {
        let path = format!("/sys/devices/system/node/{name}/hugepages/hugepages-{size}/nr_hugepages");
        Some((name.strip_prefix("node")?.to_owned(), json!(root.word(path)?.parse::<u64>().ok()?)))
    };
    facts.insert("nodes".to_owned(), unless_empty(gather(&mut nodes.iter().filter_map(count))));
    Value::Object(facts)
}
