//! The job: all processes that came from its copies.

use crate::arrange;
use crate::cgroup::{Gauge, Group, GroupCpu, Version};
use crate::clock::Moment;
use crate::cpu_time::CpuTime;
use crate::parse::pid_stat::PidStat;
use crate::parse::turnover::Turnover;
use crate::perf::counters::TaskClock;
use crate::read::Root;
use crate::sys;
use crate::waited::Waited;

use super::copies::{Copy, End};
use super::pauser::Pauser;
use super::process_io::{IoBytes, ProcessIo};
use super::reader::Reader;
use super::tree::Tree;
use super::waits::Waits;

/// A running or ended job.
pub struct Job {
    pub copies: Vec<Copy>,
    pub group: Option<Group>,
    pub pauser: Option<Pauser>,
    /// What reads its files ahead.
    pub reader: Option<Reader>,
    gauge: Option<Gauge>,
    start: Option<GroupCpu>,
    /// Counts children too that the kernel reaps itself; opened where there is no group.
    clock: Option<TaskClock>,
    /// CPU time of the first processes before their release, where there is no group.
    before_ns: u64,
    cpu: CpuTime,
    tree: Tree,
    io: ProcessIo,
    waits: Waits,
    waited_before: Waited,
    waited: Waited,
    /// Members of the group, and when they were listed.
    listed: Option<(Option<Turnover>, Vec<i32>)>,
    /// When the tree was walked.
    walked: Option<Turnover>,
}

/// What a job holds and has used at one moment, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    pub cpu: Option<CpuTime>,
    pub rss_bytes: Option<u64>,
    pub processes: Option<usize>,
    pub io: Option<IoBytes>,
    /// What it took to read it.
    pub io_took_ns: i64,
}

impl Job {
    /// A job that is about to be released: what it used until now does not count.
    pub fn new(copies: Vec<Copy>, reader: Option<Reader>, group: Option<Group>, root: &Root) -> Self {
        let mut gauge = group.as_ref().and_then(Gauge::new);
        let start = gauge.as_mut().and_then(Gauge::cpu);
        let every = copies.iter().chain(reader.as_ref().map(|reader| &reader.copy));
        let mut pids: Vec<i32> = every.map(|copy| copy.pid).collect();
        arrange::sort_distinct(&mut pids);
        let clock = if start.is_none() { TaskClock::open(&pids) } else { None };
        let before_ns = pids.iter().filter_map(|pid| sys::process_cpu_ns(*pid)).sum();
        let me = i32::try_from(std::process::id()).unwrap_or(0);
        let (tree, io, waits) = (Tree::new(root, me), ProcessIo::new(root), Waits::new(root));
        let waited_before = waits.total(&pids);
        Self {
            copies,
            group,
            pauser: None,
            reader,
            gauge,
            start,
            clock,
            before_ns,
            cpu: CpuTime::default(),
            tree,
            io,
            waits,
            waited_before,
            waited: Waited::default(),
            listed: None,
            walked: None,
        }
    }

