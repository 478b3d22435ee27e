//! Page faults of the job since its first process was made.
//!
//! Source and limits: `parse/pid_state.rs` for what lives, getrusage(2) for children that the supervisor has reaped.
//! `major`: the page had to be read from storage. Limits: children whose parent ignores SIGCHLD are missing once they
//! ended.

use crate::parse::pid_state;
use crate::sys;

use super::each::Files;
use super::{Collector, Group, Rows, Surroundings, View};

pub const GROUP: Group = Group { name: "faults", columns: &["minor_count", "major_count"], open };

struct Faults {
    stats: Files,
    highest: [u64; 2],
}

fn open(around: &Surroundings) -> Result<Box<dyn Collector>, String> {
    Ok(Box::new(Faults { stats: Files::new(around.root, "stat"), highest: [0; 2] }))
}

impl Collector for Faults {
    fn collect(&mut self, view: &View, rows: &mut Rows) {
        let reaped = sys::children_usage();
        let mut sum = [reaped.minor_faults, reaped.major_faults];
        self.stats.read(view.members(), |bytes| {
            let Some(state) = pid_state::parse(bytes) else { return };
            sum[0] += state.minor_faults;
            sum[1] += state.major_faults;
        });
        // One that is reaped between two reads may be seen in neither: totals never go down.
        for (highest, sum) in self.highest.iter_mut().zip(sum) {
            *highest = sum.max(*highest);
        }
        rows.row(view.now).cell(Some(self.highest[0])).cell(Some(self.highest[1]));
    }
}
