//! Which copy was in which phase when, and what the job had used at the turns.

use crate::clock::Moment;
use crate::cpu_time::CpuTime;
use crate::parse::cpu_times::Unused;
use crate::perf::counters::Count;
use crate::waited::Waited;

/// The phase of a copy before it told of any.
const FIRST: &str = "init";

/// Of one copy: a job that tells of phases without end takes no more memory than this.
const MOST_TURNS: usize = 10_000;
/// Of all copies, in which they share evenly; what a record can hold (some 500 bytes each).
const MOST_IN_ALL: usize = 400_000;
const LEAST_TURNS: usize = 100;

/// What the whole job had used at a turn.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    pub cpu: CpuTime,
    pub waited: Waited,
    /// Of the processors that the job was confined to.
    pub unused: Unused,
    pub counts: Vec<Count>,
}

impl Reached {
    /// Nothing yet, of what is known at the end.
    pub fn none(end: &Self) -> Self {
        let waited = Waited { block_io_ns: end.waited.block_io_ns.map(|_| 0), ..Waited::default() };
        Self { waited, ..Self::default() }
    }
}

/// One phase of one copy.
#[derive(Clone, Debug)]
pub struct Segment {
    pub copy: usize,
    pub phase: String,
    pub began: Moment,
    pub ended: Moment,
    /// Events in it; `None` where the copy told of none at all.
    pub events: Option<u64>,
    /// What the whole job used in it; `None` where other copies ran beside it.
    pub used: Option<(Reached, Reached)>,
}

#[derive(Clone, Debug)]
struct Turn {
    phase: String,
    at: Moment,
    events: u64,
    reached: Reached,
}

#[derive(Clone, Debug, Default)]
struct Line {
    turns: Vec<Turn>,
    /// More was told than there are turns.
    cut: bool,
    events: Option<u64>,
}

/// All copies.
#[derive(Clone, Debug)]
pub struct Timeline(Vec<Line>);

impl Timeline {
    pub fn new(copies: usize) -> Self {
        Self(vec![Line::default(); copies])
    }

    pub fn copies(&self) -> usize {
        self.0.len()
    }

    /// When a copy told of its last phase.
    pub fn last_ns(&self, copy: usize) -> Option<i64> {
        self.0[copy].turns.last().map(|turn| turn.at.mono_ns)
    }

    /// Any phase or event was told of.
    pub fn is_told(&self) -> bool {
        self.0.iter().any(|line| !line.turns.is_empty() || line.events.is_some())
    }

    /// A copy told of more phases than are kept.
    pub fn is_cut(&self) -> bool {
        self.0.iter().any(|line| line.cut)
    }

    /// A copy tells that it is in a phase; the same phase again is nothing new.
    pub fn phase(&mut self, copy: usize, phase: String, at: Moment, reached: impl FnOnce() -> Reached) {
        let most = most_turns(self.copies());
        let line = &mut self.0[copy];
        if line.turns.last().map_or(FIRST, |turn| &turn.phase) == phase {
            return;
        }
        line.cut = line.turns.len() == most;
        if !line.cut {
            line.turns.push(Turn { phase, at, events: line.events.unwrap_or(0), reached: reached() });
        }
    }

    /// A copy tells of events: how many so far, or one more. They never go down.
    pub fn events(&mut self, copy: usize, count: Option<u64>) -> u64 {
        let known = self.0[copy].events.unwrap_or(0);
        let now = count.map_or(known + 1, |count| count.max(known));
        self.0[copy].events = Some(now);
        now
    }

