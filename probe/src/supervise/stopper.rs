//! Ends a job: at its time limit, when asked to, and whatever its first process leaves behind.

use crate::clock::{Moment, ns};
use crate::spec::Spec;
use crate::sys;

use super::job::Job;
use super::outputs::Outputs;
use super::why::Why;
use super::{SIGNALS, until};

/// Time for killed processes to be gone; one that waits for a dead disk may not be.
const PATIENCE_NS: i64 = 10_000_000_000;
/// Time for processes that are just about to end by themselves: they are no leftovers.
const FAREWELL_NS: i64 = 50_000_000;
/// Pause between looks at processes that are not our children and send us no signal.
const PAUSE_NS: i64 = 20_000_000;

/// A job that fills a disk has no longer than this to end by itself.
const ROOM_GRACE_NS: i64 = 200_000_000;

/// The deadlines of a job, on the monotonic clock.
pub struct Stopper {
    pub why: Option<Why>,
    limit_at: Option<i64>,
    kill_at: Option<i64>,
    grace_ns: i64,
}

impl Stopper {
    pub fn new(spec: &Spec, started: Moment) -> Self {
        let limit_at = spec.time_limit_s.map(|limit| started.mono_ns + ns(limit));
        Self { why: None, limit_at, kill_at: None, grace_ns: ns(spec.grace_s) }
    }

    /// When something has to be done next.
    pub fn deadline(&self) -> Option<i64> {
        if self.why.is_some() { self.kill_at } else { self.limit_at }
    }

    /// Does what a signal, the time or what the job writes (`too_much`) asks for.
    pub fn act(&mut self, signal: Option<i32>, too_much: Option<Why>, now: Moment, job: &mut Job) {
        let due = |at: Option<i64>| at.is_some_and(|at| now.mono_ns >= at);
        let asked = matches!(signal, Some(sys::SIGTERM | sys::SIGINT));
        match (self.why, too_much) {
            (None, _) if asked => self.ask(Why::Request, now, job),
            (None, _) if due(self.limit_at) => self.ask(Why::TimeLimit, now, job),
            (None, Some(why)) => self.ask(why, now, job),
            (Some(_), _) if due(self.kill_at) => {
                job.kill();
                // What a fork bomb makes meanwhile is killed at the next look.
                self.kill_at = Some(now.mono_ns + PAUSE_NS);
            }
            _ => {}
        }
    }

    fn ask(&mut self, why: Why, now: Moment, job: &mut Job) {
        self.why = Some(why);
        let grace_ns = if why == Why::Room { self.grace_ns.min(ROOM_GRACE_NS) } else { self.grace_ns };
        self.kill_at = Some(now.mono_ns + grace_ns);
        job.signal(sys::SIGTERM);
        // A stopped process hears nothing until it goes on.
        job.signal(sys::SIGCONT);
    }

    /// Ends what the first process left behind (at once, or with the rest of the grace of a job that was ended):
    /// how many had to be killed, and whether all are gone.
    pub fn clear(&mut self, job: &mut Job, outputs: &mut Outputs) -> (usize, bool) {
        let end = sys::monotonic_ns();
        let kill_at = self.kill_at.unwrap_or(end + FAREWELL_NS);
        let mut killed = 0;
        loop {
            let now = Moment::now();
            job.reap();
            let alive = job.alive();
            // What is alive may write yet: cut after it was looked for.
            outputs.cut();
            // A reader that has just been killed is not alive, and not reaped yet.
            if (alive.is_empty() && !job.awaits_reader()) || now.mono_ns > kill_at.max(end) + PATIENCE_NS {
                return (killed, alive.is_empty());
            }
            if now.mono_ns >= kill_at {
                killed = killed.max(alive.iter().filter(|pid| !job.reads_ahead(**pid)).count());
                job.kill();
            }
            sys::wait_signal(&SIGNALS, Some(until(now.mono_ns + PAUSE_NS)));
        }
    }
}
