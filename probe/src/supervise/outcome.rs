//! The record of a run: `probe.json` (`contracts/probe-v1.schema.json`, `$defs/record`).

use serde_json::{Value, json};

use crate::cgroup::Group;
use crate::clock::Moment;
use crate::cpu_time::CpuTime;
use crate::parse::cpu_times::Unused;
use crate::parse::machine_stat::MachineStat;
use crate::perf::counters::Count;
use crate::phases::{Reached, most_turns};
use crate::spec::{PROTOCOL, Spec};
use crate::sys::{self, Ending};
use crate::waited::Waited;

use super::cause::{Cause, exit};
use super::confine::InForce;
use super::copies::Copy;
use super::events::Profiled;
use super::files::Prepared;
use super::job::Job;
use super::parts::{cost, doubts, in_s, limits, machine, spent_s, told_copy, told_phase, wall_s};
use super::process_io::IoBytes;
use super::reader::{Read, Reader};
use super::watching::Watched;
use super::why::Why;
use super::{Doubt, launch, outputs};

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
    reaped: sys::Used,
    counts: Vec<Count>,
    profile: Option<Profiled>,
    io: IoBytes,
    oom_killed: Option<bool>,
    held_up: HeldUp,
    ahead: Option<Read>,
    before: Before,
    machine: (Option<MachineStat>, Option<MachineStat>),
    doubts: Vec<Doubt>,
}

/// What held the job up, in all.
struct HeldUp {
    throttled_ns: Option<u64>,
    memory_limit_hits: Option<u64>,
    waited: Option<Waited>,
    unused: Unused,
    pause: Option<f64>,
}

impl Watched {
    /// Reads what held the job up, before its group goes.
    fn held_up(&mut self, job: &Job, cpus: &[u32]) -> HeldUp {
        let ended = job.copies.iter().filter_map(|copy| copy.end).map(|end| end.at.mono_ns).max();
        HeldUp {
            throttled_ns: job.group.as_ref().and_then(Group::throttled_ns),
            memory_limit_hits: job.group.as_ref().and_then(Group::memory_limit_hits),
            waited: job.waited_in_all(),
            unused: self.sampler.unused(cpus),
            pause: job.pauser.as_ref().and_then(|pauser| pauser.held(ended?)),
        }
    }

    /// Reads the totals, now that nothing of the job is left, and removes its group.
    pub fn finish(mut self, mut job: Job, before: Before, mut doubts: Vec<Doubt>) -> Outcome {
        let machine = (self.machine_start, self.sampler.machine());
        let stolen = spent_s(self.unused_start, self.sampler.unused(&before.in_force.cpus), |unused| unused.steal);
        let (cpu, io, doubt) = job.totals(stolen.map_or(0, |stolen_s| (stolen_s * 1e9) as u64));
        // Before the stacks are folded, which takes a child of ours.
        let reaped = sys::children_usage();
        let held_up = self.held_up(&job, &before.in_force.cpus);
        if job.pauser.is_some() && held_up.pause.is_none() {
            doubts.push(("pause-not-applied", "The job could not be paused.".to_owned()));
        }
        let (counts, profile) = (self.events.counts(), self.events.finish());
        doubts.extend(doubt);
        let (ahead, failed) = job.reader.as_ref().map_or((None, None), Reader::told);
        doubts.extend(failed);
        let kills = job.group.as_ref().and_then(Group::oom_kills);
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
        if self.phases.as_ref().is_some_and(|phases| phases.timeline.is_cut()) {
            let most = most_turns(self.phases.as_ref().map_or(1, |phases| phases.timeline.copies()));
            let sentence = format!("A copy told of more than {most} phases: the rest lie in the last of them.");
            doubts.push(("phases-cut", sentence));
        }
        let oom_killed = kills.map(|kills| kills > 0);
        Outcome {
            watched: self,
            job,
            cpu,
            reaped,
            counts,
            profile,
            io,
            oom_killed,
            held_up,
            ahead,
            before,
            machine,
            doubts,
        }
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
        let cause = not_started.map(Cause::from);
        let cause = cause.or_else(|| Cause::of(ending, why, oom_killed, spec, &self.watched.outputs));
        let (output, room) = self.watched.outputs.json();
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
            "cost": cost(Some(&self.watched)),
            "limits": limits(Some((&self.before.in_force, self.held_up.pause))),
            "counters": self.counts.iter().map(Count::json).collect::<Value>(),
            "profile": self.profile.as_ref().map(Profiled::json),
            "cache": self.before.files.as_ref().map(|files| files.json(self.ahead.as_ref())),
            "output": output,
            "room": room,
            "machine": machine(self.machine),
            "leftover_processes": self.watched.leftovers,
            "doubts": doubts(&self.doubts),
        })
    }

    fn usage(&self, started: Moment, ended: Moment) -> Value {
        let (reaped, held_up) = (self.reaped, &self.held_up);
        let unused_s = |pick| spent_s(self.watched.unused_start, held_up.unused, pick);
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
            "throttled_s": held_up.throttled_ns.map(in_s),
            "memory_limit_hits": held_up.memory_limit_hits,
            "run_queue_s": held_up.waited.map(|waited| in_s(waited.queue_ns)),
            "block_io_s": held_up.waited.and_then(|waited| waited.block_io_ns).map(in_s),
            "io_wait_s": unused_s(|unused| unused.iowait),
            "steal_s": unused_s(|unused| unused.steal),
            "idle_s": unused_s(|unused| unused.idle),
        })
    }

    fn phases(&self, copies: &[Copy]) -> Value {
        let Some(phases) = self.watched.phases.as_ref().filter(|phases| phases.timeline.is_told()) else {
            return json!([]);
        };
        let (waited, unused) = (self.held_up.waited, self.held_up.unused);
        let end = Reached { cpu: self.cpu, counts: self.counts.clone(), waited: waited.unwrap_or_default(), unused };
        let start = Reached { unused: self.watched.unused_start, ..Reached::none(&end) };
        let of = |(index, copy): (usize, &Copy)| {
            let (began, ended) = (copy.started?, copy.end?.at);
            Some(phases.timeline.segments(index, (began, ended), (&start, &end)))
        };
        copies
            .iter()
            .enumerate()
            .filter_map(of)
            .flatten()
            .map(|segment| told_phase(&segment, waited.is_some()))
            .collect()
    }
}

/// The first ending that was not good; else a good one.
fn worst(copies: &[Copy]) -> Ending {
    let mut endings = copies.iter().filter_map(|copy| copy.end).map(|end| end.ending);
    endings.find(|ending| *ending != Ending::Exit(0)).unwrap_or(Ending::Exit(0))
}

/// The record of a run whose job could not even be prepared.
pub fn not_started(spec: &Spec, started: Moment, cause: &Cause) -> Value {
    let (output, room) = outputs::nothing(spec);
    json!({
        "protocol": PROTOCOL,
        "probe_version": env!("CARGO_PKG_VERSION"),
        "spec": spec.given,
        "state": "failed",
        "cause": cause.sentence,
        "cause_kind": cause.kind,
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
        "counters": [],
        "profile": null,
        "cache": null,
        "cost": cost(None),
        "limits": limits(None),
        "output": output,
        "room": room,
        "machine": machine((None, None)),
        "leftover_processes": 0,
        "doubts": [],
    })
}
