//! What the machine is made of: board, processors, memory nodes.
//!
//! Source: Linux `Documentation/ABI/testing/sysfs-class-dmi`, `sysfs-devices-system-cpu`,
//! `Documentation/admin-guide/cputopology.rst`, `Documentation/ABI/stable/sysfs-devices-node`. No serial numbers.

use serde_json::{Value, json};

use super::table::{As, Row, gather, read, unless_empty, words};
use super::{CPUS, caches, frequency, networks};
use crate::arrange;
use crate::parse::{cpu_list, cpuinfo, flat};
use crate::read::Root;

const NODES: &str = "/sys/devices/system/node";
const BOARD: [Row; 10] = [
    ("vendor", As::Text, "sys_vendor"),
    ("product", As::Text, "product_name"),
    ("product_version", As::Text, "product_version"),
    ("board_vendor", As::Text, "board_vendor"),
    ("board", As::Text, "board_name"),
    ("board_version", As::Text, "board_version"),
    ("chassis_type", As::Number, "chassis_type"),
    ("bios_vendor", As::Text, "bios_vendor"),
    ("bios_version", As::Text, "bios_version"),
    ("bios_date", As::Text, "bios_date"),
];

pub fn facts(root: &Root, online: &[u32]) -> Value {
    let cpuinfo = root.text("/proc/cpuinfo").unwrap_or_default();
    json!({
        "board": board(root),
        "processor": processor(&cpuinfo),
        "topology": topology(root, online),
        "caches": caches::facts(root, online),
        "nodes": nodes(root),
        "frequency": frequency::facts(root),
        "networks": networks::facts(root),
    })
}

/// Firmware's words; a board with a device tree has its model only.
fn board(root: &Root) -> Value {
    let mut facts = read(root, "/sys/class/dmi/id", &BOARD);
    if let Some(model) = root.word("/proc/device-tree/model") {
        facts.insert("product".to_owned(), json!(model.trim_end_matches('\0')));
    }
    unless_empty(facts)
}

fn processor(cpuinfo: &str) -> Value {
    let number = |key| cpuinfo::first(cpuinfo, key).and_then(|text| text.parse::<u64>().ok());
    let either = |x86, other| cpuinfo::first(cpuinfo, x86).or_else(|| cpuinfo::first(cpuinfo, other));
    json!({
        "vendor": either("vendor_id", "CPU implementer"),
        "family": number("cpu family"),
        "model": number("model"),
        "part": cpuinfo::first(cpuinfo, "CPU part"),
        "stepping": number("stepping"),
        "microcode": cpuinfo::all(cpuinfo, "microcode"),
        "address_sizes": cpuinfo::first(cpuinfo, "address sizes"),
        "flags": either("flags", "Features").map(words),
        "bugs": cpuinfo::first(cpuinfo, "bugs").map(words),
    })
}

fn topology(root: &Root, online: &[u32]) -> Value {
    let word = |cpu: &u32, name: &str| root.word(format!("{CPUS}/cpu{cpu}/topology/{name}"));
    let package = |cpu: &u32| word(cpu, "physical_package_id");
    let core = |cpu: &u32| Some((package(cpu)?, word(cpu, "die_id"), word(cpu, "core_id")?));
    let packages: Option<Vec<_>> = online.iter().map(package).collect();
    let cores: Option<Vec<_>> = online.iter().map(core).collect();
    json!({
        "threads": online.len(),
        "cores": cores.map(distinct),
        "sockets": packages.map(distinct),
        "possible": cpus(root, "possible").map(|cpus| cpus.len()),
        "offline": cpus(root, "offline"),
    })
}

fn distinct<T: Ord>(mut names: Vec<T>) -> usize {
    arrange::sort_distinct(&mut names);
    names.len()
}

fn cpus(root: &Root, name: &str) -> Option<Vec<u32>> {
    cpu_list::parse(&root.text(format!("{CPUS}/{name}"))?)
}

/// Memory nodes by number; null on a kernel without NUMA.
fn nodes(root: &Root) -> Value {
    let list = root.text(format!("{NODES}/online")).and_then(|text| cpu_list::parse(&text));
    let named = |node: u32| (node.to_string(), self::node(root, &format!("{NODES}/node{node}")));
    list.map_or(Value::Null, |nodes| Value::Object(gather(&mut nodes.into_iter().map(named))))
}

fn node(root: &Root, folder: &str) -> Value {
    let cpus = root.text(format!("{folder}/cpulist")).and_then(|text| cpu_list::parse(&text));
    let distances = root.word(format!("{folder}/distance"));
    json!({
        "cpus": cpus,
        "memory_bytes": root.text(format!("{folder}/meminfo")).and_then(|text| total(&text)),
        "distances": distances.map(|text| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()),
    })
}

/// `Node 0 MemTotal: 123 kB`: the line without its first two words is one of `/proc/meminfo`.
fn total(meminfo: &str) -> Option<u64> {
    let plain = |line: &str| line.splitn(3, ' ').nth(2).map(|rest| format!("{}\n", rest.trim_start()));
    let plain: String = meminfo.lines().filter_map(plain).collect();
    flat::number(&plain, "MemTotal")?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_a_node_is_read() {
        assert_eq!(total("Node 0 MemTotal:       24684096 kB\nNode 0 MemFree: 1 kB\n"), Some(24_684_096 * 1024));
        assert_eq!(total("nonsense\n"), None);
    }

    #[test]
    fn an_arm_processor_has_a_part_and_features() {
        let arm = processor("CPU implementer\t: 0x41\nFeatures\t: fp asimd\nCPU part\t: 0xd0c\n");
        assert_eq!((&arm["part"], &arm["flags"]), (&json!("0xd0c"), &json!(["asimd", "fp"])));
        assert_eq!(arm["family"], Value::Null);
    }
}
