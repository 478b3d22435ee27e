//! Page faults of the job since its first process was made.
//!
//! Source and limits: `parse/pid_state.rs` for what lives, getrusage(2) for children that the supervisor has reaped.
//! `major`: the page had to be read from storage. Limits: children whose parent ignores SIGCHLD are missing once they
//! ended.

use crate::parse::pid_state;
use crate::read::{Kept, Root};
use crate::sys;

use super::each::Each;
use super::{Collector, Group, Rows, Surroundings, View};

pub const GROUP: Group = Group { name: "faults", columns: &["minor_count", "major_count"], open };

struct Faults {
    root: Root,
    held: Each<Kept>,
    highest: [u64; 2],
}

fn open(around: &Surroundings) -> Result<Box<dyn Collector>, String> {
    Ok(Box::new(Faults { root: around.root.clone(), held: Each::new(), highest: [0; 2] }))
}

impl Collector for Faults {
    fn collect(&mut self, view: &View, rows: &mut Rows) {
        let reaped = sys::children_events();
        let mut sum = [reaped.minor_faults, reaped.major_faults];
        for_states(&self.root, &mut self.held, view.members(), |state| {
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

/// Reads each member's stat line.
pub fn for_states(root: &Root, held: &mut Each<Kept>, members: &[i32], mut call: impl FnMut(pid_state::PidState)) {
    for pid in members {
        let Some(kept) = held.get(*pid, || root.keep(format!("/proc/{pid}/stat")).ok()) else { continue };
        match kept.bytes().ok().and_then(pid_state::parse) {
            Some(state) => call(state),
            None => held.leave(*pid),
        }
    }
    held.end(|_| ());
}
