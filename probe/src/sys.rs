//! The system calls that Rust's standard library does not have; the only `unsafe` of the probe.
//!
//! Every function is safe to call from its single thread. `hold` forks: what runs in the child until it
//! executes the program is async-signal-safe (no allocation, no locks).

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::ptr;
use std::time::Duration;

pub use libc::{SIGCHLD, SIGCONT, SIGHUP, SIGINT, SIGKILL, SIGTERM};

/// Highest processor number that an affinity mask here can hold, plus one.
const MASK_BITS: usize = 1 << 16;

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

fn clock_ns(clock: libc::clockid_t) -> i64 {
    let mut time = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: the pointer is valid for one timespec, which is plain data and already zeroed.
    let time = unsafe {
        libc::clock_gettime(clock, time.as_mut_ptr());
        time.assume_init()
    };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// CLOCK_MONOTONIC in ns.
pub fn monotonic_ns() -> i64 {
    clock_ns(libc::CLOCK_MONOTONIC)
}

/// CLOCK_REALTIME in ns since 1970.
pub fn realtime_ns() -> i64 {
    clock_ns(libc::CLOCK_REALTIME)
}

fn system(name: libc::c_int) -> u64 {
    // SAFETY: sysconf takes no pointers.
    u64::try_from(unsafe { libc::sysconf(name) }).unwrap_or(0)
}

/// Ticks per second of the times in `/proc`.
pub fn ticks_per_s() -> u64 {
    system(libc::_SC_CLK_TCK).max(1)
}

/// Bytes of a page.
pub fn page_bytes() -> u64 {
    system(libc::_SC_PAGESIZE)
}

/// Machine name of uname(2), `x86_64`.
pub fn architecture() -> Option<String> {
    let mut name = MaybeUninit::<libc::utsname>::zeroed();
    // SAFETY: uname fills the struct with strings that end in 0; zeroed memory is a valid utsname before.
    let name = unsafe {
        check(libc::uname(name.as_mut_ptr())).ok()?;
        name.assume_init()
    };
    // SAFETY: the kernel ends the array with 0.
    let machine = unsafe { CStr::from_ptr(name.machine.as_ptr()) };
    machine.to_str().ok().map(str::to_owned)
}

/// CPU time and the largest resident set of one process.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    pub user_ns: u64,
    pub system_ns: u64,
    pub rss_bytes: u64,
}

fn used(usage: &libc::rusage) -> Used {
    let ns = |time: libc::timeval| u64::try_from(time.tv_sec * 1_000_000_000 + time.tv_usec * 1000).unwrap_or(0);
    Used {
        user_ns: ns(usage.ru_utime),
        system_ns: ns(usage.ru_stime),
        rss_bytes: u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024,
    }
}

fn usage_of(who: libc::c_int) -> Used {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is valid for one rusage, which is plain data and already zeroed.
    let usage = unsafe {
        libc::getrusage(who, usage.as_mut_ptr());
        usage.assume_init()
    };
    used(&usage)
}

/// What this process used itself.
pub fn own_usage() -> Used {
    usage_of(libc::RUSAGE_SELF)
}

/// What the reaped children used, with the children that those had reaped.
pub fn children_usage() -> Used {
    usage_of(libc::RUSAGE_CHILDREN)
}

/// CPU time that another process has used so far.
pub fn process_cpu_ns(pid: i32) -> Option<u64> {
    let mut clock: libc::clockid_t = 0;
    // SAFETY: the pointer is valid for one clockid_t.
    let result = unsafe { libc::clock_getcpuclockid(pid, &raw mut clock) };
    if result != 0 {
        return None;
    }
    u64::try_from(clock_ns(clock)).ok()
}

/// Which side of a fork one is on.
pub enum Side {
    Parent(i32),
    Child,
}

/// Forks this single-threaded process.
pub fn fork() -> io::Result<Side> {
    // SAFETY: the probe has one thread whenever this is called, so the child may go on with ordinary code.
    match check(unsafe { libc::fork() })? {
        0 => Ok(Side::Child),
        pid => Ok(Side::Parent(pid)),
    }
}

/// Ends this process at once, without the parent's exit handlers.
pub fn exit_now(code: u8) -> ! {
    // SAFETY: _exit takes no pointers and does not return.
    unsafe { libc::_exit(i32::from(code)) }
}

