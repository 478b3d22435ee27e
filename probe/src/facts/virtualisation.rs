//! What lies below this kernel, what it can put above itself, and whether we are in a container.
//!
//! Source: Linux `Documentation/virt/kvm/x86/cpuid.rst`, `Documentation/ABI/stable/sysfs-hypervisor-xen`,
//! systemd-detect-virt(1). Limits: a container that sees its host's processes is seen by its groups only; a machine that
//! hides its hypervisor's leaf is told by its firmware, if at all; user-mode Linux shows its host's leaf.

use serde_json::{Value, json};

use super::table::{As, gather, unless_empty, value};
use crate::parse::{cpuinfo, hypervisor, own_cgroup};
use crate::read::Root;
use crate::sys;

/// Modules whose parameters change what a guest costs.
const MODULES: [&str; 4] = ["kvm", "kvm_intel", "kvm_amd", "kvm_hv"];
/// Files that container engines leave.
const MARKS: [(&str, &str); 3] =
    [("/run/.containerenv", "podman"), ("/.dockerenv", "docker"), ("/.singularity.d", "apptainer")];
/// Parts of a group's path that engines give.
const GROUPS: [(&str, &str); 6] = [
    ("/docker", "docker"),
    ("libpod", "podman"),
    ("/kubepods", "kubernetes"),
    ("/lxc", "lxc"),
    ("machine.slice", "systemd-nspawn"),
    ("/garden", "garden"),
];

pub fn facts(root: &Root) -> Value {
    let cpuinfo = root.text("/proc/cpuinfo").unwrap_or_default();
    let face =
        root.told("hypervisor", || sys::hypervisor().map(|(name, features)| hypervisor::format(&name, features)));
    let face = face.as_deref().and_then(hypervisor::parse);
    json!({
        "hypervisor": name(root, &cpuinfo, face.as_ref()),
        "signature": face.as_ref().map(|face| &face.signature),
        "features": face.as_ref().map(|face| format!("{:#010x}", face.features)),
        "tells_steal": face.as_ref().and_then(hypervisor::tells_steal),
        "xen_capabilities": value(root, "/sys/hypervisor/properties/capabilities", As::Text),
        "user_mode_linux": user_mode(&cpuinfo),
        "container": container(root),
        "kvm_device": root.holds("/dev/kvm"),
        "modules": modules(root),
    })
}

/// The first that speaks: the processor, the kernel, the firmware.
fn name(root: &Root, cpuinfo: &str, face: Option<&hypervisor::Face>) -> Option<String> {
    if user_mode(cpuinfo) {
        return Some("user-mode-linux".to_owned());
    }
    let signed = face.and_then(|face| hypervisor::of_signature(&face.signature)).map(str::to_owned);
    signed.or_else(|| root.word("/sys/hypervisor/type")).or_else(|| firmware(root).map(str::to_owned))
}

fn user_mode(cpuinfo: &str) -> bool {
    cpuinfo::first(cpuinfo, "vendor_id") == Some("User Mode Linux")
}

fn firmware(root: &Root) -> Option<&'static str> {
    let files = ["product_name", "sys_vendor", "board_vendor", "bios_vendor"];
    files.iter().find_map(|file| hypervisor::of_firmware(&root.word(format!("/sys/class/dmi/id/{file}"))?))
}

/// Kind of the container that we are in; null is "none seen".
///
/// Marks alone say little: an image that was a container's once and is a machine's now still has them.
fn container(root: &Root) -> Option<&'static str> {
    let marked = || MARKS.iter().find(|(file, _)| root.holds(file)).map(|(_, kind)| *kind);
    let alone = own_processes(root);
    grouped(root).or_else(|| alone.then(marked).flatten()).or_else(|| alone.then_some("pid-namespace"))
}

fn grouped(root: &Root) -> Option<&'static str> {
    let groups = root.text("/proc/self/cgroup")?;
    let paths = own_cgroup::paths(&groups);
    GROUPS.iter().find(|(part, _)| paths.iter().any(|path| path.contains(part))).map(|(_, kind)| *kind)
}

/// Whether processes are numbered for us alone: process 2 of a whole machine is the kernel's maker of threads.
fn own_processes(root: &Root) -> bool {
    root.holds("/proc/1") && root.word("/proc/2/comm").as_deref() != Some("kthreadd")
}

fn modules(root: &Root) -> Value {
    let parameters = |name: &str| {
        let folder = format!("/sys/module/{name}/parameters");
        let word = |file: String| (file.clone(), json!(root.word(format!("{folder}/{file}"))));
        gather(&mut root.names(&folder).into_iter().map(word))
    };
    let loaded = MODULES.iter().map(|name| ((*name).to_owned(), parameters(name))).filter(|(_, all)| !all.is_empty());
    unless_empty(gather(&mut loaded.map(|(name, all)| (name, Value::Object(all)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(machine: &str) -> Value {
        facts(&Root::new(format!("{}/tests/machines/{machine}", env!("CARGO_MANIFEST_DIR"))))
    }

    #[test]
    fn guests_containers_and_user_mode_linux_are_told_apart() {
        let told = |machine| (of(machine)["hypervisor"].clone(), of(machine)["container"].clone());
        assert_eq!(told("tcg-nehalem"), (json!("qemu-tcg"), Value::Null));
        assert_eq!(told("container"), (json!("kvm"), json!("pid-namespace")));
        assert_eq!(told("uml"), (json!("user-mode-linux"), Value::Null));
        assert_eq!(told("host"), (json!("kvm"), Value::Null));
    }

    #[test]
    fn parameters_of_kvm_are_there_where_it_is_loaded() {
        assert_eq!(of("host")["modules"]["kvm"]["halt_poll_ns"], "200000");
        assert_eq!(of("tcg-nehalem")["modules"], Value::Null);
        assert_eq!((&of("host")["tells_steal"], &of("tcg-epyc")["tells_steal"]), (&json!(true), &Value::Null));
    }
}
