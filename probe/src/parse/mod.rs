//! Bytes of the kernel's files to values; nothing here opens a file.
//!
//! A parser returns `None` for what is not there or not readable as expected, never a guess and never 0.

pub mod cpu_list;
pub mod cpuinfo;
pub mod elf;
pub mod elf_symbols;
pub mod flat;
pub mod kallsyms;
pub mod loader;
pub mod machine_stat;
pub mod maps;
pub mod mountinfo;
pub mod own_cgroup;
pub mod perf_event;
pub mod pid_stat;
pub mod pressure;
pub mod setting;
pub mod turnover;
