//! Parts of a record: copies, phases, what was in force, what watching cost.

use serde_json::{Value, json};

use crate::clock::Moment;
use crate::cpu_time::CpuTime;
use crate::parse::cpu_times::Unused;
use crate::parse::machine_stat::MachineStat;
use crate::phases::Segment;
use crate::spec::Spec;
use crate::sys;

use super::Doubt;
use super::cause::exit;
use super::confine::InForce;
use super::copies::Copy;
use super::events::between;
use super::sampler::seconds;
use super::watching::Watched;

pub fn wall_s(started: Moment, ended: Moment) -> f64 {
    (ended.mono_ns - started.mono_ns) as f64 / 1e9
}

pub fn told_copy(index: usize, copy: &Copy, spec: &Spec) -> Value {
    let code = copy.end.map(|end| exit(end.ending));
    let used = |pick: fn(sys::Used) -> u64| copy.end.map(|end| pick(end.used));
    json!({
        "copy": index,
        "cpus": copy.cpus,
        "memory_nodes": spec.placement.nodes_of(index),
        "started": copy.started.map(Moment::json),
        "ended": copy.end.map(|end| end.at.json()),
        "exit_code": code.map(|(code, _)| code),
        "signal": code.and_then(|(_, signal)| signal),
        "wall_s": copy.started.zip(copy.end).map(|(started, end)| wall_s(started, end.at)),
        "user_s": used(|used| used.user_ns).map(|ns| ns as f64 / 1e9),
        "system_s": used(|used| used.system_ns).map(|ns| ns as f64 / 1e9),
        "rss_bytes": used(|used| used.rss_bytes),
    })
}

pub fn in_s(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// Seconds that processors spent in a state between two readings.
pub fn spent_s(start: Unused, end: Unused, pick: fn(Unused) -> Option<u64>) -> Option<f64> {
    Some(seconds(pick(end)?.saturating_sub(pick(start)?)))
}

/// `whole`: what threads waited is known in all.
pub fn told_phase(segment: &Segment, whole: bool) -> Value {
    let unused_s = |pick| segment.used.as_ref().and_then(|(from, to)| spent_s(from.unused, to.unused, pick));
    let waited = segment.used.as_ref().filter(|_| whole).map(|(from, to)| to.waited.since(from.waited));
    let spent = |pick: fn(CpuTime) -> u64| {
        segment.used.as_ref().map(|(from, to)| pick(to.cpu).saturating_sub(pick(from.cpu)) as f64 / 1e9)
    };
    json!({
        "copy": segment.copy,
        "phase": segment.phase,
        "started": segment.began.json(),
        "ended": segment.ended.json(),
        "wall_s": wall_s(segment.began, segment.ended),
        "user_s": spent(|cpu| cpu.user_ns),
        "system_s": spent(|cpu| cpu.system_ns),
        "events": segment.events,
        "counters": segment.used.as_ref().map_or_else(|| json!([]), |(from, to)| between(&from.counts, &to.counts)),
        "run_queue_s": waited.map(|waited| in_s(waited.queue_ns)),
        "block_io_s": waited.and_then(|waited| waited.block_io_ns).map(in_s),
        "io_wait_s": unused_s(|unused| unused.iowait),
        "steal_s": unused_s(|unused| unused.steal),
        "idle_s": unused_s(|unused| unused.idle),
    })
}

/// What watching cost; `None` where there was nothing to watch.
pub fn cost(watched: Option<&Watched>) -> Value {
    let prepared_ns = watched.map_or(0, |watched| watched.prepared_ns);
    let gap_ns = watched.and_then(|watched| watched.sampler.largest_gap_ns);
    json!({
        "cpu_s": sys::own_cpu_ns().saturating_sub(prepared_ns) as f64 / 1e9,
        "rss_bytes": sys::own_usage().rss_bytes,
        "samples": watched.map_or(0, |watched| watched.sampler.count),
        "largest_gap_s": gap_ns.map(|gap| gap as f64 / 1e9),
        "wake_ups": watched.map_or(0, |watched| watched.wake_ups),
    })
}

/// What was in force, and the share of the time in which the job stood still.
pub fn limits(held: Option<(&InForce, Option<f64>)>) -> Value {
    let (in_force, pause) = held.map_or((None, None), |(in_force, pause)| (Some(in_force), pause));
    json!({
        "cpus": in_force.map_or(&[][..], |limits| &limits.cpus),
        "memory_bytes": in_force.and_then(|limits| limits.memory_bytes),
        "cpu_quota": in_force.and_then(|limits| limits.cpu_quota),
        "read_bytes_per_s": in_force.and_then(|limits| limits.disk.read),
        "write_bytes_per_s": in_force.and_then(|limits| limits.disk.write),
        "disks": in_force.map_or(&[][..], |limits| &limits.disks),
        "pause": pause,
        "by": in_force.map_or("none", |limits| limits.by),
    })
}

pub fn machine((start, end): (Option<MachineStat>, Option<MachineStat>)) -> Value {
    let spent = |pick: fn(MachineStat) -> Option<u64>| {
        let (start, end) = (start.and_then(pick)?, end.and_then(pick)?);
        Some(seconds(end.saturating_sub(start)))
    };
    json!({
        "user_s": spent(|machine| Some(machine.user)),
        "system_s": spent(|machine| Some(machine.system)),
        "iowait_s": spent(|machine| machine.iowait),
        "steal_s": spent(|machine| machine.steal),
        "idle_s": spent(|machine| Some(machine.idle)),
    })
}

pub fn doubts(doubts: &[Doubt]) -> Value {
    doubts.iter().map(|(code, sentence)| json!({"code": code, "sentence": sentence})).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::machine_stat;

    #[test]
    fn a_kernel_without_steal_leaves_nothing_else_out() {
        let stat = |text| machine_stat::parse(text);
        let spent = machine((stat("cpu  1 2 3 4 5 6 7\n"), stat("cpu  11 2 3 4 5 6 7\n")));
        let unknown: Vec<&String> = spent
            .as_object()
            .expect("fields")
            .iter()
            .filter(|(_, value)| value.is_null())
            .map(|(name, _)| name)
            .collect();
        assert_eq!(unknown, ["steal_s"]);
        assert_eq!(spent["user_s"], seconds(10));
    }

    #[test]
    fn what_was_not_measured_is_null() {
        let fields = machine((None, None));
        assert!(fields.as_object().expect("fields").values().all(Value::is_null));
    }

    #[test]
    fn nanoseconds_are_billionths_of_a_second() {
        assert_eq!((in_s(0), in_s(1), in_s(3_500_000_000)), (0.0, 1e-9, 3.5));
    }
}
