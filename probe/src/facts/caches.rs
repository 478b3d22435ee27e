//! Caches, each once: the processors that share one all describe it.
//!
//! Source: Linux `Documentation/ABI/testing/sysfs-devices-system-cpu` (`cache/index*`).

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::CPUS;
use super::table::Facts;
use crate::parse::{cpu_list, setting};
use crate::read::Root;

/// One cache.
pub struct Cache {
    level: u64,
    kind: String,
    bytes: u64,
    ways: Option<u64>,
    line_bytes: Option<u64>,
    shared: Vec<u32>,
}

/// All caches of these processors; one that says nothing of its level, kind and size is left out.
pub fn caches(root: &Root, cpus: &[u32]) -> Vec<Cache> {
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    for cpu in cpus {
        let folder = format!("{CPUS}/cpu{cpu}/cache");
        for index in root.names(&folder).iter().filter(|name| name.starts_with("index")) {
            found.extend(cache(root, &format!("{folder}/{index}"), *cpu, &mut seen));
        }
    }
    found
}

fn cache(root: &Root, folder: &str, cpu: u32, seen: &mut BTreeSet<(u64, String, Vec<u32>)>) -> Option<Cache> {
    let word = |name: &str| root.word(format!("{folder}/{name}"));
    let (level, kind) = (word("level")?.parse().ok()?, word("type")?);
    let shared = word("shared_cpu_list").and_then(|text| cpu_list::parse(&text)).unwrap_or_else(|| vec![cpu]);
    if !seen.insert((level, kind.clone(), shared.clone())) {
        return None;
    }
    let number = |name: &str| word(name)?.parse().ok();
    let bytes = setting::cache_size(&word("size")?)?;
    Some(Cache {
        level,
        kind,
        bytes,
        ways: number("ways_of_associativity"),
        line_bytes: number("coherency_line_size"),
        shared,
    })
}

/// Size of the largest data cache that one of these processors uses times the number of its instances.
pub fn largest_bytes(caches: &[Cache], cpus: &[u32]) -> Option<u64> {
    let used = |cache: &&Cache| cache.kind != "Instruction" && cache.shared.iter().any(|cpu| cpus.contains(cpu));
    let highest = caches.iter().filter(used).map(|cache| cache.level).max()?;
    Some(caches.iter().filter(used).filter(|cache| cache.level == highest).map(|cache| cache.bytes).sum())
}

/// Caches by name, `L1d`: number, and size, ways and processors of each (of the first, where they differ).
pub fn facts(root: &Root, online: &[u32]) -> Value {
    let mut facts = Facts::new();
    for cache in caches(root, online) {
        let fact = facts.entry(cache.name()).or_insert_with(|| cache.fact());
        fact["count"] = json!(fact["count"].as_u64().unwrap_or(0) + 1);
    }
    if facts.is_empty() { Value::Null } else { Value::Object(facts) }
}

impl Cache {
    fn name(&self) -> String {
        let kind = match self.kind.as_str() {
            "Data" => "d",
            "Instruction" => "i",
            _ => "",
        };
        format!("L{}{kind}", self.level)
    }

    fn fact(&self) -> Value {
        json!({
            "count": 0,
            "size_bytes": self.bytes,
            "ways": self.ways,
            "line_bytes": self.line_bytes,
            "shared_by": self.shared.len(),
        })
    }
}
