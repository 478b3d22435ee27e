//! The job's first process, from the fork to the program.
//!
//! What runs in the child until it executes the program is async-signal-safe (no allocation, no locks).

use std::ffi::CString;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::ptr;

use super::{check, pipe};

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
    pub nice: i32,
    /// Memory nodes that it is bound to; empty is "any".
    pub memory_nodes: Vec<u32>,
    /// Stays open in the program.
    pub announce: Option<OwnedFd>,
}

/// What the child was doing when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Prepare = 1,
    Namespace = 2,
    Directory = 3,
    Execute = 4,
    MemoryNodes = 8,
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
    /// The nice value that it has instead of the one asked for.
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
        if let Some(announce) = &launch.announce {
            libc::fcntl(announce.as_raw_fd(), libc::F_SETFD, 0);
        }
        settle(report, launch.nice);
        bind_memory(report, &launch.memory_nodes);
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
unsafe fn settle(report: RawFd, wanted: libc::c_int) {
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
        libc::setpriority(libc::PRIO_PROCESS, 0, wanted);
        let nice = libc::getpriority(libc::PRIO_PROCESS, 0);
        if nice != wanted {
            tell(report, Refused::Nice as u8, nice);
        }
    }
}

/// Nodes that a memory policy here can name.
const NODES: usize = 1024;
// Source: Linux include/uapi/linux/mempolicy.h.
const MPOL_BIND: libc::c_int = 2;

/// Binds all memory that the job will touch to nodes, and reads back what is in force; set_mempolicy(2).
// SAFETY: as `child`; plain system calls without locks or allocation.
unsafe fn bind_memory(report: RawFd, nodes: &[u32]) {
    if nodes.is_empty() {
        return;
    }
    let mut wanted = [0_u64; NODES / 64];
    for node in nodes.iter().filter(|node| (**node as usize) < NODES) {
        wanted[*node as usize / 64] |= 1 << (node % 64);
    }
    let mut held = [0_u64; NODES / 64];
    let mut policy: libc::c_int = 0;
    // SAFETY: as `child`; the masks hold NODES bits, the kernel reads one bit less than it is told.
    unsafe {
        if libc::syscall(libc::SYS_set_mempolicy, MPOL_BIND, wanted.as_ptr(), NODES + 1) != 0 {
            fail(report, Step::MemoryNodes, *libc::__errno_location());
        }
        let read = libc::syscall(libc::SYS_get_mempolicy, &raw mut policy, held.as_mut_ptr(), NODES, 0, 0);
        if read != 0 || policy != MPOL_BIND || held != wanted {
            fail(report, Step::MemoryNodes, libc::EINVAL);
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
        8 => failed(Step::MemoryNodes),
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
