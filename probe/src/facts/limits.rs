//! Limits in force on this process: of its control groups, and its own.
//!
//! Source: Linux `Documentation/admin-guide/cgroup-v2.rst`, `cgroup-v1/`, `scheduler/sched-bwc.rst`; getrlimit(2).
//! Limits: a container sees its own part of the groups only, and so do we. The smallest of a group and those above it
//! is in force.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::table::gather;
use crate::cgroup::{Place, parse_max};
use crate::parse::{cpu_list, resource_limits};
use crate::read::Root;

/// Version 1 says "no limit" with a number as large as its pages allow.
const NO_LIMIT_BYTES: u64 = 1 << 60;
const RESOURCES: [(&str, &str); 5] = [
    ("open_files", "Max open files"),
    ("processes", "Max processes"),
    ("locked_memory_bytes", "Max locked memory"),
    ("stack_bytes", "Max stack size"),
    ("address_space_bytes", "Max address space"),
];

pub fn facts(root: &Root) -> Value {
    let place = Place::read(root);
    let chain = |name: &str| place.as_ref().map(|place| Chain::new(place, name)).unwrap_or_default();
    let (cpu, memory, pids) = (chain("cpu"), chain("memory"), chain("pids"));
    let one = |text: &str| text.trim().parse::<u64>().ok();
    let bytes = |text: &str| one(text).filter(|bytes| *bytes < NO_LIMIT_BYTES);
    json!({
        "cpus": cpus(root, &chain("cpuset")),
        "processors": cpu.least(|folder| processors(root, folder)),
        "memory_bytes": memory.least(|folder| text(root, folder, &["memory.max", "memory.limit_in_bytes"]).and_then(|t| bytes(&t))),
        "swap_bytes": memory.least(|folder| text(root, folder, &["memory.swap.max"]).and_then(|t| bytes(&t))),
        "processes": pids.least(|folder| text(root, folder, &["pids.max"]).and_then(|t| one(&t))),
        "resources": resources(root),
    })
}

/// Our group of one controller and those above it, up to the mount.
#[derive(Default)]
struct Chain(Vec<PathBuf>);

impl Chain {
    fn new(place: &Place, controller: &str) -> Self {
        let v1 = place.named(controller).map(|own| (place.top_of(controller), own));
        let Some((top, own)) = v1.or_else(|| place.v2().map(|(top, own)| (Some(top), own))) else {
            return Self::default();
        };
        let below = |folder: &&Path| top.as_ref().is_none_or(|top| folder.starts_with(top));
        Self(own.ancestors().take_while(below).map(Path::to_owned).collect())
    }

    fn least<T: PartialOrd>(&self, read: impl Fn(&Path) -> Option<T>) -> Option<T> {
        let values = self.0.iter().filter_map(|folder| read(folder));
        values.reduce(|one, other| if other < one { other } else { one })
    }
}

fn text(root: &Root, folder: &Path, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| root.text(folder.join(name)))
}

/// How many processors' time the group may use.
fn processors(root: &Root, folder: &Path) -> Option<f64> {
    let number = |name: &str| root.word(folder.join(name))?.parse::<f64>().ok().filter(|value| *value > 0.0);
    if let Some(text) = root.text(folder.join("cpu.max")) {
        let (quota, period) = parse_max(&text)?;
        return Some(quota? as f64 / period.max(1) as f64);
    }
    Some(number("cpu.cfs_quota_us")? / number("cpu.cfs_period_us")?)
}

fn cpus(root: &Root, chain: &Chain) -> Option<Vec<u32>> {
    let names = ["cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"];
    cpu_list::parse(&text(root, chain.0.first()?, &names)?)
}

/// Soft and hard limits; null inside is "unlimited".
fn resources(root: &Root) -> Value {
    let Some(text) = root.text("/proc/self/limits") else { return Value::Null };
    let pair = |(name, line): &(&str, &str)| {
        let (soft, hard) = resource_limits::pair(&text, line)?;
        Some(((*name).to_owned(), json!({"soft": soft, "hard": hard})))
    };
    Value::Object(gather(&mut RESOURCES.iter().filter_map(pair)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_our_own_groups_are_in_force() {
        let facts = facts(&Root::new(format!("{}/tests/machines/container", env!("CARGO_MANIFEST_DIR"))));
        assert_eq!((&facts["cpus"], &facts["processors"]), (&json!([0]), &json!(0.5)));
        assert_eq!((&facts["memory_bytes"], &facts["processes"]), (&json!(536_870_912), &json!(100)));
        assert_eq!(facts["resources"]["stack_bytes"], json!({"soft": 8_388_608, "hard": null}));
    }

    #[test]
    fn a_machine_without_limits_tells_none() {
        let facts = facts(&Root::new(format!("{}/tests/machines/tcg-epyc", env!("CARGO_MANIFEST_DIR"))));
        assert_eq!((&facts["processors"], &facts["memory_bytes"]), (&Value::Null, &Value::Null));
    }

    #[test]
    fn the_smallest_limit_above_us_counts() {
        let chain = Chain(vec!["/a/b".into(), "/a".into(), "/".into()]);
        let limit =
            |folder: &Path| [("/a", 5), ("/", 7)].iter().find(|(at, _)| folder == Path::new(at)).map(|(_, n)| *n);
        assert_eq!(chain.least(limit), Some(5));
        assert_eq!(chain.least(|_| None::<u64>), None);
    }
}
