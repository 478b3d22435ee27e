//! perf_event_open(2): events, and the buffers that the kernel fills with their records.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{check, page_bytes};

/// What is asked of the kernel; field by field in perf_event_open(2).
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    pub kind: u32,
    pub config: u64,
    /// The bits between `read_format` and `wakeup_events`.
    pub flags: u64,
    /// With the flag `freq`: samples a second.
    pub frequency: u64,
    pub sample_type: u64,
    pub read_format: u64,
    /// With the flag `watermark`.
    pub wakeup_bytes: u32,
    /// With the flag `use_clockid`.
    pub clock: i32,
}

/// `struct perf_event_attr` as of version 3 of its layout (PERF_ATTR_SIZE_VER3, Linux 3.7), which older kernels
/// take as long as what they do not know is 0.
#[repr(C)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_frequency: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup: u32,
    breakpoint_type: u32,
    config1: u64,
    config2: u64,
    branch_sample_type: u64,
    sample_regs_user: u64,
    sample_stack_user: u32,
    clock: i32,
}

impl Attributes {
    fn of(request: &Request) -> Self {
        Self {
            kind: request.kind,
            size: size_of::<Self>() as u32,
            config: request.config,
            sample_frequency: request.frequency,
            sample_type: request.sample_type,
            read_format: request.read_format,
            flags: request.flags,
            wakeup: request.wakeup_bytes,
            breakpoint_type: 0,
            config1: 0,
            config2: 0,
            branch_sample_type: 0,
            sample_regs_user: 0,
            sample_stack_user: 0,
            clock: request.clock,
        }
    }
}

/// Opens an event on a process (-1: all of them) and a processor (-1: all of them).
pub fn open_event(request: &Request, pid: i32, cpu: i32) -> io::Result<File> {
    let attributes = Attributes::of(request);
    let none: libc::c_int = -1;
    let flags: libc::c_ulong = 0;
    // SAFETY: the kernel reads the attributes, which name their own size; the other arguments are numbers.
    let fd = unsafe { libc::syscall(libc::SYS_perf_event_open, &raw const attributes, pid, cpu, none, flags) };
    let fd = check(libc::c_int::try_from(fd).unwrap_or(-1))?;
    // SAFETY: the descriptor is new and owned by nobody else.
    let file = unsafe { File::from_raw_fd(fd) };
    // The flag of perf_event_open that does the same is younger (3.14).
    // SAFETY: numbers only.
    check(unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) })?;
    Ok(file)
}

// <linux/perf_event.h>: _IO('$', 0), _IO('$', 1) and _IO('$', 5); the same on x86 and ARM.
const ENABLE: libc::c_ulong = 0x2400;
const DISABLE: libc::c_ulong = 0x2401;
const SET_OUTPUT: libc::c_ulong = 0x2405;

fn control(event: &File, what: libc::c_ulong, argument: RawFd) -> io::Result<()> {
    // SAFETY: these requests of perf events take a number, no pointer.
    check(unsafe { libc::ioctl(event.as_raw_fd(), what as _, argument) }).map(drop)
}

/// Lets an event count from now on.
pub fn enable_event(event: &File) -> io::Result<()> {
    control(event, ENABLE, 0)
}

/// Stops an event; what it counted stays.
pub fn disable_event(event: &File) -> io::Result<()> {
    control(event, DISABLE, 0)
}

/// Writes an event's records into the buffer of another event on the same processor.
pub fn redirect_event(event: &File, owner: &File) -> io::Result<()> {
    control(event, SET_OUTPUT, owner.as_raw_fd())
}

/// One descriptor for many events: readable once after each of their wake-ups.
///
/// An event whose process has ended is ready for ever (POLLHUP): polled itself, it would keep its poller awake.
#[derive(Debug)]
pub struct Wakes {
    queue: OwnedFd,
}

impl Wakes {
    pub fn new() -> io::Result<Self> {
        // SAFETY: the descriptor is new and owned by nobody else.
        let queue = unsafe { OwnedFd::from_raw_fd(check(libc::epoll_create1(libc::EPOLL_CLOEXEC))?) };
        Ok(Self { queue })
    }

    pub fn add(&self, event: &File) -> io::Result<()> {
        let mut wanted = libc::epoll_event { events: (libc::EPOLLIN | libc::EPOLLET) as u32, u64: 0 };
        let (add, fd) = (libc::EPOLL_CTL_ADD, event.as_raw_fd());
        // SAFETY: the pointer is valid for one epoll_event, which the kernel copies.
        check(unsafe { libc::epoll_ctl(self.fd(), add, fd, &raw mut wanted) }).map(drop)
    }

    pub fn fd(&self) -> RawFd {
        self.queue.as_raw_fd()
    }

    /// Forgets the wake-ups until now.
    pub fn clear(&self) {
        const MANY: usize = 64;
        let mut woken = [libc::epoll_event { events: 0, u64: 0 }; MANY];
        // SAFETY: the array has room for that many; nothing is waited for.
        while unsafe { libc::epoll_wait(self.fd(), woken.as_mut_ptr(), MANY as libc::c_int, 0) }
            == MANY as libc::c_int
        {}
    }
}

// Offsets in `struct perf_event_mmap_page`.
const DATA_HEAD: usize = 1024;
const DATA_TAIL: usize = 1032;

/// The buffer of an event: the kernel writes records at its head, this process takes them from its tail.
#[derive(Debug)]
pub struct Ring {
    start: *mut u8,
    page: usize,
    bytes: usize,
}

impl Ring {
    /// Makes a buffer of so many pages, a power of two.
    pub fn of(event: &File, pages: usize) -> io::Result<Self> {
        let page = usize::try_from(page_bytes()).unwrap_or(4096);
        let bytes = pages * page;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice; the kernel checks the descriptor.
        let start =
            unsafe { libc::mmap(ptr::null_mut(), bytes + page, protection, libc::MAP_SHARED, event.as_raw_fd(), 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { start: start.cast(), page, bytes })
    }

    fn field(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: the first page of the mapping holds an aligned u64 there, which lives as long as the mapping;
        // the kernel changes it behind our back, for which an atomic is made.
        unsafe { AtomicU64::from_ptr(self.start.add(offset).cast()) }
    }

    /// Appends all records that are there, whole ones, and gives their room back.
    pub fn take(&mut self, into: &mut Vec<u8>) {
        // The kernel publishes records by its store to the head, and reuses room by our store to the tail.
        let head = self.field(DATA_HEAD).load(Ordering::Acquire);
        let tail = self.field(DATA_TAIL).load(Ordering::Relaxed);
        let length = usize::try_from(head.wrapping_sub(tail)).unwrap_or(0).min(self.bytes);
        let from = usize::try_from(tail % self.bytes as u64).unwrap_or(0);
        let first = length.min(self.bytes - from);
        // SAFETY: both spans lie in the data pages, which the kernel leaves alone between tail and head.
        unsafe {
            let data = self.start.add(self.page);
            into.extend_from_slice(std::slice::from_raw_parts(data.add(from), first));
            into.extend_from_slice(std::slice::from_raw_parts(data, length - first));
        }
        self.field(DATA_TAIL).store(head, Ordering::Release);
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and nothing points into it any more.
        unsafe { libc::munmap(self.start.cast(), self.bytes + self.page) };
    }
}
