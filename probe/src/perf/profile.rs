//! Samples of stacks at fixed intervals, copied into a file as they come; nothing is looked up while the job runs.
//!
//! Source: perf_event_open(2) "MMAP layout". The kernel walks stacks by frame pointers, its own and the program's.
//! Limits: `docs/profiles.md`.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::RawFd;

use serde_json::{Value, json};

use crate::parse::cpu_list;
use crate::parse::perf_event::{LOST, LOST_SAMPLES, Record, SAMPLE, SAMPLE_TYPE, THROTTLE, record, records};
use crate::read::Root;
use crate::sys::{Request, Ring, Wakes, disable_event, enable_event, open_event, redirect_event};

use super::counters::{DISABLED, ENABLE_ON_EXEC, EXCLUDE_HYPERVISOR, EXCLUDE_KERNEL, INHERIT};
use super::events::{CPU_CLOCK, CYCLES, HARDWARE, SOFTWARE};
use super::{known, refused};

/// First word of a raw profile; a JSON object with what was sampled follows on the same line, then the records.
pub const FORMAT: &str = "assay-profile-1";

// Bits of `struct perf_event_attr`: mmap, comm, freq, task, watermark, sample_id_all, mmap2, comm_exec, use_clockid.
const RECORDS: u64 = 1 << 8 | 1 << 9 | 1 << 10 | 1 << 13 | 1 << 14 | 1 << 18 | 1 << 23 | 1 << 24;
const EXCLUDE_IDLE: u64 = 1 << 7;
const USE_CLOCK: u64 = 1 << 25;
const CLOCK_MONOTONIC: i32 = 1;

/// Pages of a processor's buffer (a second at 99 Hz), and of all buffers where there are many processors.
const PAGES: usize = 8;
const ALL_PAGES: usize = 128;

/// Whose stacks are sampled.
#[derive(Clone, Copy, Debug)]
pub enum Scope<'a> {
    /// First processes of a job that have not executed their programs yet, and everything that comes of them.
    Job(&'a [i32]),
    Machine,
}

/// A running profile.
#[derive(Debug)]
pub struct Profile {
    /// All events; the first of each processor owns its buffer.
    events: Vec<File>,
    rings: Vec<Ring>,
    wakes: Wakes,
    buffer: Vec<u8>,
    summary: Summary,
    machine: bool,
}

/// What was asked and what came of it.
#[derive(Clone, Debug)]
pub struct Summary {
    pub hz: u64,
    pub event: &'static str,
    pub user_only: bool,
    pub samples: u64,
    /// Records, most of them samples, for which a buffer had no room.
    pub lost: u64,
    /// Times that the kernel paused sampling because it took too long.
    pub throttled: u64,
    pub raw_bytes: u64,
}

impl Summary {
    pub fn json(&self) -> Value {
        json!({
            "hz": self.hz, "event": self.event, "scope": if self.user_only { "user" } else { "all" },
            "samples": self.samples, "lost": self.lost, "throttled": self.throttled, "raw_bytes": self.raw_bytes,
        })
    }

    fn count(&mut self, bytes: &[u8]) {
        self.raw_bytes += bytes.len() as u64;
        for (head, body) in records(bytes) {
            match head.kind {
                SAMPLE => self.samples += 1,
                THROTTLE => self.throttled += 1,
                LOST | LOST_SAMPLES => {
                    if let Some(Record::Lost(count)) = record(head, body) {
                        self.lost += count;
                    }
                }
                _ => {}
            }
        }
    }
}

/// One way to sample, from the best to what is left.
#[derive(Clone, Copy)]
struct Way {
    event: &'static str,
    kind: u32,
    config: u64,
    flags: u64,
    clock: u64,
}

const WAYS: [Way; 2] = [
    Way { event: "cycles", kind: HARDWARE, config: CYCLES, flags: 0, clock: USE_CLOCK },
    Way { event: "cpu-clock", kind: SOFTWARE, config: CPU_CLOCK, flags: EXCLUDE_IDLE, clock: USE_CLOCK },
];

impl Profile {
    /// Opens the events and buffers. A job is sampled from its programs' start, a machine from `begin`.
    ///
    /// Cycles where the processor counts them, else the kernel's clock; user mode alone where more is forbidden.
    pub fn open(root: &Root, scope: Scope, hz: u64) -> Result<Self, String> {
        let cpus = root.text("/sys/devices/system/cpu/online").and_then(|text| cpu_list::parse(&text));
        let cpus = cpus.ok_or("cannot profile: /sys/devices/system/cpu/online is not there")?;
        // A power of two, as the kernel wants it.
        let pages = (ALL_PAGES / cpus.len().max(1)).next_power_of_two().min(PAGES);
        let mut last = io::Error::from_raw_os_error(libc::ENOENT);
        for (way, user_only) in ways() {
            match Self::try_open(scope, &cpus, hz, way, pages) {
                Ok(mut profile) => {
                    profile.summary.user_only = user_only;
                    return Ok(profile);
                }
                Err(error) if refused::unsupported(&error) || refused::forbidden(&error) => last = error,
                Err(error) => return Err(cannot(root, &error)),
            }
        }
        Err(cannot(root, &last))
    }

    fn try_open(scope: Scope, cpus: &[u32], hz: u64, way: Way, pages: usize) -> io::Result<Self> {
        let request = request(way, hz, pages, scope);
        let machine = matches!(scope, Scope::Machine);
        let pids = if let Scope::Job(pids) = scope { pids } else { &[-1] };
        let summary =
            Summary { hz, event: way.event, user_only: false, samples: 0, lost: 0, throttled: 0, raw_bytes: 0 };
        let (events, rings, buffer, wakes) = (Vec::new(), Vec::new(), Vec::new(), Wakes::new()?);
        let mut profile = Self { events, rings, wakes, buffer, summary, machine };
        for cpu in cpus {
            profile.open_on(&request, pids, i32::try_from(*cpu).unwrap_or(0), pages)?;
        }
        Ok(profile)
    }

