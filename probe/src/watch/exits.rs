//! What each thread of the job had used when it ended, also of children that nobody waited for.
//!
//! Source: `taskstats` (Linux Documentation/accounting/taskstats.rst): the kernel sends a record of every thread of the
//! machine that ends; those are kept whose process, or whose parent, was seen in the job.
//! Since the thread began; times and bytes are its own, without its children's. Limits: needs the right to listen;
//! bytes are rounded down to KiB; where more threads end than there is room for, rows are missing and one says so.

use crate::read::Root;
use crate::taskstats::ExitListener;

use super::{Collector, Group, Rows, Surroundings, View};

pub const GROUP: Group = Group {
    name: "exits",
    columns: &[
        "process",
        "thread",
        "parent",
        "run_s",
        "minor_faults",
        "major_faults",
        "read_bytes",
        "write_bytes",
        "logical_read_bytes",
        "logical_write_bytes",
        "lost",
    ],
    open,
};

struct Exits {
    listener: ExitListener,
    /// Processes of the job at the last sample, and the one that adopts its orphans.
    known: Vec<i32>,
    me: i32,
}

fn open(around: &Surroundings) -> Result<Box<dyn Collector>, String> {
    if !Root::is_here(around.root) {
        return Err("a recorded machine ends no threads".to_owned());
    }
    let me = i32::try_from(std::process::id()).unwrap_or(0);
    Ok(Box::new(Exits { listener: ExitListener::open()?, known: around.mains.to_vec(), me }))
}

impl Collector for Exits {
    fn collect(&mut self, view: &View, rows: &mut Rows) {
        let (members, known, me) = (view.members(), &self.known, self.me);
        let ours = |pid: i32| pid == me || known.contains(&pid) || members.contains(&pid);
        let whole = self.listener.drain(|exit| {
            let process = exit.tgid.unwrap_or(exit.pid);
            if process == me || !(ours(process) || ours(exit.ppid)) {
                return;
            }
            let row = rows.row(view.now).cell(Some(process)).cell(Some(exit.pid)).cell(Some(exit.ppid));
            let row = row.cell(Some(exit.run_ns as f64 / 1e9)).cell(Some(exit.minflt)).cell(Some(exit.majflt));
            let row = row.cell(exit.read_bytes).cell(exit.write_bytes).cell(exit.read_char).cell(exit.write_char);
            row.cell(Some(0));
        });
        if !whole {
            let row = rows.row(view.now);
            (0..GROUP.columns.len() - 1).fold(row, |row, _| row.cell(None::<u64>)).cell(Some(1));
        }
        self.known = members.to_vec();
    }
}
