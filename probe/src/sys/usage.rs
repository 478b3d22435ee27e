//! What processes have used, by the kernel's own accounting.

use std::mem::MaybeUninit;

use super::clock_ns;

/// What a process used; getrusage(2).
#[derive(Clone, Copy, Debug, Default)]
pub struct Used {
    pub user_ns: u64,
    pub system_ns: u64,
    /// Largest resident set of one process.
    pub rss_bytes: u64,
    pub minor_faults: u64,
    pub major_faults: u64,
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
}

pub(super) fn used(usage: &libc::rusage) -> Used {
    let count = |value: libc::c_long| u64::try_from(value).unwrap_or(0);
    let ns = |time: libc::timeval| u64::try_from(time.tv_sec * 1_000_000_000 + time.tv_usec * 1000).unwrap_or(0);
    Used {
        user_ns: ns(usage.ru_utime),
        system_ns: ns(usage.ru_stime),
        rss_bytes: count(usage.ru_maxrss) * 1024,
        minor_faults: count(usage.ru_minflt),
        major_faults: count(usage.ru_majflt),
        voluntary_switches: count(usage.ru_nvcsw),
        involuntary_switches: count(usage.ru_nivcsw),
    }
}

fn usage_of(who: libc::c_int) -> Used {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is valid for one rusage, which is plain data and already zeroed.
    let usage = unsafe {
        libc::getrusage(who, usage.as_mut_ptr());
        usage.assume_init()
    };
    used(&usage)
}

/// What this process used itself.
pub fn own_usage() -> Used {
    usage_of(libc::RUSAGE_SELF)
}

/// CPU time of this process with all its threads.
pub fn own_cpu_ns() -> u64 {
    u64::try_from(clock_ns(libc::CLOCK_PROCESS_CPUTIME_ID)).unwrap_or(0)
}

/// What the reaped children used, with the children that those had reaped.
pub fn children_usage() -> Used {
    usage_of(libc::RUSAGE_CHILDREN)
}

/// CPU time that another process has used so far.
pub fn process_cpu_ns(pid: i32) -> Option<u64> {
    let mut clock: libc::clockid_t = 0;
    // SAFETY: the pointer is valid for one clockid_t.
    let result = unsafe { libc::clock_getcpuclockid(pid, &raw mut clock) };
    if result != 0 {
        return None;
    }
    u64::try_from(clock_ns(clock)).ok()
}
