//! How many processes and threads the job has now, and processes by state.
//!
//! Source and limits: `parse/pid_state.rs`. `sleeping` can be woken by a signal, `blocked` (D) cannot: it waits for a
//! device or a lock of the kernel; `stopped` contains traced ones; `ended` are zombies that nobody has waited for.

use crate::parse::pid_state;

use super::each::Files;
use super::{Collector, Group, Rows, Surroundings, View};

pub const GROUP: Group = Group {
    name: "threads",
    columns: &[
        "threads_count",
        "processes_count",
        "running_count",
        "sleeping_count",
        "blocked_count",
        "stopped_count",
        "ended_count",
    ],
    open,
};

struct Threads(Files);

fn open(around: &Surroundings) -> Result<Box<dyn Collector>, String> {
    Ok(Box::new(Threads(Files::new(around.root, "stat"))))
}

/// Letters of the columns from `running_count` on.
const STATES: [&str; 5] = ["R", "SI", "D", "Tt", "ZXx"];

impl Collector for Threads {
    fn collect(&mut self, view: &View, rows: &mut Rows) {
        let (mut threads, mut processes, mut by_state) = (0, 0_u64, [0_u64; STATES.len()]);
        self.0.read(view.members(), |bytes| {
            let Some(state) = pid_state::parse(bytes) else { return };
            threads += state.threads;
            processes += 1;
            if let Some(at) = STATES.iter().position(|letters| letters.contains(state.state)) {
                by_state[at] += 1;
            }
        });
        let mut row = rows.row(view.now).cell(Some(threads)).cell(Some(processes));
        for count in by_state {
            row = row.cell(Some(count));
        }
    }
}
