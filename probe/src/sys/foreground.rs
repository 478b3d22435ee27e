//! A job in the foreground: it keeps what its caller gave to us, signals included.

use std::fs::File;
use std::io::{self, Write};
use std::mem::MaybeUninit;
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::ptr;

use super::check;
use super::signals::signal_set;

/// The signals that our caller held back, and whether it ignored SIGCHLD: a job inherits both.
pub struct Heard {
    mask: libc::sigset_t,
    ignores_children: bool,
}

impl Heard {
    /// Reads both; from now on ended children wait for us to be reaped, whatever our caller ignored.
    pub fn inherited() -> Self {
        let mut mask = signal_set(&[]);
        // SAFETY: the pointer is valid for one set, no new set is given; SIG_DFL installs no code.
        let before = unsafe {
            libc::sigprocmask(libc::SIG_BLOCK, ptr::null(), &raw mut mask);
            libc::signal(libc::SIGCHLD, libc::SIG_DFL)
        };
        Self { mask, ignores_children: before == libc::SIG_IGN }
    }
}

/// Whether a signal is ignored by this process.
pub fn ignored(signal: i32) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: the pointer is valid for one sigaction, which is plain data; no new action is given.
    unsafe {
        libc::sigaction(signal, ptr::null(), action.as_mut_ptr());
        action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

/// Starts a command that finds the signals as our caller left them and first enters groups, by their open
/// `cgroup.procs`: the child and whether it is in all of them.
pub fn spawn_into(command: &mut Command, mut groups: Vec<File>, heard: &Heard) -> io::Result<(Child, bool)> {
    let (answer, told) = super::pipe()?;
    let (mask, ignores_children) = (heard.mask, heard.ignores_children);
    let mut told = File::from(told);
    let prepare = move || {
        // 0 is the writer itself; cgroups(7).
        if !groups.is_empty() && groups.iter_mut().all(|group| group.write_all(b"0").is_ok()) {
            told.write_all(b"1")?;
        }
        // SAFETY: both calls are async-signal-safe; the mask is initialised.
        unsafe {
            if ignores_children {
                libc::signal(libc::SIGCHLD, libc::SIG_IGN);
            }
            check(libc::sigprocmask(libc::SIG_SETMASK, &raw const mask, ptr::null_mut())).map(drop)
        }
    };
    // SAFETY: the closure makes plain system calls (write, signal, sigprocmask) and allocates nothing.
    let child = unsafe { command.pre_exec(prepare) }.spawn()?;
    super::never_wait(&answer)?;
    let entered = io::Read::read(&mut File::from(answer), &mut [0]).is_ok_and(|count| count == 1);
    Ok((child, entered))
}

/// A file that is readable once a process has ended, zombie or not; pidfd_open(2), kernel 5.3.
pub fn watch_process(pid: i32) -> io::Result<OwnedFd> {
    // SAFETY: no pointers; the descriptor is new and owned by nobody else.
    unsafe {
        let fd = libc::syscall(libc::SYS_pidfd_open, pid, 0);
        let fd = check(libc::c_int::try_from(fd).unwrap_or(-1))?;
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

/// Takes one of the held signals if one waits, and whether a process sent it (else the kernel, as for a terminal).
pub fn take_signal(signals: &[i32]) -> Option<(i32, bool)> {
    let set = signal_set(signals);
    let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    // SAFETY: the set is initialised; the pointers are valid for one siginfo_t and one timespec.
    unsafe {
        let signal = check(libc::sigtimedwait(&raw const set, info.as_mut_ptr(), &raw const now)).ok()?;
        Some((signal, info.assume_init().si_code <= 0))
    }
}

/// CLOCK_BOOTTIME in ns: the time in which the kernel tells when a process started.
pub fn boottime_ns() -> i64 {
    super::clock_ns(libc::CLOCK_BOOTTIME)
}