    /// The phases of a copy from its release to its end.
    ///
    /// Limits: a line without its time that was written just before the end may be read just after it; its phase took no
    /// time then.
    pub fn segments(
        &self,
        copy: usize,
        (began, ended): (Moment, Moment),
        (start, end): (&Reached, &Reached),
    ) -> Vec<Segment> {
        let line = &self.0[copy];
        let alone = self.0.len() == 1;
        let first = Turn { phase: FIRST.to_owned(), at: began, events: 0, reached: start.clone() };
        let last = Turn { phase: String::new(), at: ended, events: line.events.unwrap_or(0), reached: end.clone() };
        let turns: Vec<&Turn> = [&first].into_iter().chain(&line.turns).chain([&last]).collect();
        let within = |at: Moment| match at.mono_ns {
            mono_ns if mono_ns > ended.mono_ns => ended,
            mono_ns if mono_ns < began.mono_ns => began,
            _ => at,
        };
        let segment = |pair: &[&Turn]| Segment {
            copy,
            phase: pair[0].phase.clone(),
            began: within(pair[0].at),
            ended: within(pair[1].at),
            events: line.events.map(|_| pair[1].events - pair[0].events),
            used: alone.then(|| (pair[0].reached.clone(), pair[1].reached.clone())),
        };
        turns.windows(2).map(segment).collect()
    }
}

/// Phases that are kept of each copy.
pub fn most_turns(copies: usize) -> usize {
    (MOST_IN_ALL / copies.max(1)).clamp(LEAST_TURNS, MOST_TURNS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(s: i64) -> Moment {
        Moment { mono_ns: s * 1_000_000_000, real_ns: 0 }
    }

    fn used(user_ns: u64) -> Reached {
        Reached { cpu: CpuTime { user_ns, system_ns: 0 }, ..Reached::default() }
    }

    #[test]
    fn a_copy_is_in_one_phase_from_its_release_to_its_end() {
        let mut timeline = Timeline::new(1);
        timeline.phase(0, "init".to_owned(), at(1), || used(1));
        timeline.phase(0, "event-loop".to_owned(), at(3), || used(30));
        timeline.phase(0, "event-loop".to_owned(), at(4), || used(40));
        timeline.events(0, Some(5));
        timeline.events(0, None);
        let segments = timeline.segments(0, (at(1), at(9)), (&used(0), &used(90)));
        let told: Vec<_> = segments
            .iter()
            .map(|segment| {
                let (from, to) = segment.used.clone().expect("alone");
                let wall_ns = segment.ended.mono_ns - segment.began.mono_ns;
                (segment.phase.as_str(), wall_ns / 1_000_000_000, segment.events, to.cpu.user_ns - from.cpu.user_ns)
            })
            .collect();
        assert_eq!(told, [("init", 2, Some(0), 30), ("event-loop", 6, Some(6), 60)]);
    }

    #[test]
    fn what_was_heard_after_the_end_took_no_time() {
        let mut timeline = Timeline::new(1);
        timeline.phase(0, "end".to_owned(), at(6), || used(5));
        let walls: Vec<_> = timeline
            .segments(0, (at(1), at(5)), (&used(0), &used(5)))
            .iter()
            .map(|segment| (segment.ended.mono_ns - segment.began.mono_ns) / 1_000_000_000)
            .collect();
        assert_eq!(walls, [4, 0]);
    }

    #[test]
    fn what_copies_used_beside_each_other_is_not_shared_out() {
        let mut timeline = Timeline::new(2);
        timeline.phase(1, "event-loop".to_owned(), at(2), || used(9));
        let segments = timeline.segments(1, (at(0), at(5)), (&used(0), &used(9)));
        assert_eq!(segments.len(), 2);
        assert!(segments.iter().all(|segment| segment.used.is_none() && segment.events.is_none()));
    }
    #[test]
    fn copies_share_what_a_record_can_hold() {
        assert_eq!([1, 40, 41, 256, 100_000].map(most_turns), [10_000, 10_000, 9756, 1562, 100]);
    }

    #[test]
    fn a_copy_that_tells_of_phases_without_end_has_so_many_and_no_more() {
        let mut timeline = Timeline::new(2);
        for turn in 0..=MOST_TURNS {
            assert!(!timeline.is_cut());
            timeline.phase(1, format!("p{}", turn % 2), at(1), Reached::default);
        }
        assert!(timeline.is_cut());
        let segments = timeline.segments(1, (at(0), at(5)), (&used(0), &used(9)));
        assert_eq!(segments.len(), MOST_TURNS + 1);
    }
}
