//! What can be measured here: counters, energy, temperatures. Names only; figures are samples.
//!
//! Source: Linux `Documentation/ABI/testing/sysfs-bus-event_source-devices`, `Documentation/power/powercap/powercap.rst`,
//! `Documentation/hwmon/sysfs-interface.rst`, `Documentation/driver-api/thermal/sysfs-api.rst`.

use serde_json::{Value, json};

use super::CPUS;
use crate::arrange;
use crate::read::Root;

const EVENTS: &str = "/sys/bus/event_source/devices";

pub fn facts(root: &Root) -> Value {
    let sources = root.names(EVENTS);
    json!({
        "cpu_counters": counters(&sources),
        "event_sources": if sources.is_empty() { Value::Null } else { json!(sources) },
        "energy_domains": named(root, "/sys/class/powercap", "name"),
        "temperature_sensors": named(root, "/sys/class/hwmon", "name"),
        "thermal_zones": named(root, "/sys/class/thermal", "type"),
        "throttle_counters": root.holds(format!("{CPUS}/cpu0/thermal_throttle")),
        "pressure": root.holds("/proc/pressure/cpu"),
    })
}

/// Whether the processor's own counters can be had; null where the kernel has no events at all.
fn counters(sources: &[String]) -> Option<bool> {
    let is_cpu = |name: &String| name == "cpu" || name.starts_with("cpu_") || name.starts_with("armv");
    (!sources.is_empty()).then(|| sources.iter().any(is_cpu))
}

/// Names of the devices of a class, sorted; several of a kind stay several.
fn named(root: &Root, class: &str, file: &str) -> Value {
    let mut names: Vec<String> =
        root.names(class).iter().filter_map(|device| root.word(format!("{class}/{device}/{file}"))).collect();
    arrange::sort(&mut names);
    if names.is_empty() { Value::Null } else { json!(names) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guest_without_counters_has_events_of_software_only() {
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(counters(&names(&["software", "tracepoint"])), Some(false));
        assert_eq!(counters(&names(&["cpu_core", "software"])), Some(true));
        assert_eq!(counters(&[]), None);
    }
}
