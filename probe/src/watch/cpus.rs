//! What each processor did: seconds in each state since boot.
//!
//! Source and limits: `parse/cpu_times.rs`. User time contains guest time, nice contains guest_nice.

use crate::parse::cpu_times::parse;
use crate::read::Kept;
use crate::sys;

use super::{Collector, Group, Rows, Surroundings, View};

pub const GROUP: Group = Group {
    name: "cpus",
    columns: &[
        "cpu",
        "user_s",
        "nice_s",
        "system_s",
        "idle_s",
        "iowait_s",
        "irq_s",
        "softirq_s",
        "steal_s",
        "guest_s",
        "guest_nice_s",
    ],
    open,
};

struct Cpus {
    stat: Kept,
    ticks_per_s: f64,
}

fn open(around: &Surroundings) -> Result<Box<dyn Collector>, String> {
    let stat = around.root.keep("/proc/stat").map_err(|_| "/proc/stat cannot be read".to_owned())?;
    Ok(Box::new(Cpus { stat, ticks_per_s: sys::ticks_per_s() as f64 }))
}

impl Collector for Cpus {
    fn collect(&mut self, view: &View, rows: &mut Rows) {
        for times in self.stat.text().into_iter().flat_map(parse) {
            let mut row = rows.row(view.now).cell(Some(times.cpu));
            for ticks in times.ticks {
                row = row.cell(ticks.map(|ticks| ticks as f64 / self.ticks_per_s));
            }
        }
    }
}
