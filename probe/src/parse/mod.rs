//! Bytes of the kernel's files to values; nothing here opens a file.
//!
//! A parser returns `None` for what is not there or not readable as expected, never a guess and never 0.

pub mod cpu_list;
pub mod cpu_times;
pub mod cpuinfo;
pub mod diskstats;
pub mod elf;
pub mod elf_symbols;
pub mod flat;
#[cfg(test)]
mod garbage;
pub mod genetlink;
pub mod kallsyms;
pub mod loader;
pub mod machine_stat;
pub mod maps;
pub mod mountinfo;
pub mod net_dev;
pub mod own_cgroup;
pub mod perf_event;
pub mod pid_stat;
pub mod pid_state;
pub mod pressure;
pub mod qemu;
pub mod schedstat;
pub mod setting;
pub mod smaps;
pub mod switches;
pub mod taskstats;
pub mod turnover;
