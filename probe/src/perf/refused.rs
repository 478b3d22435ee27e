//! Why the kernel refuses an event, and what that says of the machine.

use std::io;

use crate::parse::cpuinfo;
use crate::read::Root;

use super::events::SOURCES;

const PARANOID: &str = "/proc/sys/kernel/perf_event_paranoid";

/// Reasons of perf_event_open(2) that mean "not on this machine".
pub fn unsupported(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV | libc::ENOSYS | libc::EINVAL))
}

/// Whether more rights would help.
pub fn forbidden(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
}

/// A refusal in a few words.
pub fn words(root: &Root, error: &io::Error) -> String {
    if unsupported(error) {
        return "not supported here".to_owned();
    }
    if forbidden(error) {
        let level = root.word(PARANOID).unwrap_or_else(|| "absent".to_owned());
        return format!("no permission (perf_event_paranoid={level})");
    }
    crate::error::plain(error)
}

/// Whether this is a guest to which its hypervisor shows no performance counters.
///
/// `None` where the machine does not say whether it is a guest. A processor's own source is `cpu`, on hybrid
/// processors `cpu_core`, on ARM `armv8_…`. Source: Linux Documentation/ABI/testing/sysfs-bus-event_source-devices-events.
/// Limits: a driver that finds a counter that does not count is a source too.
pub fn no_vpmu(root: &Root) -> Option<bool> {
    let guest = cpuinfo::hypervisor(&root.text("/proc/cpuinfo")?)?;
    let sources = root.names(SOURCES);
    let processor = |name: &String| name == "cpu" || name == "cpu_core" || name.starts_with("armv");
    Some(guest && !sources.is_empty() && !sources.iter().any(processor))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(number: i32) -> String {
        words(&Root::new(format!("{}/tests/pieces/no-vpmu", env!("CARGO_MANIFEST_DIR"))), &number_error(number))
    }

    fn number_error(number: i32) -> io::Error {
        io::Error::from_raw_os_error(number)
    }

    #[test]
    fn a_refusal_says_whether_rights_would_help() {
        assert_eq!(refusal(libc::ENOENT), "not supported here");
        assert_eq!(refusal(libc::EACCES), "no permission (perf_event_paranoid=2)");
        assert_eq!(refusal(libc::EMFILE), "too many open files");
    }

    #[test]
    fn a_guest_without_a_source_of_its_processor_has_no_vpmu() {
        let machine = |name: &str| Root::new(format!("{}/tests/pieces/{name}", env!("CARGO_MANIFEST_DIR")));
        assert_eq!(no_vpmu(&machine("no-vpmu")), Some(true));
        assert_eq!(no_vpmu(&machine("vpmu")), Some(false));
        assert_eq!(no_vpmu(&machine("threads")), None);
    }
}
