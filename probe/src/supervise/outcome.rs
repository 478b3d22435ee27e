//! The record of a run: `probe.json` (`contracts/probe-v1.schema.json`, `$defs/record`).

use std::os::fd::OwnedFd;

use serde_json::{Value, json};

use crate::clock::Moment;
use crate::cpu_time::CpuTime;
use crate::parse::machine_stat::MachineStat;
use crate::spec::{PROTOCOL, Spec};
use crate::sys::{self, Ending};

use super::confine::InForce;
use super::io_bytes::IoBytes;
use super::job::Job;
use super::sampler::{Sampler, seconds};
use super::stopper::Why;
use super::{Doubt, Watched, launch};

/// Everything that a record says of a job that was released.
pub struct Outcome {
    watched: Watched,
    ending: Ending,
    ended: Moment,
    cpu: CpuTime,
    io: IoBytes,
    rss_bytes: u64,
    oom_killed: Option<bool>,
    in_force: InForce,
    machine: (Option<MachineStat>, Option<MachineStat>),
    samples: u64,
    largest_gap_ns: Option<i64>,
    failure: OwnedFd,
    doubts: Vec<Doubt>,
}

impl Watched {
    /// Reads the totals, now that nothing of the job is left, and removes its group.
    pub fn finish(
        self,
        mut job: Job,
        sampler: Sampler,
        in_force: InForce,
        machine_start: Option<MachineStat>,
        failure: OwnedFd,
        mut doubts: Vec<Doubt>,
    ) -> Result<Outcome, String> {
        let machine = (machine_start, sampler.machine());
        let (cpu, io, doubt) = job.totals();
        doubts.extend(doubt);
        let kills = job.group.as_ref().and_then(crate::cgroup::Group::oom_kills);
        if !self.all_gone {
            doubts.push(("processes-left", "Some processes of the job could not be killed.".to_owned()));
        }
        if job.group.take().is_some_and(|group| !group.remove()) {
            doubts.push(("cgroup-left", "The control group of the job could not be removed.".to_owned()));
        }
        let (ending, ended) = job.ending.ok_or("BUG: the job has no ending")?;
        let (samples, largest_gap_ns) = (sampler.count, sampler.largest_gap_ns);
        let (rss_bytes, oom_killed) = (sys::children_usage().rss_bytes, kills.map(|kills| kills > 0));
        let watched = self;
        Ok(Outcome {
            watched,
            ending,
            ended,
            cpu,
            io,
            rss_bytes,
            oom_killed,
            in_force,
            machine,
            samples,
            largest_gap_ns,
            failure,
            doubts,
        })
    }
}

impl Outcome {
    /// The record.
    pub fn json(mut self, spec: &Spec) -> Value {
        let (not_started, refused) = launch::told(self.failure, spec);
        self.doubts.extend(refused);
        let started_at_all = not_started.is_none();
        let oom_killed = self.oom_killed == Some(true);
        let cause = not_started.or_else(|| cause(self.ending, self.watched.stopper.why, oom_killed, spec));
        if cause.is_none() && oom_killed {
            let sentence = "The kernel killed a process of the job for want of memory, but the job exited with 0.";
            self.doubts.push(("oom-kill", sentence.to_owned()));
        }
        let (exit_code, signal) = match self.ending {
            Ending::Exit(code) => (i32::from(code), None),
            Ending::Signal(signal) => (128 + i32::from(signal), Some(signal)),
        };
        let wall_s = (self.ended.mono_ns - self.watched.started.mono_ns) as f64 / 1e9;
        let usage = json!({
            "wall_s": wall_s,
            "user_s": self.cpu.user_ns as f64 / 1e9,
            "system_s": self.cpu.system_ns as f64 / 1e9,
            "rss_bytes": self.rss_bytes,
            "read_bytes": self.io.read,
            "write_bytes": self.io.write,
        });
        json!({
            "protocol": PROTOCOL,
            "probe_version": env!("CARGO_PKG_VERSION"),
            "spec": spec.given,
            "state": if cause.is_none() { "ended" } else { "failed" },
            "cause": cause,
            "exit_code": exit_code,
            "signal": signal,
            "oom_killed": self.oom_killed,
            "timed_out": self.watched.stopper.why == Some(Why::TimeLimit),
            "started": self.watched.started.json(),
            "ended": self.ended.json(),
            "usage": if started_at_all { usage } else { Value::Null },
            "cost": cost(self.samples, self.largest_gap_ns),
            "limits": limits(Some(&self.in_force)),
            "machine": machine(self.machine),
            "leftover_processes": self.watched.leftovers,
            "doubts": doubts(&self.doubts),
        })
    }
}

/// The record of a run whose job could not even be prepared.
pub fn not_started(spec: &Spec, started: Moment, cause: &str) -> Value {
    json!({
        "protocol": PROTOCOL,
        "probe_version": env!("CARGO_PKG_VERSION"),
        "spec": spec.given,
        "state": "failed",
        "cause": cause,
        "exit_code": null,
        "signal": null,
        "oom_killed": null,
        "timed_out": false,
        "started": started.json(),
        "ended": Moment::now().json(),
        "usage": null,
        "cost": cost(0, None),
        "limits": limits(None),
        "machine": machine((None, None)),
        "leftover_processes": 0,
        "doubts": [],
    })
}

fn cause(ending: Ending, why: Option<Why>, oom_killed: bool, spec: &Spec) -> Option<String> {
    let program = &spec.command[0];
    match (why, ending) {
        (Some(Why::TimeLimit), _) => {
            let limit = spec.time_limit_s.unwrap_or(0.0);
            Some(format!("'{program}' ran longer than its time limit of {limit} s and was stopped"))
        }
        (Some(Why::Request), _) => Some(format!("'{program}' was stopped on request")),
        (None, Ending::Exit(0)) => None,
        (None, _) if oom_killed => {
            let limit = spec.limits.memory_bytes;
            let limit = limit.map_or("no limit of ours".to_owned(), |bytes| format!("limit {bytes} bytes"));
            Some(format!("the kernel killed a process of '{program}' for want of memory ({limit})"))
        }
        (None, Ending::Exit(code)) => Some(format!("'{program}' exited with {code}")),
        (None, Ending::Signal(signal)) => Some(format!("'{program}' was killed by signal {signal}")),
    }
}

fn cost(samples: u64, largest_gap_ns: Option<i64>) -> Value {
    let own = sys::own_usage();
    json!({
        "cpu_s": (own.user_ns + own.system_ns) as f64 / 1e9,
        "rss_bytes": own.rss_bytes,
        "samples": samples,
        "largest_gap_s": largest_gap_ns.map(|gap| gap as f64 / 1e9),
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