/// Makes this process the leader of a session without a terminal.
pub fn new_session() -> io::Result<()> {
    // SAFETY: no pointers.
    check(unsafe { libc::setsid() }).map(drop)
}

/// Orphaned descendants become children of this process (kernel >= 3.4).
pub fn adopt_orphans() -> io::Result<()> {
    // SAFETY: prctl with integer arguments only.
    check(unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }).map(drop)
}

/// Puts a file in the place of one of this process's descriptors.
pub fn replace(from: &impl AsRawFd, to: RawFd) -> io::Result<()> {
    // SAFETY: both descriptors are numbers; the kernel checks them.
    check(unsafe { libc::dup2(from.as_raw_fd(), to) }).map(drop)
}

/// Closes every descriptor above standard error that is not in `keep`.
pub fn close_others(open: &[RawFd], keep: &[RawFd]) {
    for fd in open.iter().filter(|fd| **fd > 2 && !keep.contains(fd)) {
        // SAFETY: called right after a fork in a process whose owners of these descriptors never run again.
        unsafe { libc::close(*fd) };
    }
}

fn signal_set(signals: &[i32]) -> libc::sigset_t {
    let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: sigemptyset initialises the set; sigaddset is called on an initialised set.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in signals {
            libc::sigaddset(set.as_mut_ptr(), *signal);
        }
        set.assume_init()
    }
}

/// Keeps signals back until `wait_signal` takes them.
pub fn hold_signals(signals: &[i32]) -> io::Result<()> {
    let set = signal_set(signals);
    // SAFETY: the set is initialised; the old set is not asked for.
    check(unsafe { libc::sigprocmask(libc::SIG_BLOCK, &raw const set, ptr::null_mut()) }).map(drop)
}

/// Starts a command that hears all signals, whatever we hold back ourselves.
pub fn spawn_hearing(command: &mut Command) -> io::Result<Child> {
    let none = signal_set(&[]);
    let hear = move || {
        // SAFETY: sigprocmask is async-signal-safe; the set is initialised.
        check(unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut()) }).map(drop)
    };
    // SAFETY: the closure makes one async-signal-safe call and allocates nothing.
    unsafe { command.pre_exec(hear) }.spawn()
}

/// Ignores a signal.
pub fn ignore_signal(signal: i32) {
    // SAFETY: SIG_IGN installs no handler code.
    unsafe { libc::signal(signal, libc::SIG_IGN) };
}

