//! Every parser of series against damaged captures: whatever a file holds, it is a value or none, never a panic.

use super::*;

/// Numerical Recipes' linear congruential generator: the same damage at each run.
struct Damage(u64);

impl Damage {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }

    /// Cuts, doubles or overwrites a piece, a few times over.
    fn apply(&mut self, capture: &[u8]) -> Vec<u8> {
        const WORDS: [&[u8]; 9] =
            [b"18446744073709551615", b"-1", b"", b" ", b"\n", b":", b"\xff\xc3", b"99999999999999999999", b"e309"];
        let mut bytes = capture.to_vec();
        for _ in 0..=self.below(4) {
            let begin = self.below(bytes.len() + 1);
            let end = (begin + self.below(24)).min(bytes.len());
            match self.below(3) {
                0 => drop(bytes.drain(begin..end)),
                1 => bytes.truncate(begin),
                _ => drop(bytes.splice(begin..end, WORDS[self.below(WORDS.len())].iter().copied())),
            }
        }
        bytes
    }
}

macro_rules! capture {
    ($path:literal) => {
        include_bytes!(concat!("../../tests/", $path)).as_slice()
    };
}

fn captures() -> Vec<&'static [u8]> {
    vec![
        capture!("machines/hybrid-guest/proc/stat"),
        capture!("machines/hybrid-guest/proc/cpuinfo"),
        capture!("machines/hybrid-guest/proc/diskstats"),
        capture!("machines/hybrid-guest/proc/meminfo"),
        capture!("machines/hybrid-guest/proc/net/dev"),
        capture!("machines/hybrid-guest/proc/vmstat"),
        capture!("machines/hybrid-guest/proc/self/sched"),
        capture!("machines/hybrid-guest/proc/self/schedstat"),
        capture!("machines/hybrid-guest/proc/self/smaps_rollup"),
        capture!("machines/hybrid-guest/proc/self/stat"),
        capture!("machines/hybrid-guest/proc/self/status"),
        capture!("pieces/imitated-hypervisor/proc/4242/cmdline"),
        capture!("pieces/imitated-hypervisor/proc/4242/smaps"),
        include_bytes!("../../tests/netlink/exit.bin"),
        include_bytes!("../../tests/netlink/family.bin"),
    ]
}

/// Takes bytes through every parser; the sum keeps the compiler from leaving one out.
fn parse_all(bytes: &[u8]) -> usize {
    let text = String::from_utf8_lossy(bytes);
    let text = text.as_ref();
    [
        cpu_times::parse(text).count(),
        cpuinfo::frequencies(text).filter(|(_, hz)| hz.is_finite()).count(),
        diskstats::parse(text).count(),
        flat::numbers(text, &["MemTotal", "pgfault", "VmRSS"]).iter().flatten().count(),
        net_dev::parse(text).count(),
        usize::from(pressure::parse(text).some_us.is_some()),
        usize::from(pid_state::parse(bytes).is_some()),
        usize::from(schedstat::parse(text).is_some()),
        smaps::mappings(text).len(),
        usize::from(smaps::pss(text).all_bytes.is_some()),
        usize::from(switches::sched(text).is_some()),
        usize::from(switches::status(text).is_some()),
        usize::from(qemu::name(bytes).is_some()) + qemu::memories(bytes).len(),
        usize::from(qemu::is_guest(bytes)) + usize::from(qemu::vcpu(text).is_some()),
        taskstats::records(bytes, 31).filter(|record| record.stats.exit().is_some()).count(),
        usize::from(genetlink::family(bytes).is_some()),
    ]
    .iter()
    .sum()
}

#[test]
fn damaged_captures_never_make_a_parser_panic() {
    let mut damage = Damage(4);
    let mut values = 0;
    for capture in captures() {
        for _ in 0..400 {
            values += parse_all(&damage.apply(capture));
        }
    }
    assert!(values > 0);
}
