//! Context switches of the job's threads and their migrations between processors, since each thread began.
//!
//! Source and limits: `parse/switches.rs`, `watch/tasks.rs`. Switches are at least those that the kernel tells of
//! reaped children (getrusage(2)), which contain short-lived threads and processes; migrations have no such total.

use crate::parse::switches::{sched, status};
use crate::sys;

use super::tasks::Tasks;
use super::{Collector, Group, Rows, Surroundings, View};

pub const GROUP: Group =
    Group { name: "switches", columns: &["voluntary_count", "involuntary_count", "migrations_count"], open };

struct Switches {
    switches: Tasks<2>,
    migrations: Tasks<1>,
}

fn open(around: &Surroundings) -> Result<Box<dyn Collector>, String> {
    let switches = Tasks::new(around.root, "status", status);
    Ok(Box::new(Switches { switches, migrations: Tasks::new(around.root, "sched", sched) }))
}

impl Collector for Switches {
    fn collect(&mut self, view: &View, rows: &mut Rows) {
        let reaped = sys::children_usage();
        let seen = self.switches.sum(view.members());
        let of = |at: usize, reaped: u64| seen.map(|seen| seen[at].max(reaped));
        let migrations = self.migrations.sum(view.members()).map(|[count]| count);
        let row = rows.row(view.now).cell(of(0, reaped.voluntary_switches));
        row.cell(of(1, reaped.involuntary_switches)).cell(migrations);
    }
}