/// Sleeps until one of the held signals comes, or the time has passed (`None`: for ever).
pub fn wait_signal(signals: &[i32], time: Option<Duration>) -> Option<i32> {
    let set = signal_set(signals);
    let limit = time.map(|time| libc::timespec {
        tv_sec: libc::time_t::try_from(time.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: time.subsec_nanos() as libc::c_long,
    });
    let limit = limit.as_ref().map_or(ptr::null(), ptr::from_ref);
    // SAFETY: the set is initialised, `limit` is null or points to a timespec that lives until the call ends.
    check(unsafe { libc::sigtimedwait(&raw const set, ptr::null_mut(), limit) }).ok()
}

/// Sends a signal to a process, or to a process group by its negative number.
pub fn kill(pid: i32, signal: i32) -> io::Result<()> {
    // SAFETY: no pointers.
    check(unsafe { libc::kill(pid, signal) }).map(drop)
}

/// A child that has ended and is not reaped yet.
pub fn ended_child() -> Option<i32> {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: the pointer is valid for one siginfo_t; where no child ended the kernel leaves si_pid 0.
    let pid = unsafe {
        check(libc::waitid(libc::P_ALL, 0, info.as_mut_ptr(), flags)).ok()?;
        info.assume_init().si_pid()
    };
    (pid > 0).then_some(pid)
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Exit(u8),
    Signal(u8),
}

/// Waits for one child (any for -1) and reaps it.
pub fn reap(pid: i32) -> io::Result<(i32, Ending)> {
    let mut status = 0;
    // SAFETY: the pointer is valid for one int.
    let pid = check(unsafe { libc::waitpid(pid, &raw mut status, 0) })?;
    let ending = if libc::WIFSIGNALED(status) {
        Ending::Signal(libc::WTERMSIG(status) as u8)
    } else {
        Ending::Exit(libc::WEXITSTATUS(status) as u8)
    };
    Ok((pid, ending))
}

/// Processors that a process (0: this one) may run on.
pub fn affinity(pid: i32) -> io::Result<Vec<u32>> {
    let mut mask = vec![0_u64; MASK_BITS / 64];
    // SAFETY: the kernel writes at most the given number of bytes into the mask.
    check(unsafe { libc::sched_getaffinity(pid, MASK_BITS / 8, mask.as_mut_ptr().cast()) })?;
    let held = |cpu: &u32| mask[*cpu as usize / 64] >> (cpu % 64) & 1 == 1;
    Ok((0..MASK_BITS as u32).filter(held).collect())
}

/// Confines a process (0: this one) to processors.
pub fn confine(pid: i32, cpus: &[u32]) -> io::Result<()> {
    let mut mask = vec![0_u64; MASK_BITS / 64];
    for cpu in cpus.iter().filter(|cpu| (**cpu as usize) < MASK_BITS) {
        mask[*cpu as usize / 64] |= 1 << (cpu % 64);
    }
    // SAFETY: the kernel reads the given number of bytes of the mask.
    check(unsafe { libc::sched_setaffinity(pid, MASK_BITS / 8, mask.as_ptr().cast()) }).map(drop)
}

/// Whether this process may create entries in a folder.
pub fn writable(path: &Path) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return false };
    // SAFETY: the string ends in 0 and lives until the call ends.
    unsafe { libc::access(path.as_ptr(), libc::W_OK | libc::X_OK) == 0 }
}

/// Free bytes (for this user) and total bytes of the file system that holds a path.
pub fn space(path: &Path) -> io::Result<(u64, u64)> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let mut space = MaybeUninit::<libc::statvfs>::zeroed();
    // SAFETY: the string ends in 0; the pointer is valid for one statvfs.
    let space = unsafe {
        check(libc::statvfs(path.as_ptr(), space.as_mut_ptr()))?;
        space.assume_init()
    };
    let unit = space.f_frsize as u64;
    Ok((space.f_bavail as u64 * unit, space.f_blocks as u64 * unit))
}

fn record_lock(kind: libc::c_int) -> libc::flock {
    // SAFETY: flock is plain data; all zero means "from the start of the file to its end".
    let mut lock = unsafe { MaybeUninit::<libc::flock>::zeroed().assume_init() };
    lock.l_type = kind as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    lock
}

/// Locks a file for the life of this process; the kernel drops the lock when the process ends, however it ends.
pub fn lock(file: &File) -> io::Result<()> {
    let lock = record_lock(libc::F_WRLCK);
    // SAFETY: the pointer is valid for one flock.
    check(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLK, &raw const lock) }).map(drop)
}

/// The process that holds a file's lock.
pub fn lock_holder(file: &File) -> Option<i32> {
    let mut lock = record_lock(libc::F_WRLCK);
    // SAFETY: the pointer is valid for one flock, which the kernel fills.
    check(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETLK, &raw mut lock) }).ok()?;
    (i32::from(lock.l_type) != libc::F_UNLCK).then_some(lock.l_pid)
}

/// A pipe whose ends are closed when a program is executed: (read end, write end).
pub fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: the array has room for two descriptors, which are new and owned by nobody else.
    unsafe {
        check(libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC))?;
        Ok((OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])))
    }
}

/// Everything that the child needs, made before the fork.
pub struct Launch {
    /// Paths to try in order.
    pub candidates: Vec<CString>,
    pub arguments: Vec<CString>,
    pub environment: Vec<CString>,
    pub directory: CString,
    pub stdin: OwnedFd,
    pub stdout: OwnedFd,
    pub stderr: OwnedFd,
    pub namespace: Option<OwnedFd>,
}

/// What the child was doing when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Prepare = 1,
    Namespace = 2,
    Directory = 3,
    Execute = 4,
}

/// What is no reason to stop, but has to be told.
#[derive(Clone, Copy)]
enum Refused {
    Nice = 5,
    Policy = 6,
    Resource = 7,
}

