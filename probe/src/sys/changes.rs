//! Waiting until files are written to, or come; inotify(7).

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::check;

/// Readable once one of the files was written to, or one has come into a folder.
#[derive(Debug)]
pub struct Changes(OwnedFd);

impl Changes {
    pub fn none() -> io::Result<Self> {
        // SAFETY: the descriptor is new and owned by nobody else.
        unsafe { Ok(Self(OwnedFd::from_raw_fd(check(libc::inotify_init1(libc::IN_CLOEXEC | libc::IN_NONBLOCK))?))) }
    }

    /// Waits for this file too.
    pub fn add(&self, path: &Path) -> io::Result<()> {
        self.watch(path, libc::IN_MODIFY)
    }

    /// Waits for files that are renamed into this folder, too.
    pub fn add_arrivals(&self, folder: &Path) -> io::Result<()> {
        self.watch(folder, libc::IN_MOVED_TO)
    }

    fn watch(&self, path: &Path, events: u32) -> io::Result<()> {
        let path = CString::new(path.as_os_str().as_bytes())?;
        // SAFETY: the string ends in 0 and lives until the call ends.
        check(unsafe { libc::inotify_add_watch(self.0.as_raw_fd(), path.as_ptr(), events) }).map(drop)
    }

    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// Takes the notices out; what matters is in the files.
    pub fn clear(&mut self) {
        let mut notices = [0_u8; 4096];
        // SAFETY: the kernel writes at most the given number of bytes.
        while unsafe { libc::read(self.0.as_raw_fd(), notices.as_mut_ptr().cast(), notices.len()) } > 0 {}
    }
}
