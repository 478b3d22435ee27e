//! A job in the foreground: it keeps what its caller gave to us, signals included.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
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

/// A program that finds signals as our caller left them, in a group from its first moment on.
pub struct Foreground<'a> {
    pub words: Vec<CString>,
    pub heard: &'a Heard,
    /// Folder of a group of version 2.
    pub group: Option<File>,
    /// `cgroup.procs` of the groups, for where a child cannot be made inside one.
    pub doors: Vec<File>,
}

// Source: Linux include/uapi/linux/sched.h.
const CLONE_INTO_CGROUP: u64 = 1 << 33;

impl Foreground<'_> {
    /// Starts it: its number, and whether it is in the group. An error is that of its execution.
    pub fn start(mut self) -> io::Result<(i32, bool)> {
        let (answer, report) = super::pipe()?;
        let words: Vec<*const libc::c_char> =
            self.words.iter().map(|word| word.as_ptr()).chain([ptr::null()]).collect();
        let inside = self.fork_inside();
        // SAFETY: the child calls `child` at once, which never returns.
        let pid = inside.map_or_else(|| check(unsafe { libc::fork() }), Ok)?;
        if pid == 0 {
            // SAFETY: this is a fresh child; the pointers end in null and are alive in its copy.
            unsafe { self.child(&words, inside.is_none(), report.as_raw_fd()) };
        }
        drop(report);
        let mut told = Vec::new();
        let read = File::from(answer).read_to_end(&mut told);
        if let Some(Ok(number)) = told.iter().position(|byte| *byte == b'E').map(|at| told[at + 1..].try_into()) {
            super::reap(pid)?;
            return Err(io::Error::from_raw_os_error(i32::from_ne_bytes(number)));
        }
        read.map(|_| (pid, inside.is_some() || told.first() == Some(&b'G')))
    }

    /// Forks a child into the group of version 2 (clone3(2), kernel 5.7): to move one costs some 15 ms, in which the
    /// kernel waits for all processors.
    fn fork_inside(&self) -> Option<libc::pid_t> {
        let group = self.group.as_ref()?;
        let mut call = [0_u64; 11];
        // Source: Linux include/uapi/linux/sched.h, struct clone_args: flags, exit_signal and cgroup.
        (call[0], call[4], call[10]) =
            (CLONE_INTO_CGROUP, libc::SIGCHLD as u64, u64::try_from(group.as_raw_fd()).ok()?);
        // SAFETY: without CLONE_VM it is a fork; this process has one thread; the kernel reads as many bytes as told.
        let pid = unsafe { libc::syscall(libc::SYS_clone3, call.as_ptr(), size_of_val(&call)) };
        libc::pid_t::try_from(pid).ok().filter(|pid| *pid >= 0)
    }

    // SAFETY: to be called only in a fresh child; plain system calls and execvp(3), which allocates nothing.
    unsafe fn child(&mut self, words: &[*const libc::c_char], enter: bool, report: RawFd) -> ! {
        // SAFETY: all pointers are alive; the message has five bytes.
        unsafe {
            // 0 is the writer itself; cgroups(7).
            if enter && !self.doors.is_empty() && self.doors.iter_mut().all(|door| door.write_all(b"0").is_ok()) {
                libc::write(report, c"G".as_ptr().cast(), 1);
            }
            // Rust's runtime ignores it.
            libc::signal(libc::SIGPIPE, libc::SIG_DFL);
            if self.heard.ignores_children {
                libc::signal(libc::SIGCHLD, libc::SIG_IGN);
            }
            libc::sigprocmask(libc::SIG_SETMASK, &raw const self.heard.mask, ptr::null_mut());
            libc::execvp(words[0], words.as_ptr());
            let number = (*libc::__errno_location()).to_ne_bytes();
            let message = [b'E', number[0], number[1], number[2], number[3]];
            libc::write(report, message.as_ptr().cast(), message.len());
            libc::_exit(127)
        }
    }
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
