//! Watches a job from its release to its end: samples on an absolute schedule, passes signals on, hears of phases.

use std::os::fd::{AsRawFd, OwnedFd};

use crate::clock::{Moment, ns};
use crate::error::plain;
use crate::parse::cpu_times::Unused;
use crate::parse::machine_stat::MachineStat;
use crate::phases::{Phases, Reached, Wanted};
use crate::spec::Spec;
use crate::sys;

use super::cause::Cause;
use super::copies::Schedule;
use super::events::Events;
use super::job::Job;
use super::outputs::Outputs;
use super::pauser::Pauser;
use super::sampler::Sampler;
use super::stopper::Stopper;
use super::{SIGNALS, until};

/// Time to read what a job that logs faster than we read has left.
const LEFT_NS: i64 = 10_000_000_000;

/// What is under way.
pub struct Watching<'a> {
    spec: &'a Spec,
    cpus: &'a [u32],
    sampler: Sampler,
    phases: Option<Phases>,
    events: Events,
    outputs: Outputs,
    wake_ups: u64,
}

/// A job that has ended, and how.
pub struct Watched {
    pub started: Moment,
    pub late_ns: i64,
    pub stopper: Stopper,
    pub sampler: Sampler,
    pub phases: Option<Phases>,
    pub events: Events,
    pub outputs: Outputs,
    pub machine_start: Option<MachineStat>,
    /// Of the processors that the job was confined to, at its release.
    pub unused_start: Unused,
    pub leftovers: usize,
    pub all_gone: bool,
    pub wake_ups: u64,
    /// What we had used ourselves before the release, in preparing.
    pub prepared_ns: u64,
}

impl<'a> Watching<'a> {
    /// `cpus` are the processors that the job is confined to.
    pub fn new(
        spec: &'a Spec,
        cpus: &'a [u32],
        sampler: Sampler,
        phases: Option<Phases>,
        events: Events,
        outputs: Outputs,
    ) -> Self {
        Self { spec, cpus, sampler, phases, events, outputs, wake_ups: 0 }
    }

    /// Releases the copies when they are due and returns when nothing of the job is left.
    pub fn watch(mut self, job: &mut Job) -> Result<Watched, Cause> {
        let ready = Moment::now();
        let mut schedule = Schedule::new(self.spec.start, ready);
        let signals = sys::signal_file(&SIGNALS).map_err(|error| format!("cannot wait: {}", plain(&error)))?;
        self.wait_for_start(&schedule, &signals)?;
        if self.outputs.look(sys::monotonic_ns()).is_some() {
            let sentence = format!("{}: '{}' was not started", self.outputs.want_of_room(), self.spec.command[0]);
            return Err(Cause { kind: "no-room", sentence });
        }
        let (machine_start, prepared_ns) = (self.sampler.machine(), sys::own_cpu_ns());
        let unused_start = self.sampler.unused(self.cpus);
        schedule.act(Moment { mono_ns: schedule.first_ns.max(ready.mono_ns), ..ready }, &mut job.copies);
        let started = job.copies[0].started.unwrap_or(ready);
        if let Some(reader) = &mut job.reader {
            reader.copy.release();
        }
        if let Some(pauser) = &mut job.pauser {
            pauser.begin(started.mono_ns);
        }
        let late_ns = self.spec.start.at_mono_ns.map_or(0, |at| started.mono_ns - at);
        let mut stopper = Stopper::new(self.spec, started);
        self.follow(job, &mut schedule, &mut stopper, started, &signals);
        job.pause_no_more();
        if let Some(reader) = &mut job.reader {
            reader.cut_off();
        }
        self.outputs.cut();
        self.hear_out(job);
        self.sampler.want_io();
        self.sampler.sample(Moment::now(), job);
        let (leftovers, all_gone) = stopper.clear(job, &mut self.outputs);
        let Self { sampler, phases, events, outputs, wake_ups, .. } = self;
        Ok(Watched {
            started,
            late_ns,
            stopper,
            sampler,
            phases,
            events,
            outputs,
            machine_start,
            unused_start,
            leftovers,
            all_gone,
            wake_ups,
            prepared_ns,
        })
    }

