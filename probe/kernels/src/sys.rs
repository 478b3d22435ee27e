//! The system calls that the kernels time or need; the only `unsafe` of this crate.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr;

/// Highest processor number that an affinity mask here can hold, plus one.
const MASK_BITS: usize = 1 << 16;

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Both ends of a new pipe, to read from and to write to.
pub fn pipe() -> io::Result<(File, File)> {
    let mut ends = [0; 2];
    // SAFETY: the kernel fills two numbers; on success both descriptors are new and nobody else's.
    unsafe {
        check(libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC))?;
        Ok((File::from(OwnedFd::from_raw_fd(ends[0])), File::from(OwnedFd::from_raw_fd(ends[1]))))
    }
}

/// A file for a descriptor that somebody else opened for us; `None` where it is not open.
pub fn given(fd: i32) -> Option<File> {
    // SAFETY: both calls take numbers only; the copy is new and nobody else's.
    unsafe {
        let copy = check(libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 3)).ok()?;
        Some(File::from(OwnedFd::from_raw_fd(copy)))
    }
}

/// getppid(2), always a real call.
pub fn parent() -> i64 {
    // SAFETY: no arguments.
    unsafe { libc::syscall(libc::SYS_getppid) }
}

/// stat(2): whether it succeeded.
pub fn stat(path: &CStr) -> bool {
    let mut found = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the path ends in 0 and the pointer is valid for one stat.
    unsafe { libc::stat(path.as_ptr(), found.as_mut_ptr()) == 0 }
}

/// open(2) for reading and close(2): whether both succeeded.
pub fn open_close(path: &CStr) -> bool {
    // SAFETY: the path ends in 0; the descriptor is closed once, by us who opened it.
    unsafe {
        let fd = libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        fd >= 0 && libc::close(fd) == 0
    }
}

/// A child process; killed and reaped when dropped.
pub struct Child {
    pid: i32,
}

impl Child {
    /// Forks a child that does the act and exits with its code. The act must not allocate or lock: another thread
    /// of this process may hold the lock that it would wait for.
    pub fn fork(act: impl FnOnce() -> u8) -> io::Result<Self> {
        // SAFETY: no arguments.
        let parent = unsafe { libc::getpid() };
        // SAFETY: the child makes system calls and arithmetic only, and never returns from here.
        match check(unsafe { libc::fork() })? {
            0 => unsafe {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
                // Had the parent died before, nobody would end us.
                if libc::getppid() != parent {
                    libc::_exit(1);
                }
                libc::_exit(act().into())
            },
            pid => Ok(Self { pid }),
        }
    }

    /// Waits until it has ended: its exit code, `None` where a signal ended it.
    pub fn wait(mut self) -> io::Result<Option<i32>> {
        let pid = std::mem::take(&mut self.pid);
        let mut status = 0;
        // SAFETY: the pointer is valid for one int.
        check(unsafe { libc::waitpid(pid, &raw mut status, 0) })?;
        Ok(libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.pid > 0 {
            // SAFETY: our own child, not reaped yet, so the number is still its own.
            unsafe {
                libc::kill(self.pid, libc::SIGKILL);
                libc::waitpid(self.pid, ptr::null_mut(), 0);
            }
        }
    }
}

/// Becomes a program with one argument and `output` as its standard output; returns only where that failed.
pub fn become_program(program: &CStr, argument: &CStr, output: &File) -> u8 {
    let words = [program.as_ptr(), argument.as_ptr(), ptr::null()];
    let environment = [ptr::null()];
    // SAFETY: both lists end in a null pointer and hold strings that end in 0.
    unsafe {
        libc::dup2(output.as_raw_fd(), 1);
        libc::execve(program.as_ptr(), words.as_ptr(), environment.as_ptr());
    }
    127
}

/// Holds this thread, and those that it starts, on one of its processors, until dropped.
pub struct OneCpu {
    before: Vec<u64>,
}

impl OneCpu {
    /// Takes the last processor of those allowed: interrupts tend to go to the first.
    pub fn enter() -> io::Result<Self> {
        let mut before = vec![0_u64; MASK_BITS / 64];
        // SAFETY: the kernel writes at most the given number of bytes into the mask.
        check(unsafe { libc::sched_getaffinity(0, MASK_BITS / 8, before.as_mut_ptr().cast()) })?;
        let mut one = vec![0_u64; MASK_BITS / 64];
        if let Some(word) = before.iter().rposition(|word| *word != 0) {
            one[word] = 1 << (63 - before[word].leading_zeros());
        }
        set_affinity(&one).map(|()| Self { before })
    }
}

impl Drop for OneCpu {
    fn drop(&mut self) {
        let _ = set_affinity(&self.before);
    }
}

fn set_affinity(mask: &[u64]) -> io::Result<()> {
    // SAFETY: the kernel reads the given number of bytes of the mask.
    check(unsafe { libc::sched_setaffinity(0, mask.len() * 8, mask.as_ptr().cast()) }).map(drop)
}

/// Memory of the address space, from the kernel or from a file.
pub struct Mapping {
    start: *mut u8,
    bytes: usize,
}

impl Mapping {
    /// Fresh memory in ordinary pages (transparent huge pages are refused; ignored before kernel 2.6.38).
    pub fn memory(bytes: usize) -> io::Result<Self> {
        let mapping = Self::map(bytes, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1)?;
        // SAFETY: the mapping is ours and of this length; the advice changes no content.
        unsafe { libc::madvise(mapping.start.cast(), bytes, libc::MADV_NOHUGEPAGE) };
        Ok(mapping)
    }

