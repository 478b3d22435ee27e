//! `facts`: what the probe sees of a machine (`docs/facts.md`); fields as in `assay.model.machines.machine.Fingerprint`.

mod caches;
mod disks;
mod file_system;
mod frequency;
mod hardware;
mod kernel;
mod limits;
mod memory;
mod networks;
mod sensors;
mod software;
mod table;
mod virtualisation;

use std::path::Path;

use serde_json::{Value, json};

use crate::arrange;
use crate::cgroup;
use crate::error::{Error, Result};
use crate::parse::{cpu_list, cpuinfo, flat, setting};
use crate::read::Root;
use crate::sys;

const CPUS: &str = "/sys/devices/system/cpu";

/// Reads all facts; what a machine cannot do without is an error, everything else may be null.
///
/// `folder` is the one whose file system counts.
pub fn facts(root: &Root, folder: &Path) -> Result<Value> {
    let cpuinfo = root.text("/proc/cpuinfo").unwrap_or_default();
    let online = online(root).ok_or_else(|| absent(root, "/sys/devices/system/cpu/online"))?;
    let cpus = usable(root, &online);
    Ok(json!({
        "hostname": needed(root, "/proc/sys/kernel/hostname")?,
        "kernel": release(root)?,
        "architecture": architecture(root),
        "cpu_model": cpuinfo::model(&cpuinfo),
        "cache_bytes": caches::largest_bytes(&caches::caches(root, &online), &cpus),
        "siblings": siblings(root, &cpus).unwrap_or_default(),
        "cpus": cpus,
        "memory_bytes": memory(root).ok_or_else(|| absent(root, "/proc/meminfo"))?,
        "hypervisor": cpuinfo::hypervisor(&cpuinfo),
        "clock_source": root.word("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "governor": root.word(format!("{CPUS}/cpu0/cpufreq/scaling_governor")),
        "thp": root.text("/sys/kernel/mm/transparent_hugepage/enabled").and_then(|text| setting::chosen(&text)),
        "cgroup": root.told("cgroup", || cgroup::kind(root).map(str::to_owned)),
        "boot_id": root.word("/proc/sys/kernel/random/boot_id"),
        "groups": groups(root, &online, folder),
    }))
}

/// The fingerprint, in groups.
fn groups(root: &Root, online: &[u32], folder: &Path) -> Value {
    json!({
        "hardware": hardware::facts(root, online),
        "kernel": kernel::facts(root),
        "memory": memory::facts(root),
        "virtualisation": virtualisation::facts(root),
        "software": software::facts(root),
        "limits": limits::facts(root),
        "sensors": sensors::facts(root),
        "storage": json!({"disks": disks::facts(root), "file_system": file_system::facts(root, folder)}),
    })
}

fn absent(root: &Root, path: &str) -> Error {
    Error::missing(format!("cannot read the facts: {} is not there or not as expected", root.path(path).display()))
}

fn needed(root: &Root, path: &str) -> Result<String> {
    root.word(path).ok_or_else(|| absent(root, path))
}

/// Release of the kernel; gVisor's has no `osrelease`, but the line that every kernel greets with.
fn release(root: &Root) -> Result<String> {
    let path = "/proc/sys/kernel/osrelease";
    let greeted = || root.text("/proc/version")?.split_whitespace().nth(2).map(str::to_owned);
    root.word(path).or_else(greeted).ok_or_else(|| absent(root, path))
}

/// The kernel names it since 6.1; before, this machine tells it otherwise.
fn architecture(root: &Root) -> String {
    let told = root.word("/proc/sys/kernel/arch").or_else(|| root.told("architecture", sys::architecture));
    told.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

fn online(root: &Root) -> Option<Vec<u32>> {
    // A kernel for one processor only, such as user-mode Linux, has no such file.
    let one = || root.holds("/proc/cpuinfo").then(|| "0".to_owned());
    cpu_list::parse(&root.text(format!("{CPUS}/online")).or_else(one)?)
}

/// Those that this process may use.
fn usable(root: &Root, online: &[u32]) -> Vec<u32> {
    let status = root.text("/proc/self/status").unwrap_or_default();
    let allowed = flat::word(&status, "Cpus_allowed_list").and_then(cpu_list::parse);
    online.iter().copied().filter(|cpu| allowed.as_ref().is_none_or(|allowed| allowed.contains(cpu))).collect()
}

fn memory(root: &Root) -> Option<u64> {
    flat::number(&root.text("/proc/meminfo")?, "MemTotal")?.checked_mul(1024)
}

/// Processors that share a core, of those given, each core once; `None` where one of them does not tell.
///
/// Source: Linux `Documentation/admin-guide/cputopology.rst`; `thread_siblings_list` is the name before 5.3.
fn siblings(root: &Root, cpus: &[u32]) -> Option<Vec<Vec<u32>>> {
    let core = |cpu: &u32| {
        let text = |name: &str| root.text(format!("{CPUS}/cpu{cpu}/topology/{name}"));
        let mut core = cpu_list::parse(&text("core_cpus_list").or_else(|| text("thread_siblings_list"))?)?;
        core.retain(|cpu| cpus.contains(cpu));
        core.contains(cpu).then_some(core)
    };
    let mut cores: Vec<Vec<u32>> = cpus.iter().map(core).collect::<Option<_>>()?;
    arrange::sort_distinct(&mut cores);
    Some(cores)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(name: &str) -> Root {
        Root::new(format!("{}/tests/machines/{name}", env!("CARGO_MANIFEST_DIR")))
    }

    #[test]
    fn a_recorded_machine_is_read_through_its_root() {
        let facts = facts(&recorded("hybrid-guest"), Path::new("/")).expect("facts");
        assert_eq!(facts["hostname"], "guest");
        assert_eq!(facts["cpus"], json!([0, 1]));
        assert_eq!(facts["memory_bytes"], 24_684_096_u64 * 1024);
        assert_eq!(facts["cache_bytes"], 36_608 * 1024);
        assert_eq!(facts["hypervisor"], true);
        assert_eq!(facts["governor"], Value::Null);
        assert_eq!(facts["cgroup"], Value::Null);
        assert_eq!(facts["boot_id"], "2f1c6c0e-8f4b-4d0a-9d1c-6b0f0e3a7c55");
    }

    /// All recorded machines that have their basics.
    const MACHINES: [&str; 9] = [
        "container",
        "gvisor",
        "host",
        "hybrid-guest",
        "split-cores",
        "tcg-epyc",
        "tcg-nehalem",
        "tcg-qemu64",
        "uml",
    ];

    #[test]
    fn every_recorded_machine_has_all_groups() {
        for name in MACHINES {
            let facts = facts(&recorded(name), Path::new("/")).expect(name);
            let groups: Vec<&String> = facts["groups"].as_object().expect(name).keys().collect();
            assert_eq!(groups.len(), 8, "{name}: {groups:?}");
        }
    }

    #[test]
    fn what_a_guest_is_made_of_is_read() {
        let facts = facts(&recorded("tcg-nehalem"), Path::new("/")).expect("facts");
        let hardware = &facts["groups"]["hardware"];
        assert_eq!((&hardware["topology"]["sockets"], &hardware["topology"]["cores"]), (&json!(2), &json!(4)));
        assert_eq!((&hardware["nodes"]["1"]["cpus"], &hardware["board"]["vendor"]), (&json!([2, 3]), &json!("QEMU")));
        let interface = &hardware["networks"]["eth0"];
        assert_eq!((&interface["driver"], &interface["mtu_bytes"]), (&json!("virtio_net"), &json!(1500)));
        assert_eq!(facts["groups"]["kernel"]["config"]["HZ"], "250");
        assert_eq!(facts["groups"]["storage"]["disks"]["vda"]["driver"], "virtio_blk");
    }

    #[test]
    fn a_kernel_without_osrelease_is_known_by_its_greeting() {
        let facts = facts(&recorded("gvisor"), Path::new("/")).expect("facts");
        assert_eq!((&facts["kernel"], &facts["boot_id"]), (&json!("4.4.0"), &Value::Null));
    }

    #[test]
    fn a_kernel_that_is_a_process_has_one_processor_and_little_else() {
        let facts = facts(&recorded("uml"), Path::new("/")).expect("facts");
        assert_eq!(
            (&facts["cpus"], &facts["clock_source"], &facts["thp"]),
            (&json!([0]), &json!("timer"), &Value::Null)
        );
        assert_eq!(facts["groups"]["storage"]["file_system"]["kind"], "hostfs");
    }

    #[test]
    fn processors_of_a_core_are_siblings_whatever_their_numbers() {
        let pairs = facts(&recorded("hybrid-guest"), Path::new("/")).expect("facts");
        assert_eq!(pairs["siblings"], json!([[0, 1]]));
        // Cores 0,2 and 1,3 in the file of an older kernel, without the right to use processor 3.
        let split = facts(&recorded("split-cores"), Path::new("/")).expect("facts");
        assert_eq!((split["cpus"].clone(), split["siblings"].clone()), (json!([0, 1, 2]), json!([[0, 2], [1]])));
        assert_eq!(split["boot_id"], Value::Null);
    }

    #[test]
    fn siblings_are_not_known_where_one_processor_does_not_tell() {
        assert_eq!(siblings(&recorded("hybrid-guest"), &[0, 1, 2]), None);
    }

    #[test]
    fn a_machine_without_its_basics_is_an_error_that_names_the_file() {
        let error = facts(&Root::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pieces/threads")), Path::new("/"))
            .expect_err("nothing there");
        assert!(error.message.contains("cpu/online"), "{}", error.message);
    }
}
