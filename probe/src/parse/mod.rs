//! Bytes of the kernel's files to values; nothing here opens a file.
//!
//! A parser returns `None` for what is not there or not readable as expected, never a guess and never 0.

pub mod cpu_list;
pub mod cpuinfo;
pub mod elf;
pub mod flat;
pub mod loader;
pub mod machine_stat;
pub mod mountinfo;
pub mod net_dev;
pub mod own_cgroup;
pub mod pid_stat;
pub mod pressure;
pub mod setting;
pub mod smaps;
pub mod turnover;
