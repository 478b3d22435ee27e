//! Which pages of a file are in memory, and how they get there and away.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr;

use super::{check, page_bytes};

/// Bytes of a file that are looked at in one go.
const WINDOW: u64 = 64 << 20;

/// Bytes of a file that are in the page cache, whole pages; mincore(2).
///
/// Limits: since kernel 5.2 the truth is told only to who may write to the file or owns it.
pub fn resident_bytes(file: &File, length: u64) -> io::Result<u64> {
    let mut resident = 0;
    let mut at = 0;
    while at < length {
        let size = WINDOW.min(length - at);
        let pages = size.div_ceil(page_bytes());
        resident += resident_pages(file, at, size as usize, pages as usize)? * page_bytes();
        at += size;
    }
    Ok(resident.min(length))
}

fn resident_pages(file: &File, at: u64, size: usize, pages: usize) -> io::Result<u64> {
    let mut held = vec![0_u8; pages];
    let offset = libc::off_t::try_from(at).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: a new read-only mapping that is never read and goes before we return; the vector has a byte a page.
    unsafe {
        let map = libc::mmap(ptr::null_mut(), size, libc::PROT_READ, libc::MAP_SHARED, file.as_raw_fd(), offset);
        if map == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let told = check(libc::mincore(map, size, held.as_mut_ptr()));
        libc::munmap(map, size);
        told?;
    }
    Ok(held.iter().filter(|page| **page & 1 == 1).count() as u64)
}

/// Asks the kernel to drop a file's pages; posix_fadvise(2). Dirty ones and those that are mapped somewhere stay.
pub fn drop_pages(file: &File) -> io::Result<()> {
    // SAFETY: no pointers.
    match unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) } {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

/// Writes everything dirty of all file systems out.
pub fn sync_all() {
    // SAFETY: no pointers.
    unsafe { libc::sync() };
}
