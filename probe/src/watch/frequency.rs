//! How fast each processor goes now, and how often and how long heat has held it back since boot.
//!
//! Source: `cpufreq`: Linux Documentation/admin-guide/pm/cpufreq.rst, `scaling_cur_freq`; `cpuinfo`: the line
//! `cpu MHz`; throttling: Documentation/ABI/testing/sysfs-devices-system-cpu, `thermal_throttle` (Intel; the times from
//! kernel 5.5). Limits: without a hardware counter behind it the frequency is the one last asked for, in a guest the
//! nominal one; kernels 4.13 to 5.17 interrupt each processor to answer. Each processor of a package tells the
//! package's throttling.

use crate::arrange;
use crate::parse::cpuinfo::frequencies;
use crate::read::{Kept, Root};

use super::{Collector, Group, Rows, Surroundings, View};

pub const GROUP: Group = Group {
    name: "frequency",
    columns: &[
        "cpu",
        "source",
        "frequency_hz",
        "core_throttles_count",
        "package_throttles_count",
        "core_throttled_s",
        "package_throttled_s",
    ],
    open,
};

const CPUS: &str = "/sys/devices/system/cpu";

struct Cpu {
    number: u32,
    scaling: Option<Kept>,
    throttles: [Option<Kept>; 2],
    throttled: [Option<Kept>; 2],
}

struct Frequency {
    cpus: Vec<Cpu>,
    /// Read only where `cpufreq` is not there.
    cpuinfo: Option<Kept>,
}

fn open(around: &Surroundings) -> Result<Box<dyn Collector>, String> {
    let root = around.root;
    let numbers = root.names(CPUS).into_iter().filter_map(|name| name.strip_prefix("cpu")?.parse().ok());
    let mut cpus: Vec<Cpu> = numbers.map(|number| cpu(root, number)).collect();
    arrange::sort_by_key(&mut cpus, |cpu| cpu.number);
    let scaling = cpus.iter().any(|cpu| cpu.scaling.is_some());
    let throttles = cpus.iter().any(|cpu| cpu.throttles.iter().any(Option::is_some));
    let told = !scaling && frequencies(&root.text("/proc/cpuinfo").unwrap_or_default()).next().is_some();
    let cpuinfo = if told { root.keep("/proc/cpuinfo").ok() } else { None };
    if scaling || throttles || cpuinfo.is_some() {
        Ok(Box::new(Frequency { cpus, cpuinfo }))
    } else {
        Err("neither cpufreq nor cpuinfo tells a frequency".to_owned())
    }
}

fn cpu(root: &Root, number: u32) -> Cpu {
    let keep = |name: &str| root.keep(format!("{CPUS}/cpu{number}/{name}")).ok();
    let throttle = |name: &str| keep(&format!("thermal_throttle/{name}"));
    Cpu {
        number,
        scaling: keep("cpufreq/scaling_cur_freq"),
        throttles: ["core_throttle_count", "package_throttle_count"].map(throttle),
        throttled: ["core_throttle_total_time_ms", "package_throttle_total_time_ms"].map(throttle),
    }
}

impl Collector for Frequency {
    fn collect(&mut self, view: &View, rows: &mut Rows) {
        let text = self.cpuinfo.as_mut().and_then(Kept::text);
        let mut told = text.into_iter().flat_map(frequencies).peekable();
        for cpu in &mut self.cpus {
            // Both go up by number.
            while told.next_if(|(number, _)| *number < cpu.number).is_some() {}
            let (source, hz) = match &mut cpu.scaling {
                Some(kept) => ("cpufreq", kept.number().map(|khz| khz as f64 * 1e3)),
                None => ("cpuinfo", told.next_if(|(number, _)| *number == cpu.number).map(|(_, hz)| hz)),
            };
            let mut row = rows.row(view.now).cell(Some(cpu.number)).name(source).cell(hz);
            for kept in &mut cpu.throttles {
                row = row.cell(kept.as_mut().and_then(Kept::number));
            }
            for kept in &mut cpu.throttled {
                row = row.cell(kept.as_mut().and_then(Kept::number).map(|ms| ms as f64 / 1e3));
            }
        }
    }
}
