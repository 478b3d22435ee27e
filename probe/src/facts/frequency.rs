//! How fast the processors may run and how they rest, of the first one: settings, never the frequency of the moment.
//!
//! Source: Linux `Documentation/admin-guide/pm/cpufreq.rst`, `intel_pstate.rst`, `cpuidle.rst`. Frequencies in Hz.

use serde_json::Value;

use super::CPUS;
use super::table::{As, Row, read, unless_empty};
use crate::read::Root;

const KHZ: As = As::Times(1000);
const ROWS: [Row; 14] = [
    ("driver", As::Text, "cpu0/cpufreq/scaling_driver"),
    ("governors", As::Words, "cpu0/cpufreq/scaling_available_governors"),
    ("minimum_hz", KHZ, "cpu0/cpufreq/cpuinfo_min_freq"),
    ("maximum_hz", KHZ, "cpu0/cpufreq/cpuinfo_max_freq"),
    ("base_hz", KHZ, "cpu0/cpufreq/base_frequency"),
    ("allowed_minimum_hz", KHZ, "cpu0/cpufreq/scaling_min_freq"),
    ("allowed_maximum_hz", KHZ, "cpu0/cpufreq/scaling_max_freq"),
    ("preference", As::Text, "cpu0/cpufreq/energy_performance_preference"),
    ("boost", As::Switch, "cpufreq/boost"),
    ("pstate_status", As::Text, "intel_pstate/status"),
    ("pstate_no_turbo", As::Switch, "intel_pstate/no_turbo"),
    ("amd_pstate_status", As::Text, "amd_pstate/status"),
    ("idle_driver", As::Text, "cpuidle/current_driver"),
    ("idle_governor", As::Text, "cpuidle/current_governor_ro"),
];

pub fn facts(root: &Root) -> Value {
    let mut facts = read(root, CPUS, &ROWS);
    let folder = format!("{CPUS}/cpu0/cpuidle");
    let states: Vec<String> =
        root.names(&folder).iter().filter_map(|name| root.word(format!("{folder}/{name}/name"))).collect();
    facts.insert("idle_states".to_owned(), if states.is_empty() { Value::Null } else { states.into() });
    unless_empty(facts)
}
