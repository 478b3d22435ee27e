//! All monitors together: one sample of a job.

use super::attached::Attached;
use super::launched::Launched;
use super::machine::Machine;
use super::network::Network;
use super::pss::{self, Pss};
use super::reading::Reading;
use super::sample::{Memory, Sample};
use super::swap::Swap;
use crate::clock::Moment;
use crate::parse::turnover::Turnover;
use crate::read::Root;

/// Whose processes are watched.
pub enum Subject {
    Launched(Box<Launched>),
    Attached(Box<Attached>),
}

impl Subject {
    pub fn pid(&self) -> i32 {
        match self {
            Self::Launched(job) => job.pid,
            Self::Attached(job) => job.pid,
        }
    }

    pub fn scope(&self) -> &'static str {
        match self {
            Self::Launched(job) => job.scope,
            Self::Attached(_) => "tree",
        }
    }

    fn read(&mut self, with_io: bool, turnover: Option<Turnover>) -> Reading {
        match self {
            Self::Launched(job) => job.read(with_io, turnover),
            Self::Attached(job) => job.read(with_io, turnover),
        }
    }
}

/// What is read at each sample; a monitor that is off or not to be had is `None`.
pub struct Monitors {
    pub subject: Subject,
    machine: Machine,
    pub network: Option<Network>,
    pub pss: Option<Pss>,
    swap: Option<Swap>,
    io: bool,
    started_mono_ns: i64,
    last: Sample,
}

impl Monitors {
    /// Begins to monitor; `off` names what is not to be.
    pub fn new(subject: Subject, started_mono_ns: i64, devices: &[String], off: &[String], root: &Root) -> Self {
        let on = |name: &str| !off.iter().any(|off| off == name);
        let pid = subject.pid().to_string();
        // A child of ours may have ended already: what we are told of ourselves we are told of it.
        let of = if matches!(subject, Subject::Launched(_)) { "self" } else { &pid };
        let memory = on("memmon");
        Self {
            machine: Machine::new(root),
            network: on("netmon").then(|| Network::of(root, of, devices)).flatten(),
            pss: (memory && on("pss") && pss::told(root, of)).then(|| Pss::new(root)),
            swap: memory.then(|| Swap::new(root)),
            io: on("iomon") && root.bytes(format!("/proc/{of}/io")).is_ok(),
            subject,
            started_mono_ns,
            last: Sample::default(),
        }
    }

    pub fn counts_io(&self) -> bool {
        self.io
    }

    /// Takes a sample.
    pub fn sample(&mut self, now: Moment) -> Sample {
        let (mut sample, reading) = self.totals(now);
        let (uses, pids) = (reading.uses, reading.members.iter().map(|(pid, _)| *pid).collect::<Vec<i32>>());
        sample.processes = uses.processes as u64;
        sample.threads = uses.threads;
        sample.memory = Memory {
            pss_kb: self.pss.as_mut().and_then(|pss| pss.kb(&pids, uses.rss_kb, now.mono_ns)),
            rss_kb: Some(uses.rss_kb),
            swap_kb: self.swap.as_mut().and_then(|swap| swap.kb(&pids)),
            vmem_kb: Some(uses.virtual_kb),
        };
        self.last = sample;
        sample
    }

    /// Takes the last sample, of a job that has ended: totals are exact, what it held stays as it was.
    pub fn finish(&mut self, now: Moment) -> Sample {
        self.last = self.totals(now).0;
        self.last
    }

    fn totals(&mut self, now: Moment) -> (Sample, Reading) {
        let (lost, turnover) = self.machine.look();
        let reading = self.subject.read(self.io, turnover);
        let sample = Sample {
            real_ns: now.real_ns,
            wall_ns: u64::try_from(now.mono_ns - self.started_mono_ns).unwrap_or(0),
            cpu: reading.uses.cpu,
            io: reading.io.at_least(self.last.io),
            traffic: self.network.as_mut().map(Network::read),
            minor_faults: reading.uses.minor_faults,
            major_faults: reading.uses.major_faults,
            machine_steal_ms: lost.steal_ms,
            machine_iowait_ms: lost.iowait_ms,
            ..self.last
        };
        (sample, reading)
    }
}