    /// The first bytes of a file that is open for reading and writing, shared with it.
    pub fn file(file: &File, bytes: usize) -> io::Result<Self> {
        Self::map(bytes, libc::MAP_SHARED, file.as_raw_fd())
    }

    fn map(bytes: usize, flags: libc::c_int, fd: libc::c_int) -> io::Result<Self> {
        // SAFETY: a new mapping at an address of the kernel's choice touches nobody's memory.
        let start = unsafe { libc::mmap(ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, fd, 0) };
        if start == libc::MAP_FAILED {
            Err(io::Error::last_os_error())
        } else {
            Ok(Self { start: start.cast(), bytes })
        }
    }

    /// Reads one byte of each page: their sum.
    pub fn read_pages(&self, page: usize) -> u64 {
        // SAFETY: every offset lies inside the mapping, which is readable; nobody shortens the file below it.
        (0..self.bytes).step_by(page).map(|at| u64::from(unsafe { self.start.add(at).read_volatile() })).sum()
    }

    /// Writes one byte of each page.
    pub fn write_pages(&mut self, page: usize, byte: u8) {
        for at in (0..self.bytes).step_by(page) {
            // SAFETY: as above, and the mapping is writable.
            unsafe { self.start.add(at).write_volatile(byte) };
        }
    }

    /// Pages that are in memory (mincore(2); from kernel 5.2 on only for files that we may write).
    pub fn resident_pages(&self, page: usize) -> io::Result<usize> {
        let mut pages = vec![0_u8; self.bytes.div_ceil(page)];
        // SAFETY: the kernel writes one byte a page of the mapping.
        check(unsafe { libc::mincore(self.start.cast(), self.bytes, pages.as_mut_ptr()) })?;
        Ok(pages.iter().filter(|page| **page & 1 == 1).count())
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: ours, and nobody keeps a pointer into it.
        unsafe { libc::munmap(self.start.cast(), self.bytes) };
    }
}

/// Page faults of this thread so far that needed no disk.
pub fn minor_faults() -> u64 {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is valid for one rusage, which is plain data and already zeroed.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
        usage.assume_init()
    };
    u64::try_from(usage.ru_minflt).unwrap_or(0)
}

/// CPU time of this thread in ns.
pub fn thread_cpu_ns() -> u64 {
    clock_ns(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// CLOCK_MONOTONIC in ns.
pub fn monotonic_ns() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC)
}

fn clock_ns(clock: libc::clockid_t) -> u64 {
    let mut time = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: the pointer is valid for one timespec, which is plain data and already zeroed.
    let time = unsafe {
        libc::clock_gettime(clock, time.as_mut_ptr());
        time.assume_init()
    };
    u64::try_from(time.tv_sec * 1_000_000_000 + time.tv_nsec).unwrap_or(0)
}

fn system(name: libc::c_int) -> usize {
    // SAFETY: sysconf takes no pointers.
    usize::try_from(unsafe { libc::sysconf(name) }).unwrap_or(0)
}

/// Bytes of a page.
pub fn page_bytes() -> usize {
    system(libc::_SC_PAGESIZE).max(1)
}

/// Bytes of memory that the machine has.
pub fn memory_bytes() -> usize {
    system(libc::_SC_PHYS_PAGES) * page_bytes()
}

/// Flag of open(2) that keeps the page cache out.
pub const DIRECT: i32 = libc::O_DIRECT;
