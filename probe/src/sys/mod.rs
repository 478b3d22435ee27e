//! The system calls that Rust's standard library does not have; the only `unsafe` of the probe.
//!
//! Every function is safe to call; those that fork say what they ask of the caller.

mod changes;
mod child;
mod cpuid;
mod files;
mod foreground;
mod netlink;
mod page_cache;
mod perf;
mod poll;
mod process;
mod signals;
#[cfg(target_feature = "crt-static")]
mod small;
mod usage;

use std::ffi::CStr;
use std::io;
use std::mem::MaybeUninit;

pub use changes::Changes;
pub use child::{Held, Launch, Report, Step, hold, reports};
pub use cpuid::{hypervisor, may_be_virtual};
pub use files::{close_files, lock, lock_holder, lock_with_children, never_wait, nothing, pipe, space, writable};
pub use foreground::{Foreground, Heard, boottime_ns, ignored, take_signal, watch_process};
pub use libc::{ENOBUFS, O_NOFOLLOW, SIGCHLD, SIGCONT, SIGHUP, SIGINT, SIGKILL, SIGTERM, SIGUSR1};
pub use netlink::Netlink;
pub use page_cache::{drop_pages, resident_bytes, sync_all};
pub use perf::{Request, Ring, Wakes, disable_event, enable_event, open_event, redirect_event};
pub use poll::{signal_file, wait_readable};
pub use process::{
    Ending, Side, adopt_orphans, affinity, close_others, confine, ended_child, exit_now, fork, kill, new_session,
    raise_open_files, reap, replace,
};
pub use signals::{hold_signals, ignore_signal, spawn_hearing, wait_signal};
pub use usage::{Used, children_usage, own_cpu_ns, own_usage, process_cpu_ns};

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

pub(super) fn clock_ns(clock: libc::clockid_t) -> i64 {
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

/// Number of the calling thread.
pub fn thread_id() -> i32 {
    // SAFETY: gettid takes no arguments and cannot fail.
    unsafe { libc::syscall(libc::SYS_gettid) as i32 }
}

/// CPU time of the calling thread.
#[cfg(test)]
pub fn thread_cpu_ns() -> i64 {
    clock_ns(libc::CLOCK_THREAD_CPUTIME_ID)
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