/// What a child tells of itself.
#[derive(Debug)]
pub enum Report {
    Failed(Step, io::Error),
    /// The nice value that it has instead of 0.
    Nice(i32),
    /// The scheduling policy that it has instead of SCHED_OTHER.
    Policy(i32),
    /// A resource limit (its number) that could not be set.
    Resource(i32),
}

/// A child that waits to be released.
pub struct Held {
    pub pid: i32,
    pub release: OwnedFd,
    /// `reports` reads what comes from here: what was refused to the child, and why it could not go on.
    pub failure: OwnedFd,
}

fn pointers(strings: &[CString]) -> Vec<*const libc::c_char> {
    strings.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
}

/// Forks a child that prepares itself, waits for one byte on its release pipe, and executes the program.
pub fn hold(launch: &Launch) -> io::Result<Held> {
    let (wait, release) = pipe()?;
    let (failure, report) = pipe()?;
    let (arguments, environment) = (pointers(&launch.arguments), pointers(&launch.environment));
    let parent = std::process::id();
    // SAFETY: the child calls `child` at once, which is async-signal-safe and never returns.
    match check(unsafe { libc::fork() })? {
        0 => {
            // SAFETY: as above; the pointer arrays end in null and outlive the call.
            unsafe {
                libc::close(release.as_raw_fd());
                child(launch, &arguments, &environment, wait.as_raw_fd(), report.as_raw_fd(), parent)
            }
        }
        pid => Ok(Held { pid, release, failure }),
    }
}

// SAFETY: to be called only in a fresh child; only async-signal-safe calls; never returns.
unsafe fn child(
    launch: &Launch,
    arguments: &[*const libc::c_char],
    environment: &[*const libc::c_char],
    wait: RawFd,
    report: RawFd,
    parent: u32,
) -> ! {
    // SAFETY: all pointers come from `hold`, end in null or 0 and are alive in this process's copy.
    unsafe {
        prepare(launch, report, parent);
        let mut byte = 0_u8;
        if libc::read(wait, (&raw mut byte).cast(), 1) != 1 {
            libc::_exit(126);
        }
        let mut reason = libc::ENOENT;
        for path in &launch.candidates {
            libc::execve(path.as_ptr(), arguments.as_ptr(), environment.as_ptr());
            let error = *libc::__errno_location();
            if error != libc::ENOENT && error != libc::ENOTDIR {
                reason = error;
                if error != libc::EACCES {
                    break;
                }
            }
        }
        fail(report, Step::Execute, reason)
    }
}

