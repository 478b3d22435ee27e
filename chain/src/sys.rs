//! What takes `unsafe`: a descriptor that somebody else opened for us, and a clock that is another process's, too.

use std::fs::File;
use std::io;
use std::os::fd::BorrowedFd;

/// A file of our own for a given descriptor; an error where it is not open.
#[allow(unsafe_code)]
pub fn given(fd: i32) -> io::Result<File> {
    if fd < 0 {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // SAFETY: the number is not -1, and it is borrowed for one fcntl(2), which says so where it is not open.
    unsafe { BorrowedFd::borrow_raw(fd) }.try_clone_to_owned().map(File::from)
}

/// CLOCK_MONOTONIC in ns.
#[allow(unsafe_code)]
pub fn monotonic_ns() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes one timespec, which is ours.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}
