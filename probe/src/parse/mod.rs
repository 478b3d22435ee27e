//! Bytes of the kernel's files to values; nothing here opens a file.
//!
//! A parser returns `None` for what is not there or not readable as expected, never a guess and never 0.

pub mod c_library;
pub mod command_line;
pub mod cpu_list;
pub mod cpu_times;
pub mod cpuinfo;
pub mod diskstats;
pub mod elf;
pub mod elf_symbols;
pub mod flat;
#[cfg(test)]
mod fuzz;
pub mod genetlink;
pub mod hypervisor;
pub mod inflate;
pub mod kallsyms;
pub mod kernel_config;
pub mod loader;
pub mod machine_stat;
pub mod maps;
pub mod mountinfo;
pub mod net_dev;
pub mod os_release;
pub mod own_cgroup;
pub mod perf_event;
pub mod pid_stat;
pub mod pid_state;
pub mod pressure;
pub mod qemu;
pub mod resource_limits;
pub mod schedstat;
pub mod setting;
pub mod smaps;
pub mod strip;
pub mod switches;
pub mod taskstats;
pub mod turnover;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Root;

    /// Holds a check to a file of every recorded machine that has it.
    fn each(path: &str, good: impl Fn(&str) -> bool) {
        let machines = Root::new(format!("{}/tests/machines", env!("CARGO_MANIFEST_DIR")));
        let texts: Vec<_> = machines.names("/").iter().map(|name| machines.text(format!("{name}{path}"))).collect();
        assert!(texts.iter().flatten().count() >= 5, "{path}");
        for text in texts.iter().flatten() {
            assert!(good(text), "{path}: {text}");
        }
    }

    #[test]
    fn every_parser_reads_its_file_of_every_recorded_machine() {
        each("/proc/stat", |text| machine_stat::parse(text).is_some());
        each("/proc/self/stat", |text| pid_stat::parse(text.as_bytes()).is_some());
        each("/proc/self/io", |text| flat::number(text, "read_bytes").is_some());
        each("/proc/self/cgroup", |text| own_cgroup::paths(text).len() == text.lines().count());
        each("/proc/self/mountinfo", |text| mountinfo::parse(text).len() == text.lines().count());
        each("/proc/self/limits", |text| resource_limits::pair(text, "Max open files").is_some());
        each("/proc/meminfo", |text| flat::number(text, "MemTotal").is_some());
        each("/proc/cpuinfo", |text| cpuinfo::model(text).is_some() && cpuinfo::hypervisor(text).is_some());
        each("/sys/devices/system/cpu/online", |text| cpu_list::parse(text).is_some());
        each("/sys/kernel/mm/transparent_hugepage/enabled", |text| setting::chosen(text).is_some());
        each("/assay/kernel_config", |text| text.lines().all(|line| kernel_config::setting(line).is_some()));
        each("/assay/hypervisor", |text| hypervisor::parse(text).is_some());
        each("/etc/os-release", |text| os_release::value(text, "ID").is_some());
    }
}