// SAFETY: as `child`.
unsafe fn prepare(launch: &Launch, report: RawFd, parent: u32) {
    // SAFETY: as `child`; signal 0..65 that cannot be reset are refused by the kernel without harm.
    unsafe {
        for signal in 1..65 {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none = MaybeUninit::<libc::sigset_t>::zeroed();
        libc::sigemptyset(none.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut());
        // A job without its supervisor would disturb later trials unseen: it ends with it.
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
        if libc::getppid() as u32 != parent {
            libc::_exit(126);
        }
        libc::setsid();
        let files = [&launch.stdin, &launch.stdout, &launch.stderr];
        for (to, file) in (0..).zip(files) {
            if libc::dup2(file.as_raw_fd(), to) < 0 {
                fail(report, Step::Prepare, *libc::__errno_location());
            }
        }
        let namespace = launch.namespace.as_ref().map_or(-1, AsRawFd::as_raw_fd);
        if namespace >= 0 && libc::setns(namespace, libc::CLONE_NEWNET) < 0 {
            fail(report, Step::Namespace, *libc::__errno_location());
        }
        if libc::chdir(launch.directory.as_ptr()) < 0 {
            fail(report, Step::Directory, *libc::__errno_location());
        }
        settle(report);
    }
}

// Numbers of setrlimit(2): 16 since Linux 2.6.25; the kernel refuses to read one that it does not know.
const RESOURCES: u32 = 16;
// The usual defaults of kernel and login, of which programs know.
const NOFILE: libc::rlim_t = 1024;
const STACK_BYTES: libc::rlim_t = 8 << 20;

fn soft_limit(resource: u32, hard: libc::rlim_t) -> libc::rlim_t {
    match resource {
        libc::RLIMIT_NOFILE => hard.min(NOFILE),
        libc::RLIMIT_STACK => hard.min(STACK_BYTES),
        libc::RLIMIT_CORE => 0,
        _ => hard,
    }
}

/// Gives the job what every job has, instead of what whoever started the probe happened to have.
// SAFETY: as `child`; plain system calls without locks or allocation.
unsafe fn settle(report: RawFd) {
    // SAFETY: as `child`; the kernel reads and writes one rlimit and reads one sched_param, all alive.
    unsafe {
        libc::umask(0o022);
        for resource in 0..RESOURCES {
            let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            if libc::getrlimit(resource, &raw mut limit) == 0 {
                limit.rlim_cur = soft_limit(resource, limit.rlim_max);
                if libc::setrlimit(resource, &raw const limit) < 0 {
                    tell(report, Refused::Resource as u8, resource as libc::c_int);
                }
            }
        }
        // After the limits, of which RLIMIT_NICE may allow what follows; what counts is what is in force then.
        let none = libc::sched_param { sched_priority: 0 };
        libc::sched_setscheduler(0, libc::SCHED_OTHER, &raw const none);
        let policy = libc::sched_getscheduler(0);
        if policy != libc::SCHED_OTHER {
            tell(report, Refused::Policy as u8, policy);
        }
        libc::setpriority(libc::PRIO_PROCESS, 0, 0);
        let nice = libc::getpriority(libc::PRIO_PROCESS, 0);
        if nice != 0 {
            tell(report, Refused::Nice as u8, nice);
        }
    }
}

// SAFETY: as `child`.
unsafe fn tell(report: RawFd, what: u8, value: libc::c_int) {
    let number = value.to_ne_bytes();
    let message = [what, number[0], number[1], number[2], number[3]];
    // SAFETY: the message is alive.
    unsafe { libc::write(report, message.as_ptr().cast(), message.len()) };
}

// SAFETY: as `child`.
unsafe fn fail(report: RawFd, step: Step, error: libc::c_int) -> ! {
    // SAFETY: as `child`; 127 is "not found", 126 "found and not executable", as in a shell.
    unsafe {
        tell(report, step as u8, error);
        let missing = step == Step::Execute && error == libc::ENOENT;
        libc::_exit(if missing { 127 } else { 126 })
    }
}

/// Reads what a child told, five bytes each: what, and a number.
pub fn reports(bytes: &[u8]) -> Vec<Report> {
    bytes
        .chunks_exact(5)
        .filter_map(|bytes| report(bytes[0], i32::from_ne_bytes(bytes[1..].try_into().ok()?)))
        .collect()
}

fn report(what: u8, number: i32) -> Option<Report> {
    let failed = |step| Some(Report::Failed(step, io::Error::from_raw_os_error(number)));
    match what {
        1 => failed(Step::Prepare),
        2 => failed(Step::Namespace),
        3 => failed(Step::Directory),
        4 => failed(Step::Execute),
        5 => Some(Report::Nice(number)),
        6 => Some(Report::Policy(number)),
        7 => Some(Report::Resource(number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_report_of_a_child_is_read_and_half_a_one_is_not() {
        let message = |what: u8, number: i32| [&[what][..], &number.to_ne_bytes()].concat();
        let bytes =
            [message(Refused::Nice as u8, 5), message(Step::Execute as u8, libc::ENOENT), vec![1, 0]].concat();
        let told = reports(&bytes);
        assert!(matches!(&told[..], [Report::Nice(5), Report::Failed(Step::Execute, _)]), "{told:?}");
    }

    #[test]
    fn soft_limits_never_exceed_the_hard_ones() {
        assert_eq!(soft_limit(libc::RLIMIT_NOFILE, 20_000), 1024);
        assert_eq!(soft_limit(libc::RLIMIT_NOFILE, 512), 512);
        assert_eq!(soft_limit(libc::RLIMIT_STACK, libc::RLIM_INFINITY), 8 << 20);
        assert_eq!(soft_limit(libc::RLIMIT_CORE, libc::RLIM_INFINITY), 0);
        assert_eq!(soft_limit(libc::RLIMIT_NPROC, 7), 7);
    }
}
