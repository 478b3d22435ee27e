//! What lies below this kernel, what it can put above itself, and whether we are in a container.
//!
//! Source: Linux `Documentation/virt/kvm/x86/cpuid.rst`, `Documentation/ABI/stable/sysfs-hypervisor-xen`,
//! systemd-detect-virt(1). Limits: a container that hides its marks is not seen; a machine that hides its hypervisor's
//! leaf is told by its firmware, if at all.

use serde_json::{Value, json};

use super::table::{As, Facts, unless_empty, value};
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
fn container(root: &Root) -> Option<&'static str> {
    let marked = MARKS.iter().find(|(file, _)| root.holds(file)).map(|(_, kind)| *kind);
    marked.or_else(|| grouped(root)).or_else(|| namespaced(root))
}

fn grouped(root: &Root) -> Option<&'static str> {
    let groups = root.text("/proc/self/cgroup")?;
    let paths = own_cgroup::paths(&groups);
    GROUPS.iter().find(|(part, _)| paths.iter().any(|path| path.contains(part))).map(|(_, kind)| *kind)
}

/// A process whose number differs from the one that the machine gave it lives in a namespace of its own.
///
/// Source: proc(5), `NSpid` since Linux 4.1: in a namespace with its own `/proc` there is one number only, so this sees
/// those that look at their host's; and process 2 of a whole machine is the kernel's thread maker.
fn namespaced(root: &Root) -> Option<&'static str> {
    let first = root.word("/proc/2/comm");
    (root.holds("/proc/1") && first.as_deref() != Some("kthreadd")).then_some("pid-namespace")
}

fn modules(root: &Root) -> Value {
    let parameters = |name: &str| {
        let folder = format!("/sys/module/{name}/parameters");
        let word = |file: String| (file.clone(), json!(root.word(format!("{folder}/{file}"))));
        root.names(&folder).into_iter().map(word).collect::<Facts>()
    };
    let loaded = MODULES.iter().map(|name| ((*name).to_owned(), parameters(name))).filter(|(_, all)| !all.is_empty());
    unless_empty(loaded.map(|(name, all)| (name, Value::Object(all))).collect())
}
