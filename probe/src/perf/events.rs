//! Names of events, and how the kernel knows them.
//!
//! Source: perf_event_open(2) "type", "config"; names as in perf-list(1) where it has them.
//! Limits: page walks have no name of the kernel's own on x86, so that they are absent there; on Intel from Skylake on
//! its TLB misses are completed walks (arch/x86/events/intel/core.c).

use crate::read::Root;
use assay_nearest::nearest;

pub const HARDWARE: u32 = 0;
pub const SOFTWARE: u32 = 1;
const CACHE: u32 = 3;

pub const CPU_CLOCK: u64 = 0;
pub const TASK_CLOCK: u64 = 1;
pub const CYCLES: u64 = 0;

const DTLB: u64 = 3;
const ITLB: u64 = 4;
const WRITE: u64 = 1 << 8;
const MISS: u64 = 1 << 16;

/// Where the kernel lists its sources of events.
pub const SOURCES: &str = "/sys/bus/event_source/devices";

/// What an event is to the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub kind: u32,
    pub config: u64,
}

const KNOWN: [(&str, Event); 16] = [
    ("cycles", Event { kind: HARDWARE, config: CYCLES }),
    ("instructions", Event { kind: HARDWARE, config: 1 }),
    ("cache-references", Event { kind: HARDWARE, config: 2 }),
    ("cache-misses", Event { kind: HARDWARE, config: 3 }),
    ("branches", Event { kind: HARDWARE, config: 4 }),
    ("branch-misses", Event { kind: HARDWARE, config: 5 }),
    ("dtlb-loads", Event { kind: CACHE, config: DTLB }),
    ("dtlb-load-misses", Event { kind: CACHE, config: DTLB | MISS }),
    ("dtlb-store-misses", Event { kind: CACHE, config: DTLB | WRITE | MISS }),
    ("itlb-load-misses", Event { kind: CACHE, config: ITLB | MISS }),
    ("page-faults", Event { kind: SOFTWARE, config: 2 }),
    ("minor-faults", Event { kind: SOFTWARE, config: 5 }),
    ("major-faults", Event { kind: SOFTWARE, config: 6 }),
    ("context-switches", Event { kind: SOFTWARE, config: 3 }),
    ("cpu-migrations", Event { kind: SOFTWARE, config: 4 }),
    ("task-clock", Event { kind: SOFTWARE, config: TASK_CLOCK }),
];

/// Page walks, by the name that a processor's driver gives them (ARM: `dtlb_walk`, `itlb_walk`).
const WALKS: [(&str, &str); 2] = [("dtlb-walks", "dtlb_walk"), ("itlb-walks", "itlb_walk")];

/// All names, in the order of the documentation.
pub fn names() -> Vec<&'static str> {
    KNOWN.iter().map(|(name, _)| *name).chain(WALKS.iter().map(|(name, _)| *name)).collect()
}

/// Refuses a name that is not known, with the nearest that is.
pub fn check(name: &str) -> Result<(), String> {
    let known = names();
    if known.contains(&name) {
        return Ok(());
    }
    let near = nearest(name, &known).unwrap_or("nothing");
    Err(format!("cannot count '{name}': unknown event, nearest is '{near}'"))
}

/// The event of a name; `None` where this kernel has none.
pub fn find(root: &Root, name: &str) -> Option<Event> {
    let known = KNOWN.iter().find(|(known, _)| *known == name).map(|(_, event)| *event);
    known.or_else(|| walk(root, WALKS.iter().find(|(known, _)| *known == name)?.1))
}

fn walk(root: &Root, file: &str) -> Option<Event> {
    let word = |source: &str, name: &str| root.word(format!("{SOURCES}/{source}/{name}"));
    root.names(SOURCES).iter().find_map(|source| {
        let config = plain(&word(source, &format!("events/{file}"))?, &word(source, "format/event")?)?;
        Some(Event { kind: word(source, "type")?.parse().ok()?, config })
    })
}

/// `event=0x34` where the field is the lowest bits of `config`.
///
/// Source: Linux Documentation/ABI/testing/sysfs-bus-event_source-devices-{events,format}.
fn plain(event: &str, format: &str) -> Option<u64> {
    let number = event.strip_prefix("event=0x")?;
    let starts_low = format.starts_with("config:0-");
    starts_low.then(|| u64::from_str_radix(number, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_event_is_refused_with_the_nearest() {
        let refused = check("cache-mises").expect_err("unknown");
        assert_eq!(refused, "cannot count 'cache-mises': unknown event, nearest is 'cache-misses'");
        assert!(names().into_iter().all(|name| check(name).is_ok()));
    }

    #[test]
    fn translation_events_are_encoded_as_the_manual_says() {
        let config = |name: &str| find(&Root::new("/nowhere"), name).map(|event| event.config);
        assert_eq!(config("dtlb-load-misses"), Some(3 | 1 << 16));
        assert_eq!(config("dtlb-store-misses"), Some(3 | 1 << 8 | 1 << 16));
        assert_eq!(config("itlb-load-misses"), Some(4 | 1 << 16));
    }

    #[test]
    fn page_walks_are_taken_only_where_a_driver_names_them_plainly() {
        assert_eq!(plain("event=0x0034", "config:0-15"), Some(0x34));
        assert_eq!(plain("event=0x08,umask=0x0e", "config:0-7"), None);
        assert_eq!(plain("event=0x34", "config1:0-7"), None);
        assert_eq!(find(&Root::new("/nowhere"), "dtlb-walks"), None);
    }
}
