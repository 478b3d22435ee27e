//! The record of a run: `probe.json` (`contracts/probe-v1.schema.json`, `$defs/record`).

use serde_json::{Value, json};

use crate::clock::Moment;
use crate::cpu_time::CpuTime;
use crate::parse::machine_stat::MachineStat;
use crate::phases::{Reached, Segment};
use crate::spec::{PROTOCOL, Spec};
use crate::sys::{self, Ending};

use super::confine::InForce;
use super::copies::Copy;
use super::files::Prepared;
use super::job::Job;
use super::process_io::IoBytes;
use super::sampler::seconds;
use super::stopper::Why;
use super::watching::Watched;
use super::{Doubt, launch};

/// Starts within this of each other are common.
const LATE_NS: i64 = 5_000_000;

/// What was brought about before the release, read back.
pub struct Before {
    pub in_force: InForce,
    pub files: Option<Prepared>,
}

/// Everything that a record says of a job that was released.
pub struct Outcome {
    watched: Watched,
    job: Job,
    cpu: CpuTime,
    io: IoBytes,
    oom_killed: Option<bool>,
    before: Before,
    machine: (Option<MachineStat>, Option<MachineStat>),
    doubts: Vec<Doubt>,
}

impl Watched {
    /// Reads the totals, now that nothing of the job is left, and removes its group.
    pub fn finish(mut self, mut job: Job, before: Before, mut doubts: Vec<Doubt>) -> Result<Outcome, String> {
        let machine = (self.machine_start, self.sampler.machine());
        let (cpu, io, doubt) = job.totals();
        doubts.extend(doubt);
        let kills = job.group.as_ref().and_then(crate::cgroup::Group::oom_kills);
        if !self.all_gone {
            doubts.push(("processes-left", "Some processes of the job could not be killed.".to_owned()));
        }
        if job.group.take().is_some_and(|group| !group.remove()) {
            doubts.push(("cgroup-left", "The control group of the job could not be removed.".to_owned()));
        }
        if self.late_ns > LATE_NS {
            let late = self.late_ns as f64 / 1e9;
            doubts.push(("start-missed", format!("The job was released {late:.3} s after the start asked for.")));
        }
        if self.phases.as_ref().is_some_and(|phases| !phases.timeline.is_told()) {
            doubts.push(("no-phase", "The job told of no phase.".to_owned()));
        }
        Ok(Outcome { watched: self, job, cpu, io, oom_killed: kills.map(|kills| kills > 0), before, machine, doubts })
    }
}

impl Outcome {
    /// The record.
    pub fn json(mut self, spec: &Spec) -> Value {
        let scope = self.job.scope();
        let mut copies = std::mem::take(&mut self.job.copies);
        let mut not_started = None;
        for copy in &mut copies {
            let (failure, refused) = copy.told.take().map_or((None, Vec::new()), |told| launch::told(told, spec));
            not_started = not_started.or(failure);
            self.doubts.extend(refused.into_iter().filter(|doubt| !self.doubts.contains(doubt)).collect::<Vec<_>>());
        }
        let started_at_all = not_started.is_none();
        let oom_killed = self.oom_killed == Some(true);
        let ending = worst(&copies);
        let why = self.watched.stopper.why;
        let cause = not_started.map(|sentence| Cause { kind: "start", sentence });
        let cause = cause.or_else(|| Cause::of(ending, why, oom_killed, spec));
        if cause.is_none() && oom_killed {
            let sentence = "The kernel killed a process of the job for want of memory, but the job exited with 0.";
            self.doubts.push(("oom-kill", sentence.to_owned()));
        }
        let (exit_code, signal) = exit(ending);
        let started = self.watched.started;
        let ended = copies.iter().filter_map(|copy| copy.end).map(|end| end.at).max_by_key(|at| at.mono_ns);
        let ended = ended.unwrap_or(started);
        json!({
            "protocol": PROTOCOL,
            "probe_version": env!("CARGO_PKG_VERSION"),
            "spec": spec.given,
            "state": if cause.is_none() { "ended" } else { "failed" },
            "cause": cause.as_ref().map(|cause| &cause.sentence),
            "cause_kind": cause.as_ref().map(|cause| cause.kind),
            "exit_code": exit_code,
            "signal": signal,
            "oom_killed": self.oom_killed,
            "timed_out": why == Some(Why::TimeLimit),
            "started": started.json(),
            "ended": ended.json(),
            "usage": if started_at_all { self.usage(started, ended) } else { Value::Null },
            "scope": scope,
            "copies": copies.iter().enumerate().map(|(index, copy)| told_copy(index, copy, spec)).collect::<Value>(),
            "phases": self.phases(&copies),
            "series": self.watched.sampler.series.json(),
            "cost": cost(self.watched.sampler.count, self.watched.sampler.largest_gap_ns, self.watched.wake_ups),
            "limits": limits(Some(&self.before.in_force)),
            "cache": self.before.files.as_ref().map(Prepared::json),
            "machine": machine(self.machine),
            "leftover_processes": self.watched.leftovers,
            "doubts": doubts(&self.doubts),
        })
    }

