//! Monitoring from the first sample to the last: asleep until a signal comes, the process ends, or a sample is due.

use std::os::fd::{AsRawFd, OwnedFd};
use std::time::Duration;

use super::log::{Level, Log};
use super::monitors::{Monitors, Subject};
use super::report::Report;
use super::summary::Summary;
use super::text::Text;
use crate::clock::{Moment, ns};
use crate::sys::{self, Ending};

/// Snapshots of the summary are at least so far apart.
const SNAPSHOT_NS: i64 = 5_000_000_000;
/// How often a kernel without a file for it (before 5.3) is asked whether the process is still there.
const ASK_NS: i64 = 200_000_000;

/// Why monitoring is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// The program that we started has ended.
    Ended(Ending),
    /// The process that we watched has ended.
    Gone,
    /// We were told to stop: what we watched goes on.
    Left(Option<i32>),
}

/// Everything that is open while monitoring.
pub struct Session {
    pub monitors: Monitors,
    pub summary: Summary,
    pub report: Report,
    pub text: Text,
    pub log: Log,
    /// Held signals.
    pub signals: Vec<i32>,
    pub wake: OwnedFd,
    /// When the schedule began.
    pub begun_ns: i64,
    pub last_ns: i64,
    pub snapshot_ns: Option<i64>,
}

impl Session {
    /// Monitors until it is over, then writes what is left to write.
    pub fn run(&mut self) -> Over {
        self.sample(Moment::now());
        let mut due_ns = self.slot_after(self.begun_ns);
        let over = loop {
            self.sleep(due_ns);
            if let Some(over) = self.look() {
                break over;
            }
            let now = Moment::now();
            if now.mono_ns >= due_ns {
                self.sample(now);
                due_ns = self.slot_after(now.mono_ns);
            }
        };
        self.finish(over);
        over
    }

    /// The next slot; those that were missed are left out, and those in which we would be beyond our budget.
    fn slot_after(&self, now_ns: i64) -> i64 {
        let interval_ns = ns(self.report.interval_s);
        let paid_ns = (sys::own_cpu_ns() as f64 * 100.0 / self.report.budget_percent) as i64;
        self.begun_ns + ((now_ns - self.begun_ns).max(paid_ns) / interval_ns + 1) * interval_ns
    }

    fn sleep(&self, due_ns: i64) {
        let now_ns = sys::monotonic_ns();
        let mut files = vec![self.wake.as_raw_fd()];
        let mut until_ns = due_ns;
        if let Subject::Attached(job) = &self.monitors.subject {
            files.extend(job.end.as_ref().map(AsRawFd::as_raw_fd));
            until_ns = if job.end.is_none() { due_ns.min(now_ns + ASK_NS) } else { due_ns };
        }
        sys::wait_readable(&files, Duration::from_nanos(u64::try_from(until_ns - now_ns).unwrap_or(0)));
    }

    /// Takes signals and ended processes in.
    fn look(&mut self) -> Option<Over> {
        while let Some((signal, by_process)) = sys::take_signal(&self.signals) {
            if let Some(over) = self.hear(signal, by_process) {
                return Some(over);
            }
        }
        match &mut self.monitors.subject {
            Subject::Launched(job) => {
                job.reap();
                job.ending.map(Over::Ended)
            }
            Subject::Attached(job) => job.ended().then_some(Over::Gone),
        }
    }

    fn hear(&mut self, signal: i32, by_process: bool) -> Option<Over> {
        match signal {
            sys::SIGCHLD => return None,
            sys::SIGUSR1 => {
                self.report.ended_by = Some("SIGUSR1");
                return Some(Over::Left(None));
            }
            _ => self.report.ended_by = Some(name(signal)),
        }
        let Subject::Launched(job) = &mut self.monitors.subject else { return Some(Over::Left(Some(signal))) };
        // What a terminal sends, it has sent to the job too.
        if by_process || signal == sys::SIGHUP {
            job.signal(signal);
        }
        let what = format!("{} passed on to the job", name(signal));
        self.log.tell(Level::Warning, "prmon", &what);
        self.report.partial = true;
        // Whoever asked may not wait for the end.
        self.sample(Moment::now());
        self.write();
        None
    }

    pub fn sample(&mut self, now: Moment) {
        let sample = self.monitors.sample(now);
        self.summary.take(&sample, true);
        self.text.row(&sample);
        self.report.largest_gap_ns = self.report.largest_gap_ns.max(now.mono_ns - self.last_ns);
        self.last_ns = now.mono_ns;
        if self.snapshot_ns.is_none_or(|last| now.mono_ns - last >= SNAPSHOT_NS) {
            self.snapshot_ns = Some(now.mono_ns);
            let partial = std::mem::replace(&mut self.report.partial, true);
            if let Err(error) = self.report.snapshot(&self.summary, &self.monitors) {
                self.log.tell(Level::Error, "prmon", &format!("cannot write the snapshot: {error}"));
            }
            self.report.partial = partial;
        }
    }
}

fn name(signal: i32) -> &'static str {
    match signal {
        sys::SIGTERM => "SIGTERM",
        sys::SIGINT => "SIGINT",
        _ => "SIGHUP",
    }
}
