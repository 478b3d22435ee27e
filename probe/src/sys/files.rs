//! Files: locks, room, pipes.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::check;

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

/// From here on, files and folders that we make are for our user alone, whatever our caller's umask; a job has its own.
pub fn close_files() {
    // SAFETY: it takes a number and cannot fail.
    unsafe { libc::umask(0o077) };
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

/// Locks a file for the life of this process and of all that inherit the descriptor (flock(2)).
pub fn lock_with_children(file: &File) -> io::Result<()> {
    // SAFETY: takes no pointer.
    check(unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) }).map(drop)
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

/// A file with nothing to read in it: `/dev/null`, or in a bare root a pipe that nobody writes to.
pub fn nothing() -> io::Result<OwnedFd> {
    let null = File::options().read(true).write(true).open("/dev/null");
    null.map(OwnedFd::from).or_else(|_| pipe().map(|(read, _)| read))
}

/// Reads from this file give what there is and never wait.
pub fn never_wait(file: &impl AsRawFd) -> io::Result<()> {
    // SAFETY: no pointers.
    unsafe {
        let flags = check(libc::fcntl(file.as_raw_fd(), libc::F_GETFL))?;
        check(libc::fcntl(file.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK)).map(drop)
    }
}