    /// What its totals are taken over.
    pub fn scope(&self) -> &'static str {
        match (self.start, self.gauge.as_ref().map(Gauge::version)) {
            (Some(_), Some(Version::One)) => "cgroup-v1",
            (Some(_), Some(Version::Two)) => "cgroup-v2",
            _ => "tree",
        }
    }

    /// Reaps every child that has ended, after a last look at its I/O.
    pub fn reap(&mut self) {
        while let Some(pid) = sys::ended_child() {
            let now = Moment::now();
            let reader = self.reader.as_mut().filter(|reader| reader.copy.pid == pid);
            let reader = reader.map(|reader| {
                reader.note(self.io.of(pid));
                &mut reader.copy
            });
            self.io.bury(pid);
            self.waits.bury(pid);
            let Ok((_, ending, used)) = sys::reap(pid) else { return };
            if let Some(copy) = self.copies.iter_mut().chain(reader).find(|copy| copy.pid == pid) {
                copy.end = Some(End { ending, at: now, used });
            }
        }
    }

    /// Whether a process reads files ahead.
    pub fn reads_ahead(&self, pid: i32) -> bool {
        self.reader.as_ref().is_some_and(|reader| reader.copy.pid == pid)
    }

    /// Whether what reads files ahead is still to be reaped.
    pub fn awaits_reader(&self) -> bool {
        self.reader.as_ref().is_some_and(|reader| reader.copy.end.is_none())
    }

    /// Whether the first process of every copy has ended.
    pub fn ended(&self) -> bool {
        self.copies.iter().all(|copy| copy.end.is_some())
    }

    /// Its processes: members of the group, or our descendants where there is none; sorted.
    pub fn members(&mut self) -> Vec<i32> {
        let members = self.gauge.as_mut().and_then(Gauge::processes);
        members.unwrap_or_else(|| self.tree.read().iter().map(|(pid, _)| *pid).collect())
    }

    /// Everything of it that still runs, also what left the group.
    pub fn alive(&mut self) -> Vec<i32> {
        let mut alive: Vec<i32> =
            self.tree.read().iter().filter(|(_, stat)| stat.runs()).map(|(pid, _)| *pid).collect();
        // Found in any case, also without /proc.
        alive.extend(self.copies.iter().filter(|copy| copy.end.is_none()).map(|copy| copy.pid));
        // Zombies are no members.
        alive.extend(self.gauge.as_mut().and_then(Gauge::processes).unwrap_or_default());
        arrange::sort_distinct(&mut alive);
        alive
    }

    /// Lets it stand still or go on, where that is due.
    pub fn pause(&mut self, now: Moment) {
        if let Some(pauser) = &mut self.pauser {
            pauser.act(now.mono_ns, self.group.as_ref());
        }
    }

    /// Lets it go on for good: who stands still hears no signal.
    pub fn pause_no_more(&mut self) {
        if let Some(pauser) = &mut self.pauser {
            pauser.end(sys::monotonic_ns(), self.group.as_ref());
        }
    }

    /// Sends a signal to all of it.
    pub fn signal(&mut self, signal: i32) {
        self.pause_no_more();
        for pid in self.alive() {
            let _ = sys::kill(pid, signal);
        }
    }

    /// Kills all of it.
    pub fn kill(&mut self) {
        self.pause_no_more();
        if let Some(group) = &self.group {
            group.kill();
        }
        self.signal(sys::SIGKILL);
    }

    /// Reads what it holds and has used; the I/O of its processes only where it is asked for.
    ///
    /// Processes are looked for anew unless the machine's turnover says that none began or ended.
    pub fn read(&mut self, with_io: bool, turnover: Option<Turnover>) -> Reading {
        match (self.start, self.gauge.as_mut().and_then(Gauge::rss_bytes)) {
            (Some(start), Some(rss_bytes)) => {
                self.cpu = self.group_cpu(start);
                self.list(turnover);
                let members = self.listed.as_ref().map_or(&[][..], |(_, members)| members);
                let (io, io_took_ns) = timed(with_io, || self.io.total(members));
                let processes = Some(members.len());
                Reading { cpu: Some(self.cpu), rss_bytes: Some(rss_bytes), processes, io, io_took_ns }
            }
            _ => self.read_tree(with_io, turnover),
        }
    }

    /// CPU time alone.
    pub fn read_cpu(&mut self) -> CpuTime {
        self.cpu = match self.start {
            Some(start) => self.group_cpu(start),
            None => {
                let members = self.tree.read();
                self.tree_cpu(&members)
            }
        };
        self.cpu
    }

    /// What its threads have waited since the release, as far as it can be known now; it never goes down.
    pub fn waited(&mut self) -> Waited {
        let mut members = self.members();
        // One that is ending is no member any more, until it is reaped.
        members.extend(self.copies.iter().filter(|copy| copy.end.is_none()).map(|copy| copy.pid));
        arrange::sort_distinct(&mut members);
        self.waited = self.waits.total(&members).since(self.waited_before).at_least(self.waited);
        self.waited
    }

    /// The same of a job of which everything is reaped; `None` where others reaped some of it.
    pub fn waited_in_all(&self) -> Option<Waited> {
        let waited = self.waits.total(&[]).since(self.waited_before);
        let slack_ns = 2_000_000_000 / sys::ticks_per_s();
        Some(waited).filter(|waited| waited.is_whole(self.cpu.total_ns(), slack_ns))
    }

    fn list(&mut self, turnover: Option<Turnover>) {
        let same = turnover.is_some() && self.listed.as_ref().is_some_and(|(known, _)| *known == turnover);
        if !same {
            let members = self.gauge.as_mut().and_then(Gauge::processes).unwrap_or_default();
            self.listed = Some((turnover, members));
        }
    }

    fn read_tree(&mut self, with_io: bool, turnover: Option<Turnover>) -> Reading {
        let same = turnover.is_some() && self.walked == turnover;
        let members = if same { self.tree.read_again() } else { self.tree.read() };
        self.walked = turnover;
        let pids: Vec<i32> = members.iter().map(|(pid, _)| *pid).collect();
        let (io, io_took_ns) = timed(with_io, || self.io.total(&pids));
        self.cpu = match self.start {
            Some(start) => self.group_cpu(start),
            None => self.tree_cpu(&members),
        };
        let running = members.iter().filter(|(_, stat)| stat.runs());
        let (processes, pages) =
            running.fold((0, 0), |(count, pages), (_, stat)| (count + 1, pages + stat.rss_pages));
        let known = self.tree.is_known();
        Reading {
            cpu: (known || self.start.is_some()).then_some(self.cpu),
            rss_bytes: known.then(|| pages * sys::page_bytes()),
            processes: known.then_some(processes),
            io,
            io_took_ns,
        }
    }

    fn group_cpu(&mut self, start: GroupCpu) -> CpuTime {
        self.gauge.as_mut().and_then(Gauge::cpu).map_or(self.cpu, |now| now.since(start, self.cpu))
    }

    fn tree_cpu(&self, members: &[(i32, PidStat)]) -> CpuTime {
        let tick_ns = 1_000_000_000 / sys::ticks_per_s();
        let reaped = sys::children_usage();
        let user = reaped.user_ns + members.iter().map(|(_, stat)| stat.user).sum::<u64>() * tick_ns;
        let system = reaped.system_ns + members.iter().map(|(_, stat)| stat.system).sum::<u64>() * tick_ns;
        CpuTime { user_ns: user.max(self.cpu.user_ns), system_ns: system.max(self.cpu.system_ns) }
    }

    /// Totals of a job of which everything is reaped; `stolen_ns`: what the hypervisor took from its processors.
    pub fn totals(&mut self, stolen_ns: u64) -> (CpuTime, IoBytes, Option<super::Doubt>) {
        let io = self.io.total(&[]);
        if let Some(start) = self.start {
            self.cpu = self.group_cpu(start);
            return (self.cpu, io, self.unwaited().or_else(|| self.short()));
        }
        let reaped = sys::children_usage();
        let exact = CpuTime { user_ns: reaped.user_ns, system_ns: reaped.system_ns }.without(self.before_ns);
        let clock_ns = self.clock.as_mut().and_then(TaskClock::ns);
        let (cpu, doubt) = self.with_lost(exact, clock_ns, stolen_ns, sys::may_be_virtual());
        self.cpu = cpu;
        (cpu, io, doubt.or_else(|| self.short()))
    }

    /// The I/O of children that nobody waits for is lost with them; their CPU time is not, which tells of them.
    fn unwaited(&self) -> Option<super::Doubt> {
        let reaped = sys::children_usage();
        let unwaited_ns = self.cpu.total_ns().saturating_sub(reaped.user_ns + reaped.system_ns);
        // Each process's figure is cut to whole µs.
        let slack_ns = 2_000_000_000 / sys::ticks_per_s() + self.cpu.total_ns() / 200;
        let sentence = format!(
            "Children that nobody waited for used {:.2} s of CPU time: their I/O counts as far as one sample showed it \
             (watch 'exits' tells it).",
            unwaited_ns as f64 / 1e9
        );
        (unwaited_ns > slack_ns).then_some(("io-incomplete", sentence))
    }

    /// A sample saw more I/O than there is in the end.
    fn short(&self) -> Option<super::Doubt> {
        let sentence = "Children that nobody waited for read or wrote: their I/O counts as far as one sample showed it \
                        (watch 'exits' tells it).";
        self.io.is_short().then(|| ("io-incomplete", sentence.to_owned()))
    }

    /// Adds what children used that nobody waited for, as far as it is known.
    ///
    /// The task clock counts them; a kernel that does not let us have it leaves the last sample. That clock runs on
    /// while a hypervisor has the processor, which the exact account leaves out, and the machine's own count of stolen
    /// time comes in ticks and late. So in a virtual machine the clock adds to what a sample has seen, never alone.
    fn with_lost(
        &mut self,
        exact: CpuTime,
        clock_ns: Option<u64>,
        stolen_ns: u64,
        virtual_machine: bool,
    ) -> (CpuTime, Option<super::Doubt>) {
        // Two ticks: samples count in ticks, in each mode, and the clock stops just before a process ends.
        let slack_ns = 2_000_000_000 / sys::ticks_per_s();
        let above = |ns: u64| ns > exact.total_ns() + slack_ns;
        let seen = self.cpu;
        if let Some(least_ns) = clock_ns.map(|ns| ns.saturating_sub(stolen_ns)).filter(|ns| above(*ns)) {
            if virtual_machine && !above(seen.total_ns()) {
                let open_ns = least_ns - exact.total_ns();
                return (exact, (open_ns > slack_ns + exact.total_ns() / 20).then(|| perhaps_lost(open_ns)));
            }
            let least_ns = least_ns.max(seen.total_ns());
            self.cpu = CpuTime::default().grown(least_ns, seen.user_ns.max(1), seen.system_ns);
            let open_ns = clock_ns.map_or(0, |ns| ns.saturating_sub(least_ns));
            let doubted = virtual_machine || open_ns > slack_ns;
            return (self.cpu, if doubted { Some(stolen_from(open_ns)) } else { self.unwaited() });
        }
        if !above(self.cpu.total_ns()) {
            return (exact, None);
        }
        let lost_s = (self.cpu.total_ns() - exact.total_ns()) as f64 / 1e9;
        let sentence = format!(
            "At least {lost_s:.2} s of CPU time are not in the kernel's total of reaped children; \
             the total is that of the last sample."
        );
        (self.cpu, Some(("totals-incomplete", sentence)))
    }
}