    fn usage(&self, started: Moment, ended: Moment) -> Value {
        let reaped = sys::children_usage();
        json!({
            "wall_s": wall_s(started, ended),
            "user_s": self.cpu.user_ns as f64 / 1e9,
            "system_s": self.cpu.system_ns as f64 / 1e9,
            "rss_bytes": reaped.rss_bytes,
            "read_bytes": self.io.read(),
            "write_bytes": self.io.write(),
            "logical_read_bytes": self.io.logical_read(),
            "logical_write_bytes": self.io.logical_write(),
            "minor_faults": reaped.minor_faults,
            "major_faults": reaped.major_faults,
            "voluntary_switches": reaped.voluntary_switches,
            "involuntary_switches": reaped.involuntary_switches,
        })
    }

    fn phases(&self, copies: &[Copy]) -> Value {
        let Some(phases) = self.watched.phases.as_ref().filter(|phases| phases.timeline.is_told()) else {
            return json!([]);
        };
        let end = Reached { cpu: self.cpu, counts: Vec::new() };
        let of = |(index, copy): (usize, &Copy)| {
            let (began, ended) = (copy.started?, copy.end?.at);
            Some(phases.timeline.segments(index, began, ended, &end))
        };
        copies.iter().enumerate().filter_map(of).flatten().map(|segment| told_phase(&segment)).collect()
    }
}

/// The first ending that was not good; else a good one.
fn worst(copies: &[Copy]) -> Ending {
    let mut endings = copies.iter().filter_map(|copy| copy.end).map(|end| end.ending);
    endings.find(|ending| *ending != Ending::Exit(0)).unwrap_or(Ending::Exit(0))
}

/// Exit code as a shell gives it, and the signal.
fn exit(ending: Ending) -> (i32, Option<u8>) {
    match ending {
        Ending::Exit(code) => (i32::from(code), None),
        Ending::Signal(signal) => (128 + i32::from(signal), Some(signal)),
    }
}

fn wall_s(started: Moment, ended: Moment) -> f64 {
    (ended.mono_ns - started.mono_ns) as f64 / 1e9
}

fn told_copy(index: usize, copy: &Copy, spec: &Spec) -> Value {
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

fn told_phase(segment: &Segment) -> Value {
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
    })
}

/// The record of a run whose job could not even be prepared.
pub fn not_started(spec: &Spec, started: Moment, cause: &str) -> Value {
    json!({
        "protocol": PROTOCOL,
        "probe_version": env!("CARGO_PKG_VERSION"),
        "spec": spec.given,
        "state": "failed",
        "cause": cause,
        "cause_kind": "start",
        "exit_code": null,
        "signal": null,
        "oom_killed": null,
        "timed_out": false,
        "started": started.json(),
        "ended": Moment::now().json(),
        "usage": null,
        "scope": null,
        "copies": [],
        "phases": [],
        "series": [],
        "cache": null,
        "cost": cost(0, None, 0),
        "limits": limits(None),
        "machine": machine((None, None)),
        "leftover_processes": 0,
        "doubts": [],
    })
}

/// Why a job failed: a word for programs, a sentence for people.
struct Cause {
    kind: &'static str,
    sentence: String,
}

impl Cause {
    fn of(ending: Ending, why: Option<Why>, oom_killed: bool, spec: &Spec) -> Option<Self> {
        let program = &spec.command[0];
        let (kind, sentence) = match (why, ending) {
            (Some(Why::TimeLimit), _) => {
                let limit = spec.time_limit_s.unwrap_or(0.0);
                ("time-limit", format!("'{program}' ran longer than its time limit of {limit} s and was stopped"))
            }
            (Some(Why::Request), _) => ("stopped", format!("'{program}' was stopped on request")),
            (None, Ending::Exit(0)) => return None,
            (None, _) if oom_killed => {
                let limit = spec.limits.memory_bytes;
                let limit = limit.map_or("no limit of ours".to_owned(), |bytes| format!("limit {bytes} bytes"));
                ("oom-kill", format!("the kernel killed a process of '{program}' for want of memory ({limit})"))
            }
            (None, Ending::Exit(code)) => ("exit", format!("'{program}' exited with {code}")),
            (None, Ending::Signal(signal)) => ("signal", format!("'{program}' was killed by signal {signal}")),
        };
        Some(Self { kind, sentence })
    }
}

fn cost(samples: u64, largest_gap_ns: Option<i64>, wake_ups: u64) -> Value {
    json!({
        "cpu_s": sys::own_cpu_ns() as f64 / 1e9,
        "rss_bytes": sys::own_usage().rss_bytes,
        "samples": samples,
        "largest_gap_s": largest_gap_ns.map(|gap| gap as f64 / 1e9),
        "wake_ups": wake_ups,
    })
}

fn limits(in_force: Option<&InForce>) -> Value {
    json!({
        "cpus": in_force.map_or(&[][..], |limits| &limits.cpus),
        "memory_bytes": in_force.and_then(|limits| limits.memory_bytes),
        "cpu_quota": in_force.and_then(|limits| limits.cpu_quota),
        "by": in_force.map_or("none", |limits| limits.by),
    })
}

fn machine((start, end): (Option<MachineStat>, Option<MachineStat>)) -> Value {
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

fn doubts(doubts: &[Doubt]) -> Value {
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
}