    /// Sleeps until the first copy is due; a stop before that ends all of them.
    fn wait_for_start(&self, schedule: &Schedule, signals: &OwnedFd) -> Result<(), Cause> {
        while sys::monotonic_ns() < schedule.first_ns {
            sys::wait_readable(&[signals.as_raw_fd()], until(schedule.first_ns));
            let signal = sys::wait_signal(&SIGNALS, Some(std::time::Duration::ZERO));
            if matches!(signal, Some(sys::SIGTERM | sys::SIGINT)) {
                let sentence = format!("'{}' was stopped before its start", self.spec.command[0]);
                return Err(Cause { kind: "stopped", sentence });
            }
        }
        Ok(())
    }

    fn follow(
        &mut self,
        job: &mut Job,
        schedule: &mut Schedule,
        stopper: &mut Stopper,
        started: Moment,
        signals: &OwnedFd,
    ) {
        let interval = ns(self.spec.interval_s);
        self.sampler.sample(Moment::now(), job);
        let mut next = started.mono_ns + interval;
        while !job.ended() {
            let pause = job.pauser.as_ref().and_then(Pauser::due);
            let due = [schedule.due(&job.copies), stopper.deadline(), pause, Some(self.outputs.due())];
            let due = due.into_iter().flatten();
            let (signal, told) = self.sleep(due.chain([next]).min().unwrap_or(next), signals);
            let now = Moment::now();
            job.pause(now);
            // In this order: a copy that is released now cannot have ended before.
            job.reap();
            schedule.act(now, &mut job.copies);
            if told {
                self.hear(job);
            }
            if job.ended() {
                break;
            }
            let sampling = now.mono_ns >= next;
            let look = sampling || now.mono_ns >= self.outputs.due();
            let too_much = if look { self.outputs.look(now.mono_ns) } else { None };
            stopper.act(signal, too_much, now, job);
            if stopper.why.is_some() {
                schedule.cancel(&mut job.copies);
            }
            if sampling {
                self.sampler.sample(now, job);
                next = slot_after(next, interval, now.mono_ns);
            }
        }
    }

    /// Sleeps until something is due, a signal comes or the job tells something: the signal, and whether it does.
    fn sleep(&mut self, wake_ns: i64, signals: &OwnedFd) -> (Option<i32>, bool) {
        // A job that is ended for what it wrote is heard no more: what it still tells would wake us without end.
        let heard = self.phases.as_ref().filter(|_| self.outputs.over().is_none());
        let mut wanted = heard.map_or(Wanted::default(), |phases| phases.wants(Moment::now()));
        let told_by = wanted.files.len();
        wanted.files.push(signals.as_raw_fd());
        wanted.files.extend(self.events.fd());
        let look_ns = wanted.look_ns.map_or(wake_ns, |look| look.min(wake_ns));
        let readable = sys::wait_readable(&wanted.files, until(look_ns));
        self.wake_ups += 1;
        if readable.get(told_by + 1) == Some(&true) {
            self.events.drain();
        }
        let told = readable[..told_by].contains(&true) || wanted.unwatched;
        (sys::wait_signal(&SIGNALS, Some(std::time::Duration::ZERO)), told)
    }

    /// Hears all that is left, once the job has ended.
    fn hear_out(&mut self, job: &mut Job) {
        let end_ns = sys::monotonic_ns() + LEFT_NS;
        self.hear(job);
        while self.phases.as_ref().is_some_and(Phases::is_behind) && sys::monotonic_ns() < end_ns {
            self.outputs.cut();
            if self.outputs.over().is_some() {
                return;
            }
            self.hear(job);
        }
    }

    fn hear(&mut self, job: &mut Job) {
        // A log that was cut begins anew for its reader, and what it tells is nobody's figure.
        if self.outputs.over().is_some() {
            return;
        }
        if let Some(phases) = &mut self.phases {
            let (events, sampler, cpus) = (&mut self.events, &mut self.sampler, self.cpus);
            phases.look(|| {
                sampler.want_io();
                Reached {
                    cpu: job.read_cpu(),
                    counts: events.counts(),
                    waited: job.waited(),
                    unused: sampler.unused(cpus),
                }
            });
        }
    }
}

/// The next slot of an absolute schedule; those that were missed are left out, never made up for.
fn slot_after(due_ns: i64, interval_ns: i64, now_ns: i64) -> i64 {
    due_ns + interval_ns * ((now_ns - due_ns) / interval_ns + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_follow_an_absolute_schedule_whatever_comes_late() {
        assert_eq!([slot_after(500, 100, 500), slot_after(500, 100, 599)], [600, 600]);
        assert_eq!([slot_after(500, 100, 600), slot_after(500, 100, 1234)], [700, 1300]);
    }
}
