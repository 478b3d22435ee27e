//! What one sample holds.

use crate::cpu_time::CpuTime;
use crate::supervise::process_io::IoBytes;

/// Memory of all processes together; `None` where the kernel does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    pub pss_kb: Option<u64>,
    pub rss_kb: Option<u64>,
    pub swap_kb: Option<u64>,
    pub vmem_kb: Option<u64>,
}

/// What network devices carried since monitoring began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    pub rx_bytes: u64,
    pub rx_packets: u64,
    pub tx_bytes: u64,
    pub tx_packets: u64,
}

/// One sample.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    /// CLOCK_REALTIME.
    pub real_ns: i64,
    /// Since the job was started.
    pub wall_ns: u64,
    pub cpu: CpuTime,
    pub memory: Memory,
    pub io: IoBytes,
    pub traffic: Option<Traffic>,
    pub processes: u64,
    pub threads: u64,
    pub minor_faults: u64,
    pub major_faults: u64,
    /// Of all processors of the machine, since monitoring began.
    pub machine_steal_ms: Option<u64>,
    pub machine_iowait_ms: Option<u64>,
}
