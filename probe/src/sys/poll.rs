//! Waiting for signals and files at once.

use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::time::Duration;

use super::check;
use super::signals::signal_set;

/// A file that is readable as long as one of these held signals waits; `wait_signal` takes it.
pub fn signal_file(signals: &[i32]) -> io::Result<OwnedFd> {
    let set = signal_set(signals);
    // SAFETY: the set is initialised; the descriptor is new and owned by nobody else.
    unsafe {
        let fd = check(libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK))?;
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

/// Sleeps until one of the files is readable or the time has passed: which are.
pub fn wait_readable(files: &[RawFd], time: Duration) -> Vec<bool> {
    let mut polls: Vec<libc::pollfd> =
        files.iter().map(|fd| libc::pollfd { fd: *fd, events: libc::POLLIN, revents: 0 }).collect();
    let limit = libc::timespec {
        tv_sec: libc::time_t::try_from(time.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: time.subsec_nanos() as libc::c_long,
    };
    // SAFETY: the array holds that many pollfds and the timespec lives until the call ends; no mask is given.
    unsafe { libc::ppoll(polls.as_mut_ptr(), polls.len() as libc::nfds_t, &raw const limit, ptr::null()) };
    polls.iter().map(|poll| poll.revents != 0).collect()
}
