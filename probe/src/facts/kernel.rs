//! The kernel: how it was built, started and set.
//!
//! Source: Linux `Documentation/admin-guide/kernel-parameters.txt`, `admin-guide/sysctl/kernel.rst`,
//! `admin-guide/hw-vuln/`, `Documentation/ABI/testing/sysfs-devices-system-cpu`.

use serde_json::{Value, json};

use super::CPUS;
use super::table::{As, Row, gather, read, unless_empty};
use crate::parse::command_line;
use crate::parse::{inflate, kernel_config};
use crate::read::Root;

const CLOCKS: &str = "/sys/devices/system/clocksource/clocksource0";
const MOST_CONFIG_BYTES: usize = 4 << 20;
/// The scheduler's settings in debugfs.
///
/// Source: Linux `kernel/sched/debug.c`.
const DEBUG: [&str; 9] = [
    "base_slice_ns",
    "features",
    "latency_ns",
    "migration_cost_ns",
    "min_granularity_ns",
    "nr_migrate",
    "tunable_scaling",
    "wakeup_granularity_ns",
    "idle_min_granularity_ns",
];
const ROWS: [Row; 14] = [
    ("version", As::Text, "proc/sys/kernel/version"),
    ("tainted", As::Number, "proc/sys/kernel/tainted"),
    ("preemption", As::Chosen, "sys/kernel/debug/sched/preempt"),
    ("clock_event", As::Text, "sys/devices/system/clockevents/clockevent0/current_device"),
    ("perf_event_paranoid", As::Number, "proc/sys/kernel/perf_event_paranoid"),
    ("kptr_restrict", As::Number, "proc/sys/kernel/kptr_restrict"),
    ("randomize_va_space", As::Number, "proc/sys/kernel/randomize_va_space"),
    ("nmi_watchdog", As::Switch, "proc/sys/kernel/nmi_watchdog"),
    ("timer_migration", As::Switch, "proc/sys/kernel/timer_migration"),
    ("smt_control", As::Text, "sys/devices/system/cpu/smt/control"),
    ("smt_active", As::Switch, "sys/devices/system/cpu/smt/active"),
    ("isolated_cpus", As::Cpus, "sys/devices/system/cpu/isolated"),
    ("nohz_full_cpus", As::Cpus, "sys/devices/system/cpu/nohz_full"),
    ("security_modules", As::Text, "sys/kernel/security/lsm"),
];

pub fn facts(root: &Root) -> Value {
    let line = root.word("/proc/cmdline");
    let line = line.as_deref().map(command_line::of_kernel);
    let mut facts = read(root, "", &ROWS);
    let mut add = |name: &str, value: Value| drop(facts.insert(name.to_owned(), value));
    add("command_line", json!(line));
    add("rcu_nocbs", json!(line.and_then(|line| command_line::value(line, "rcu_nocbs"))));
    add("clock_sources", super::table::value(root, &format!("{CLOCKS}/available_clocksource"), As::Words));
    add("config", config(root));
    add("scheduler", scheduler(root));
    add("vulnerabilities", vulnerabilities(root));
    Value::Object(facts)
}

/// What the processor is open to and what the kernel does about it, file by file.
fn vulnerabilities(root: &Root) -> Value {
    let folder = format!("{CPUS}/vulnerabilities");
    let mut texts =
        root.names(&folder).into_iter().map(|name| (name.clone(), json!(root.word(format!("{folder}/{name}")))));
    unless_empty(gather(&mut texts))
}

/// All settings of the scheduler that can be read; from 5.13 on, most are in debugfs and root's alone.
fn scheduler(root: &Root) -> Value {
    let folder = "/proc/sys/kernel";
    let names = root.names_from(folder, "sched_").into_iter();
    let named = names.filter_map(|name| Some((name.strip_prefix("sched_")?.to_owned(), format!("{folder}/{name}"))));
    // A folder per processor until 5.13: thousands of files that are the same on all but tuned machines.
    let single = named.filter(|(short, _)| short != "domain");
    let debug = DEBUG.iter().map(|name| ((*name).to_owned(), format!("/sys/kernel/debug/sched/{name}")));
    let read = |(short, path): (String, String)| Some((short, json!(root.word(path)?)));
    unless_empty(gather(&mut single.chain(debug).filter_map(read)))
}

/// The configuration's lines that matter, from the kernel itself or from the file that was installed with it.
fn config(root: &Root) -> Value {
    let Some(text) = root.told("kernel_config", || config_text(root)) else { return Value::Null };
    let pair = |(key, value): (&str, &str)| (key.to_owned(), json!(value));
    Value::Object(gather(&mut text.lines().filter_map(kernel_config::setting).map(pair)))
}

fn config_text(root: &Root) -> Option<String> {
    // Not noted: the wanted lines are, the file is large.
    let quiet = Root::here();
    let packed = quiet.bytes("/proc/config.gz").ok().and_then(|bytes| inflate::gunzip(&bytes, MOST_CONFIG_BYTES));
    let installed = || quiet.bytes(format!("/boot/config-{}", root.word("/proc/sys/kernel/osrelease")?)).ok();
    let bytes = packed.or_else(installed)?;
    let text = kernel_config::wanted(&String::from_utf8_lossy(&bytes));
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(machine: &str) -> Value {
        facts(&Root::new(format!("{}/tests/machines/{machine}", env!("CARGO_MANIFEST_DIR"))))
    }

    #[test]
    fn settings_of_the_scheduler_have_their_short_names() {
        assert_eq!(of("host")["scheduler"]["rt_runtime_us"], "950000");
        assert_eq!(of("hybrid-guest")["scheduler"], Value::Null);
    }

    #[test]
    fn mitigations_are_told_file_by_file() {
        let meltdown = &of("tcg-nehalem")["vulnerabilities"]["meltdown"];
        assert!(meltdown.as_str().is_some_and(|text| !text.is_empty()), "{meltdown}");
    }
}
