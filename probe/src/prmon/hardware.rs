//! The hardware of the summary, with prmon's names.
//!
//! Source: Linux `Documentation/admin-guide/cputopology.rst`. Limits: one processor of a kind is taken for all.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::parse::{cpu_list, cpuinfo, flat};
use crate::read::Root;

const CPUS: &str = "/sys/devices/system/cpu";

/// `HW` of the summary; what a machine does not tell is null.
pub fn hardware(root: &Root) -> Value {
    let online = root.text(format!("{CPUS}/online")).and_then(|text| cpu_list::parse(&text)).unwrap_or_default();
    let places: Option<Vec<(u32, u32)>> = online.iter().map(|cpu| place(root, *cpu)).collect();
    let places = places.filter(|places| !places.is_empty());
    let sockets = places.as_ref().map(|places| count(places.iter().map(|place| place.0)));
    let cores = places.as_ref().map(|places| count(places.iter().copied()));
    let model = root.text("/proc/cpuinfo").as_deref().and_then(cpuinfo::model);
    let memory = root.text("/proc/meminfo").and_then(|text| flat::number(&text, "MemTotal"));
    json!({
        "cpu": {
            "CPUs": online.len(),
            "CoresPerSocket": cores.zip(sockets).map(|(cores, sockets)| cores / sockets),
            "ModelName": model,
            "Sockets": sockets,
            "ThreadsPerCore": cores.map(|cores| online.len() / cores),
        },
        "mem": {"MemTotal": memory},
    })
}

/// Socket and core of a processor.
fn place(root: &Root, cpu: u32) -> Option<(u32, u32)> {
    let number = |name: &str| root.word(format!("{CPUS}/cpu{cpu}/topology/{name}"))?.parse().ok();
    Some((number("physical_package_id")?, number("core_id")?))
}

fn count<T: Ord>(all: impl Iterator<Item = T>) -> usize {
    all.collect::<BTreeSet<T>>().len()
}
