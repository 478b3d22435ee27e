//! Signals, held back and taken when it suits us.

use std::io;
use std::mem::MaybeUninit;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::ptr;
use std::time::Duration;

use super::check;

pub(super) fn signal_set(signals: &[i32]) -> libc::sigset_t {
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
