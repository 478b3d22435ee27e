//! Lets the job stand still for a share of its time: a loss of known size, to test what looks for losses.
//!
//! In each period one pause, in its middle, that ends when so much of all periods until then was paused: what one
//! pause was too long, the next is shorter. Limits: a job that ends within a period has been paused for up to half a
//! pause more or less than its share; one that waits for something goes on waiting while it stands still.

use crate::cgroup::Group;

/// Pauses of some ms are long against the time that freezing takes (about 0.05 ms), and short against a job.
const PERIOD_NS: i64 = 100_000_000;

/// The pauses of a job.
#[derive(Debug)]
pub struct Pauser {
    share: f64,
    began_ns: i64,
    /// Since when the job stands still.
    still_ns: Option<i64>,
    due_ns: i64,
    paused_ns: i64,
    failed: bool,
}

impl Pauser {
    pub fn new(share: f64) -> Self {
        Self { share, began_ns: 0, still_ns: None, due_ns: 0, paused_ns: 0, failed: false }
    }

    /// The job is released now.
    pub fn begin(&mut self, now_ns: i64) {
        self.began_ns = now_ns;
        self.due_ns = self.start_of(0);
    }

    fn start_of(&self, period: i64) -> i64 {
        let before = (1.0 - self.share) / 2.0 * PERIOD_NS as f64;
        self.began_ns + period * PERIOD_NS + before as i64
    }

    fn period(&self, now_ns: i64) -> i64 {
        (now_ns - self.began_ns).div_euclid(PERIOD_NS)
    }

    /// When it has to be called next; `None` once it has nothing to do any more.
    pub fn due(&self) -> Option<i64> {
        (!self.failed && self.began_ns > 0).then_some(self.due_ns)
    }

    /// Freezes or thaws, if it is due.
    pub fn act(&mut self, now_ns: i64, group: Option<&Group>) {
        if self.due().is_none_or(|due| now_ns < due) {
            return;
        }
        let still = self.still_ns.is_none();
        let done = group.is_some_and(|group| group.freeze(still).is_ok());
        self.failed = !done;
        self.turn(now_ns, still);
    }

    fn turn(&mut self, now_ns: i64, still: bool) {
        let period = self.period(now_ns);
        if still {
            let wanted = (self.share * ((period + 1) * PERIOD_NS) as f64) as i64;
            self.still_ns = Some(now_ns);
            self.due_ns = now_ns + (wanted - self.paused_ns).max(0);
        } else {
            self.paused_ns += now_ns - self.still_ns.take().unwrap_or(now_ns);
            let next = self.start_of(period);
            self.due_ns = if next > now_ns { next } else { self.start_of(period + 1) };
        }
    }

    /// Lets the job go on for good.
    pub fn end(&mut self, now_ns: i64, group: Option<&Group>) {
        if self.still_ns.is_some() {
            let _ = group.map(|group| group.freeze(false));
            self.turn(now_ns, false);
        }
        self.due_ns = i64::MAX;
    }

    /// The share of the time until `ended_ns` in which the job stood still; `None` where it could not be made to.
    pub fn held(&self, ended_ns: i64) -> Option<f64> {
        let lasted = (ended_ns - self.began_ns).max(1);
        (!self.failed).then(|| self.paused_ns as f64 / lasted as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cgroup::tests::Machine;

    const LATE_NS: i64 = 60_000;

    /// Runs the pauses of a job of so many periods, each turn a little late.
    fn paused(share: f64, periods: i64) -> f64 {
        let mut pauser = Pauser::new(share);
        let begin = 1_000_000_000;
        pauser.begin(begin);
        let end = begin + periods * PERIOD_NS;
        while pauser.due_ns + LATE_NS < end {
            let still = pauser.still_ns.is_none();
            pauser.turn(pauser.due_ns + LATE_NS, still);
        }
        pauser.held(end).expect("a share")
    }

    #[test]
    fn the_share_is_held_over_whole_periods_whatever_comes_late() {
        for share in [0.01, 0.05, 0.5, 0.9] {
            for periods in [1, 10, 100] {
                let error = (paused(share, periods) - share).abs() * periods as f64 * PERIOD_NS as f64;
                assert!(error < 1.5 * LATE_NS as f64, "{share} {periods} {error}");
            }
        }
    }

    #[test]
    fn a_job_without_a_group_is_not_paused() {
        let mut pauser = Pauser::new(0.5);
        assert_eq!(pauser.due(), None);
        pauser.begin(5);
        pauser.act(i64::MAX / 2, None);
        assert_eq!((pauser.due(), pauser.held(9)), (None, None));
    }

    const MS: i64 = 1_000_000;
    const BEGIN: i64 = 1000 * MS;

    #[test]
    fn a_pause_lies_in_the_middle_of_its_period_and_one_that_was_too_long_shortens_the_next() {
        let machine = Machine::new("pauser");
        let group = machine.group_two();
        let mut pauser = Pauser::new(0.5);
        pauser.begin(BEGIN);
        let mut turn = |at_ms: i64| {
            pauser.act(BEGIN + at_ms * MS, Some(&group));
            (machine.text("v2/cgroup.freeze"), pauser.due().map(|due| (due - BEGIN) / MS))
        };
        machine.put("v2/cgroup.freeze", "untouched");
        assert_eq!(turn(24), ("untouched".to_owned(), Some(25)), "it is not due yet");
        let (still, on) = (|due| ("1".to_owned(), Some(due)), |due| ("0".to_owned(), Some(due)));
        assert_eq!([turn(25), turn(76)], [still(75), on(125)]);
        assert_eq!([turn(125), turn(174)], [still(174), on(225)], "51 ms were paused: 49 are left of 100");
        assert_eq!([turn(225), turn(310)], [still(275), on(325)], "late, but before the middle of the next period");
        assert_eq!([turn(325), turn(340)], [still(340), on(425)], "185 ms were paused: 15 are left of 200");
        assert_eq!([turn(425), turn(640)], [still(475), on(725)], "too late for the pause of the period");
        assert_eq!(pauser.held(BEGIN + 1000 * MS), Some(0.415));
        pauser.end(BEGIN + 700 * MS, Some(&group));
        assert_eq!((pauser.due(), pauser.held(BEGIN + 830 * MS)), (Some(i64::MAX), Some(0.5)));
    }

    #[test]
    fn a_job_that_ends_in_the_middle_of_a_pause_goes_on() {
        let machine = Machine::new("pauser-end");
        let group = machine.group_two();
        let mut pauser = Pauser::new(0.5);
        pauser.begin(BEGIN);
        assert_eq!(pauser.due(), Some(BEGIN + 25 * MS));
        pauser.act(BEGIN + 25 * MS, Some(&group));
        assert_eq!(machine.text("v2/cgroup.freeze"), "1");
        pauser.end(BEGIN + 55 * MS, Some(&group));
        assert_eq!((machine.text("v2/cgroup.freeze"), pauser.due()), ("0".to_owned(), Some(i64::MAX)));
        assert_eq!(pauser.held(BEGIN + 60 * MS), Some(0.5));
        machine.put("v2/cgroup.freeze", "untouched");
        pauser.end(BEGIN + 70 * MS, Some(&group));
        assert_eq!(
            (machine.text("v2/cgroup.freeze"), pauser.held(BEGIN + 60 * MS)),
            ("untouched".to_owned(), Some(0.5))
        );
        assert_eq!(pauser.held(BEGIN), Some((30 * MS) as f64), "a job of no time is one of 1 ns");
    }
}