    fn open_on(&mut self, request: &Request, pids: &[i32], cpu: i32, pages: usize) -> io::Result<()> {
        let owner = self.events.len();
        for pid in pids {
            let event = open_event(request, *pid, cpu)?;
            match self.events.get(owner) {
                Some(owner) => redirect_event(&event, owner)?,
                None => self.open_ring(&event, pages)?,
            }
            self.events.push(event);
        }
        Ok(())
    }

    fn open_ring(&mut self, event: &File, pages: usize) -> io::Result<()> {
        self.rings.push(Ring::of(event, pages)?);
        self.wakes.add(event)
    }

    /// Writes the file's head and what is known of processes that run already, and lets a machine's events begin.
    pub fn begin(&mut self, root: &Root, out: &mut impl Write) -> io::Result<()> {
        let head = format!("{FORMAT} {}\n", self.summary.json());
        out.write_all(head.as_bytes())?;
        self.summary.raw_bytes += head.len() as u64;
        if self.machine {
            self.events.iter().try_for_each(enable_event)?;
            self.summary.raw_bytes += known::write(root, out)?;
        }
        Ok(())
    }

    /// A descriptor to poll: readable when a buffer is half full, until the next `drain`.
    pub fn fd(&self) -> RawFd {
        self.wakes.fd()
    }

    /// Copies what the buffers hold.
    pub fn drain(&mut self, out: &mut impl Write) -> io::Result<()> {
        // Before the look, so that what comes after it wakes again.
        self.wakes.clear();
        for ring in &mut self.rings {
            self.buffer.clear();
            ring.take(&mut self.buffer);
            self.summary.count(&self.buffer);
            out.write_all(&self.buffer)?;
        }
        Ok(())
    }

    /// Ends the sampling, copies the rest and tells what it came to.
    pub fn finish(mut self, out: &mut impl Write) -> io::Result<Summary> {
        for event in &self.events {
            disable_event(event)?;
        }
        self.drain(out)?;
        out.flush()?;
        Ok(self.summary)
    }
}

/// Each event with all its records, then in the kernel's own clock (before 4.1), then both without kernel mode.
fn ways() -> impl Iterator<Item = (Way, bool)> {
    let user = EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR;
    [(0, false), (user, true)].into_iter().flat_map(|(flags, user_only)| {
        let clocks = |way: Way| [way, Way { clock: 0, ..way }];
        WAYS.into_iter().flat_map(clocks).map(move |way| (Way { flags: way.flags | flags, ..way }, user_only))
    })
}

fn request(way: Way, hz: u64, pages: usize, scope: Scope) -> Request {
    let start = if matches!(scope, Scope::Job(_)) { INHERIT | ENABLE_ON_EXEC } else { 0 };
    Request {
        kind: way.kind,
        config: way.config,
        flags: way.flags | way.clock | RECORDS | DISABLED | start,
        frequency: hz,
        sample_type: SAMPLE_TYPE,
        read_format: 0,
        wakeup_bytes: u32::try_from(pages * 4096 / 2).unwrap_or(0),
        clock: if way.clock == 0 { 0 } else { CLOCK_MONOTONIC },
    }
}

fn cannot(root: &Root, error: &io::Error) -> String {
    format!("cannot profile: {}", refused::words(root, error))
}

#[cfg(test)]
mod tests {
    use super::super::command::{hold, release};
    use super::*;
    use crate::sys;
    use std::time::Duration;

    #[test]
    fn copies_of_a_job_share_the_buffers() {
        let words: Vec<String> =
            ["dd", "if=/dev/zero", "of=/dev/null", "bs=512", "count=300000"].map(str::to_owned).into();
        let held = [hold(&words).expect("one"), hold(&words).expect("other")];
        let pids = [held[0].pid, held[1].pid];
        let root = Root::here();
        let mut profile = match Profile::open(&root, Scope::Job(&pids), 997) {
            Ok(profile) => profile,
            Err(why) if why.contains("no permission") => {
                eprintln!("passed by: {why}");
                held.into_iter().for_each(|held| release(held).expect("released"));
                return;
            }
            Err(why) => panic!("{why}"),
        };
        let mut raw = Vec::new();
        profile.begin(&root, &mut raw).expect("begun");
        assert_eq!(profile.events.len(), 2 * profile.rings.len());
        held.into_iter().for_each(|held| release(held).expect("released"));
        assert!(pids.iter().all(|pid| sys::reap(*pid).is_ok()));
        profile.drain(&mut raw).expect("drained");
        // Both have ended, which must not keep whoever polls awake.
        assert_eq!(sys::wait_readable(&[profile.fd()], Duration::ZERO), [false]);
        let summary = profile.finish(&mut raw).expect("finished");
        let start = raw.iter().position(|byte| *byte == b'\n').expect("a head") + 1;
        let of = |pid: i32| {
            let samples = records(&raw[start..]).filter_map(|(head, body)| match record(head, body) {
                Some(Record::Sample(sample)) => Some(sample.process),
                _ => None,
            });
            samples.filter(|process| i64::from(*process) == i64::from(pid)).count() as u64
        };
        assert!(of(pids[0]) > 0 && of(pids[1]) > 0);
        assert_eq!(of(pids[0]) + of(pids[1]), summary.samples);
    }
}