/// What is read, if it is wanted, and how long that took.
fn timed<T>(wanted: bool, read: impl FnOnce() -> T) -> (Option<T>, i64) {
    let began_ns = sys::monotonic_ns();
    let got = wanted.then(read);
    (got, sys::monotonic_ns() - began_ns)
}

fn stolen_from(open_ns: u64) -> super::Doubt {
    let sentence = format!(
        "Children that nobody waited for used CPU time, perhaps {:.2} s more than the total says: the clock that counts \
         them runs on while the hypervisor has the processor. Their I/O counts as far as one sample showed it.",
        open_ns as f64 / 1e9
    );
    ("totals-incomplete", sentence)
}

fn perhaps_lost(open_ns: u64) -> super::Doubt {
    let sentence = format!(
        "The clock of the job's processes counted {:.2} s more than those that were waited for used: by children that \
         nobody waited for, or the hypervisor had the processor meanwhile.",
        open_ns as f64 / 1e9
    );
    ("totals-incomplete", sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> Job {
        let mut job = Job::new(Vec::new(), None, None, &Root::here());
        job.clock = None;
        job
    }

    #[test]
    fn a_sample_that_saw_more_than_was_reaped_stands_for_the_total() {
        let slack_ns = 2_000_000_000 / sys::ticks_per_s();
        let exact = CpuTime { user_ns: 3_000_000_000, system_ns: 1_000_000_000 };
        let mut job = job();
        job.cpu = CpuTime { user_ns: 3_000_000_000, system_ns: 1_000_000_000 + slack_ns };
        assert_eq!(job.with_lost(exact, None, 0, true), (exact, None));
        job.cpu = CpuTime { user_ns: 3_500_000_000, system_ns: 1_000_000_000 };
        let (total, doubt) = job.with_lost(exact, None, 0, true);
        let (code, sentence) = doubt.expect("a doubt");
        assert_eq!((total, code), (job.cpu, "totals-incomplete"));
        assert!(sentence.starts_with("At least 0.50 s of CPU time"), "{sentence}");
    }

    #[test]
    fn what_the_hypervisor_took_leaves_a_total_of_the_clock_open() {
        let ms = |ms: u64| ms * 1_000_000;
        let exact = CpuTime { user_ns: ms(100), system_ns: 0 };
        let told_in = |virtual_machine, clock_ms, stolen_ms, seen_ms| {
            let mut job = job();
            job.cpu = CpuTime { user_ns: ms(seen_ms), system_ns: 0 };
            let (total, doubt) = job.with_lost(exact, Some(ms(clock_ms)), ms(stolen_ms), virtual_machine);
            (total.total_ns() / ms(1), doubt.map(|(code, _)| code))
        };
        let told = |clock_ms, stolen_ms, seen_ms| told_in(false, clock_ms, stolen_ms, seen_ms);
        assert_eq!(told(115, 0, 100), (100, None));
        assert_eq!(told(150, 0, 100).0, 150);
        assert_eq!(told(400, 15, 300).0, 385);
        assert_ne!(told(400, 15, 300).1, Some("totals-incomplete"));
        assert_eq!(told(400, 200, 150), (200, Some("totals-incomplete")));
        assert_eq!(told(400, 200, 350), (350, Some("totals-incomplete")));
        assert_eq!(told(400, 290, 350), (350, Some("totals-incomplete")));
        assert_eq!(told(400, 300, 100), (100, None));
        let inside = |clock_ms, stolen_ms, seen_ms| told_in(true, clock_ms, stolen_ms, seen_ms);
        assert_eq!(inside(125, 0, 100), (100, None));
        assert_eq!(inside(153, 0, 100), (100, Some("totals-incomplete")));
        assert_eq!(inside(400, 15, 300), (385, Some("totals-incomplete")));
    }

    #[test]
    fn ticks_of_the_living_are_added_to_what_was_reaped_and_the_sum_never_goes_down() {
        let mut job = job();
        let tick_ns = 1_000_000_000 / sys::ticks_per_s();
        let stat = |user, system| PidStat { user, system, ..PidStat::default() };
        let members = [(1, stat(1_000_000, 7_000_000)), (2, stat(500_000, 0))];
        // Other tests have children, too: for an hour of CPU time at most.
        let (reaped, most) = (sys::children_usage(), 3_600_000_000_000);
        job.cpu = job.tree_cpu(&members);
        let above = |ticks: u64, reaped: u64| reaped + ticks * tick_ns..reaped + ticks * tick_ns + most;
        assert!(above(1_500_000, reaped.user_ns).contains(&job.cpu.user_ns));
        assert!(above(7_000_000, reaped.system_ns).contains(&job.cpu.system_ns));
        assert_eq!(job.tree_cpu(&[]), job.cpu);
    }

    #[test]
    fn a_job_without_a_group_is_a_tree_that_has_ended_once_all_its_copies_have() {
        let mut job = job();
        assert_eq!((job.scope(), job.ended(), job.group.is_none()), ("tree", true, true));
        let reading = job.read(false, None);
        assert!(reading.cpu.is_some() && reading.rss_bytes.is_some() && reading.io.is_none());
        assert_eq!(reading.processes.is_some(), job.tree.is_known());
    }

    #[test]
    fn time_of_children_that_nobody_waited_for_is_told() {
        let mut job = job();
        assert_eq!(job.unwaited(), None);
        job.cpu = CpuTime { user_ns: 999_999_000_000_000, system_ns: 1_000_000_000 };
        let (code, sentence) = job.unwaited().expect("a doubt");
        let seconds = sentence.split_whitespace().find_map(|word| word.parse::<f64>().ok()).expect("seconds");
        // Other tests have children, too: for some hours of CPU time at most.
        assert!(code == "io-incomplete" && seconds > 900_000.0 && seconds <= 1_000_000.0, "{sentence}");
    }

    #[test]
    fn bytes_that_a_sample_saw_and_nobody_reaped_are_told() {
        let mut job = job();
        assert_eq!(job.short(), None);
        let me = i32::try_from(std::process::id()).expect("a number");
        assert!(job.io.total(&[me]).logical_read() > Some(0));
        assert_eq!(job.short().map(|(code, _)| code), Some("io-incomplete"));
    }
}
