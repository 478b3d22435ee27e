//! Processes: made, ended, reaped, placed on processors.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, RawFd};

use super::check;
use super::usage::{Used, used};

/// Highest processor number that an affinity mask here can hold, plus one.
const MASK_BITS: usize = 1 << 16;
/// Which side of a fork one is on.
pub enum Side {
    Parent(i32),
    Child,
}

/// Forks this single-threaded process.
pub fn fork() -> io::Result<Side> {
    // SAFETY: no thread of ours holds a lock that the child takes: those that collect dear series wait or read files, and
    // the C library sees to its allocator's lock itself.
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

/// Waits for one child (any for -1), reaps it, and tells what it used with the children that it had waited for.
pub fn reap(pid: i32) -> io::Result<(i32, Ending, Used)> {
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointers are valid for one int and one rusage, which is plain data and already zeroed.
    let (pid, usage) = unsafe {
        let pid = check(libc::wait4(pid, &raw mut status, 0, usage.as_mut_ptr()))?;
        (pid, usage.assume_init())
    };
    let ending = if libc::WIFSIGNALED(status) {
        Ending::Signal(libc::WTERMSIG(status) as u8)
    } else {
        Ending::Exit(libc::WEXITSTATUS(status) as u8)
    };
    Ok((pid, ending, used(&usage)))
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

/// Raises this process's soft limit of open files to the hard one and returns what is in force.
pub fn raise_open_files() -> u64 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointers are valid for one rlimit.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) != 0 {
            return 0;
        }
        let soft = limit.rlim_cur;
        limit.rlim_cur = limit.rlim_max;
        if libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) == 0 { limit.rlim_max } else { soft }
    }
}
