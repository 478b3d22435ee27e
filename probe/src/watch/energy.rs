//! Energy that parts of the machine have used since the first sample.
//!
//! Source: Linux Documentation/power/powercap/powercap.rst: `energy_uj` counts µJ up to `max_energy_range_uj` and
//! begins again. Limits: a counter that went round twice between two samples is not seen (some minutes at full power);
//! only root may read it from kernel 5.10 on; a part (`intel-rapl:0:0`, the cores) is contained in its whole
//! (`intel-rapl:0`, the package); a guest has none.

use crate::read::{Kept, Root};

use super::{Collector, Group, Rows, Surroundings, View};

pub const GROUP: Group = Group { name: "energy", columns: &["zone", "name", "energy_j"], open };

const ZONES: &str = "/sys/class/powercap";

/// A counter that begins again after its highest value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Rounds {
    highest: Option<u64>,
    last: Option<u64>,
    sum: u64,
}

impl Rounds {
    /// What was counted since the first reading; `None` where a step cannot be told.
    fn count(&mut self, now: Option<u64>) -> Option<u64> {
        let (now, last) = (now?, self.last.replace(now?));
        let step = match (last, self.highest) {
            (None, _) => 0,
            (Some(last), _) if last <= now => now - last,
            (Some(last), Some(highest)) => highest.checked_sub(last)?.checked_add(now)?,
            (Some(_), None) => return None,
        };
        self.sum += step;
        Some(self.sum)
    }
}

struct Zone {
    zone: String,
    name: String,
    kept: Kept,
    rounds: Rounds,
}

struct Energy(Vec<Zone>);

fn open(around: &Surroundings) -> Result<Box<dyn Collector>, String> {
    let root = around.root;
    let zones: Vec<Zone> = root.names(ZONES).into_iter().filter_map(|zone| open_zone(root, zone)).collect();
    if zones.is_empty() {
        Err("no energy counter can be read under /sys/class/powercap".to_owned())
    } else {
        Ok(Box::new(Energy(zones)))
    }
}

fn open_zone(root: &Root, zone: String) -> Option<Zone> {
    let kept = root.keep(format!("{ZONES}/{zone}/energy_uj")).ok()?;
    let name = root.word(format!("{ZONES}/{zone}/name")).unwrap_or_default();
    let highest = root.word(format!("{ZONES}/{zone}/max_energy_range_uj")).and_then(|word| word.parse().ok());
    Some(Zone { zone, name, kept, rounds: Rounds { highest, ..Rounds::default() } })
}

impl Collector for Energy {
    fn collect(&mut self, view: &View, rows: &mut Rows) {
        for zone in &mut self.0 {
            let counted = zone.rounds.count(zone.kept.number());
            let row = rows.row(view.now).name(&zone.zone).name(&zone.name);
            row.cell(counted.map(|uj| uj as f64 / 1e6));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_that_begins_again_is_counted_on() {
        let mut rounds = Rounds { highest: Some(1000), ..Rounds::default() };
        let counted: Vec<_> = [900, 950, 20, 20].map(|now| rounds.count(Some(now))).into();
        assert_eq!(counted, [Some(0), Some(50), Some(120), Some(120)]);
        assert_eq!(rounds.count(None), None);
        assert_eq!(rounds.count(Some(30)), Some(130));
    }

    #[test]
    fn a_step_back_of_unknown_range_is_no_figure_then_and_adds_nothing() {
        let mut rounds = Rounds::default();
        let counted: Vec<_> = [10, 15, 3, 5].map(|now| rounds.count(Some(now))).into();
        assert_eq!(counted, [Some(0), Some(5), None, Some(7)]);
    }
}
