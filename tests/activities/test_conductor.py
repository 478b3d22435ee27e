"""How the conductor goes through a plan: what runs, in which session, for how long, and what is
said of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities import conductor, interrupts
from assay.activities.conductor import Conductor
from assay.activities.plan.prepare import BOOT_S
from assay.activities.trials.inflight import Inflight
from assay.design import plan_trials
from assay.model.activity import ActivityPlan, ActivityState, PlannedGuest
from assay.model.errors import AssayError
from assay.model.extension import Ending
from assay.model.goal import Goal, Shape
from assay.model.trial import Arm, PlannedTrial, Trial
from assay.platforms.claims import is_live
from assay.platforms.errors import ClaimedError
from tests.builders import WORKLOAD, plan_of, record_of

TRIALS = plan_trials(("spin",), blocks=4, seed=1)
PLAN = plan_of(TRIALS)
GUEST = replace(PLAN.treatment, guest=PlannedGuest(1, 1 << 30, "none", "image"))


class Watcher:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.reported: list[tuple[str, Any]] = []

    def step(self, text: str, *, fraction: float | None = None) -> None:
        self.reported.append(("step", text))

    def progress(self, **reported: float) -> None:
        self.reported.append(("progress", reported))

    def trial_started(self, planned: PlannedTrial, label: str) -> None:
        self.reported.append(("started", label))

    def trial_over(self, trial: Trial) -> None:
        self.reported.append(("over", trial.planned.index))

    def look(self, text: str) -> None:
        self.reported.append(("look", text))

    def warn(self, sentence: str) -> None:
        self.reported.append(("warn", sentence))

    def of(self, kind: str) -> list[Any]:
        return [what for reported, what in self.reported if reported == kind]


class Rows:
    """Notes the states that an activity had, and the records that came."""

    def __init__(self) -> None:
        self.states: list[tuple[ActivityState, bool]] = []
        self.records: list[int] = []

    def set_state(self, _activity: str, state: ActivityState, *, ended_ns: int | None) -> None:
        self.states.append((state, ended_ns is not None))

    def add_record(self, trial: Trial) -> None:
        self.records.append(trial.planned.index)


class TrialContext:
    """A conductor with what it tells."""

    def __init__(self, home: Path, plan: ActivityPlan = PLAN, done: tuple[Trial, ...] = ()) -> None:
        self.watcher, self.rows, self.home = Watcher(), Rows(), home
        self.conductor = Conductor(
            plan, folder=home / "activity", home=home, store=cast("Any", self.rows), watcher=self.watcher
        )
        for trial in done:
            self.conductor._take(trial)

    @property
    def progress(self) -> dict[str, float]:
        self.conductor._report_progress()
        found: dict[str, float] = self.watcher.of("progress")[-1]
        return found


@pytest.mark.parametrize(
    ("wait_s", "begun", "waits"), [(5, False, True), (5, True, False), (0, False, False)]
)
def test_a_block_that_is_begun_never_waits_for_a_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_s: float, begun: bool, waits: bool
) -> None:
    monkeypatch.setattr(conductor, "next_session_s", lambda *_given, **_named: float(wait_s))
    done = tuple(record_of(trial, 1.0) for trial in TRIALS if trial.block == 0)
    begins = (record_of(next(t for t in TRIALS if t.block == 1), 1.0),) if begun else ()
    assert TrialContext(tmp_path, done=(*done, *begins)).conductor._waits(1) is waits


class Clock:
    """Time that goes on by sleeping alone."""

    def __init__(self) -> None:
        self.now_s, self.slept = 1000.0, list[float]()

    def time(self) -> float:
        return self.now_s

    monotonic = time

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_s += seconds


@pytest.mark.parametrize(("wait_s", "slept"), [(2.5, [1.0, 1.0, 0.5]), (1.0, [1.0]), (0.0, [])])
def test_a_session_is_waited_for_second_by_second_so_that_a_stop_is_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_s: float, slept: list[float]
) -> None:
    clock, reported = Clock(), []
    monkeypatch.setattr(conductor, "time", clock)
    monkeypatch.setattr(interrupts, "time", clock)

    def next_session_s(_plan: ActivityPlan, _records: list[Trial], *, now_s: float) -> float:
        reported.append(now_s)
        return wait_s

    monkeypatch.setattr(conductor, "next_session_s", next_session_s)
    context = TrialContext(tmp_path)
    context.conductor._wait_for_session()
    assert (clock.slept, reported) == (slept, [1000.0])
    assert [text.partition(" at ")[0] for text in context.watcher.of("step")] == [
        "the next session begins"
    ] * bool(slept)


def test_progress_counts_the_trials_of_the_blocks_that_are_wanted_and_no_others(tmp_path: Path) -> None:
    context = TrialContext(tmp_path, done=(record_of(TRIALS[0], 1.0),))
    assert context.progress == {"done": 1, "total": 12, "remaining_s": 11 * (WORKLOAD.seconds + 1)}
    context.conductor._wanted = 2
    assert context.progress == {"done": 1, "total": 6, "remaining_s": 5 * (WORKLOAD.seconds + 1)}


def test_what_remains_has_the_boots_as_they_took_so_far(tmp_path: Path) -> None:
    context = TrialContext(tmp_path, replace(PLAN, treatment=GUEST))
    work_s = 12 * (WORKLOAD.seconds + 1)
    assert context.progress["remaining_s"] == pytest.approx(work_s + 4 * BOOT_S)
    context.conductor._boots = [10.0, 20.0, 60.0]
    assert context.progress["remaining_s"] == pytest.approx(work_s + 4 * 30.0)


def test_what_remains_has_trials_and_preparations_as_they_took_so_far(tmp_path: Path) -> None:
    context = TrialContext(tmp_path, replace(PLAN, treatment=GUEST))
    for arm in Arm:
        context.conductor._spent[arm, "spin"] = [2.0, 4.0]
    context.conductor._preparing[Arm.TREATMENT, "spin"] = [10.0]
    context.conductor._preparing[Arm.BASELINE, "spin"] = [10.0]
    assert context.progress["remaining_s"] == pytest.approx(12 * 3.0 + 4 * (BOOT_S + 10.0))


def test_a_visit_is_a_slot_of_a_block_with_those_of_its_trials_that_are_left(tmp_path: Path) -> None:
    context = TrialContext(tmp_path, done=(record_of(TRIALS[1], 1.0),))
    left = [[one.index for one in visit] for visit in context.conductor._visits()]
    assert left == [[0], *([number] for number in range(2, 12))]


def test_neighbours_of_chained_blocks_share_a_visit(tmp_path: Path) -> None:
    trials = plan_trials(("spin",), blocks=3, seed=1, shape=Shape.CHAINED)
    context = TrialContext(tmp_path, plan_of(trials, goal=Goal(shape=Shape.CHAINED)))
    visits = [[one.index for one in visit] for visit in context.conductor._visits()]
    assert visits == [[0], [1, 2], [3, 4], [5]]


@pytest.mark.parametrize(
    ("budget_s", "after"), [(None, [*range(1, 201), 202, 204, 206]), (9e9, [*range(1, 207)])]
)
def test_of_more_than_200_blocks_not_each_is_judged_save_under_a_budget_of_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, budget_s: float | None, after: list[int]
) -> None:
    plan = plan_of(
        plan_trials(("spin",), blocks=206, seed=1), goal=Goal(adaptive=True, time_budget_s=budget_s)
    )
    context, judged = TrialContext(tmp_path, plan), list[int]()
    monkeypatch.setattr(conductor, "ending_of", lambda _plan, records: judged.append(len(records) // 3))
    monkeypatch.setattr(conductor, "blocks_wanted", lambda _plan, _records: 206)
    monkeypatch.setattr(conductor, "look_text", lambda _plan, _records: None)
    for trial in plan.trials:
        context.conductor._keep(record_of(trial, 1.0))
    assert judged == after


def test_a_block_within_which_it_was_cut_off_is_judged_once_it_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = list[int]()
    monkeypatch.setattr(conductor, "ending_of", lambda _plan, records: judged.append(len(records)))
    monkeypatch.setattr(conductor, "blocks_wanted", lambda _plan, _records: 4)
    monkeypatch.setattr(conductor, "look_text", lambda _plan, _records: None)
    done = tuple(record_of(trial, 1.0) for trial in TRIALS[:5])
    context = TrialContext(tmp_path, done=done)
    context.conductor._judge()
    context.conductor._keep(record_of(TRIALS[5], 1.0))
    assert judged == [5, 6]


def test_a_later_record_of_a_trial_takes_the_place_of_the_former(tmp_path: Path) -> None:
    done = [record_of(TRIALS[index], float(index)) for index in (1, 0, 2)]
    context = TrialContext(tmp_path, done=tuple(done))
    assert list(context.conductor._records()) == done
    again = record_of(TRIALS[0], 7.0)
    context.conductor._take(again)
    assert list(context.conductor._records()) == [done[0], again, done[2]]


def test_nothing_is_left_of_an_activity_that_has_ended(tmp_path: Path) -> None:
    context = TrialContext(tmp_path)
    context.conductor._ending = Ending.REACHED
    assert (context.conductor._left(), list(context.conductor._visits())) == ((), [])


def test_what_all_blocks_say_is_told_once_a_block_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conductor, "look_text", lambda _plan, records: f"{len(records)} records")
    monkeypatch.setattr(conductor, "blocks_wanted", lambda _plan, records: 1)
    context = TrialContext(tmp_path)
    for trial in TRIALS[:3]:
        context.conductor._keep(record_of(trial, 1.0))
    assert context.rows.records == context.watcher.of("over") == [0, 1, 2]
    assert context.watcher.of("look") == ["3 records"]
    assert [reported["total"] for reported in context.watcher.of("progress")] == [12, 12, 3], (
        "judged by the whole block"
    )


@pytest.mark.parametrize("error", [KeyboardInterrupt, AssayError("lost")])
def test_an_activity_that_is_cut_off_is_interrupted_and_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    held: list[bool] = []

    def conduct(_self: Conductor) -> None:
        held.append(is_live(tmp_path, PLAN.id))
        raise error

    monkeypatch.setattr(Conductor, "_conduct", conduct)
    context = TrialContext(tmp_path)
    with pytest.raises((KeyboardInterrupt, AssayError)):
        context.conductor.run()
    assert context.rows.states == [(ActivityState.RUNNING, False), (ActivityState.INTERRUPTED, True)]
    assert (held, is_live(tmp_path, PLAN.id)) == ([True], False)
    assert (tmp_path / "activity" / "trials").is_dir()


def test_an_activity_that_ran_to_its_end_stands_as_its_records_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Conductor, "_conduct", lambda _self: None)
    context = TrialContext(tmp_path, done=tuple(record_of(trial, 1.0) for trial in TRIALS))
    assert context.conductor.run() is ActivityState.COMPLETE
    assert context.rows.states[-1] == (ActivityState.COMPLETE, True)


class Environment:
    """Notes what is done to it."""

    def __init__(self, acts: list[str]) -> None:
        self.acts = acts

    def __getattr__(self, name: str) -> Any:
        return lambda *given: self.acts.append(" ".join([name, *map(str, given)]))


@pytest.fixture
def acts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    acts: list[str] = []
    monkeypatch.setattr(conductor, "Environment", lambda *_given: Environment(acts))

    def visit(self: Conductor, _environment: object, trials: list[PlannedTrial]) -> None:
        acts.append(f"visit {trials[0].index}")
        for one in trials:
            self._take(record_of(one, 1.0))

    monkeypatch.setattr(Conductor, "_visit", visit)
    return acts


def test_a_session_makes_its_visits_and_tidies_up(tmp_path: Path, acts: list[str]) -> None:
    TrialContext(tmp_path).conductor._session(None)
    assert acts == ["open", *(f"visit {number}" for number in range(12)), "tidy", "close"]


def test_a_session_ends_before_a_block_of_the_next_and_leaves_the_folders(
    tmp_path: Path, acts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Conductor, "_waits", lambda _self, block: block == 1)
    TrialContext(tmp_path).conductor._session(None)
    assert acts == ["open", "visit 0", "visit 1", "visit 2", "close"]


def test_where_nothing_is_left_only_what_was_cut_off_is_brought_home(tmp_path: Path, acts: list[str]) -> None:
    context = TrialContext(tmp_path, done=tuple(record_of(trial, 1.0) for trial in TRIALS))
    context.conductor._session(Inflight(2, "/d", "boot", "guest-b0", 5, None, None))
    assert acts[0].startswith("end_guest ")
    assert acts[0].endswith(" guest-b0")
    assert acts[1:] == ["end_left", "close"]


def test_sessions_follow_until_nothing_is_left_and_one_note_is_looked_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = Inflight(0, "/d", "boot", None, 5, None, None)
    seen: list[object] = []

    def session(self: Conductor, inflight: Inflight | None) -> None:
        seen.append(inflight)
        block = len(self._done) // 3
        for one in TRIALS:
            if one.block == block:
                self._take(record_of(one, 1.0))

    monkeypatch.setattr(conductor, "read_inflight", lambda _folder: note)
    monkeypatch.setattr(Conductor, "_session", session)
    TrialContext(tmp_path).conductor._conduct()
    assert seen == [note, None, None, None]


@pytest.mark.parametrize(("guest", "boots"), [(None, []), ("a guest", [2.5])])
def test_only_the_opening_of_a_guest_counts_as_a_boot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guest: object, boots: list[float]
) -> None:
    clock, kept = Clock(), []
    monkeypatch.setattr(conductor, "time", clock)
    monkeypatch.setattr(conductor, "keep_visit", lambda _folder, visit: kept.append(visit))
    monkeypatch.setattr(Conductor, "_trial", lambda *_given: None)
    beside = SimpleNamespace()
    visit = SimpleNamespace(guest=guest, beside=(beside,))

    @contextmanager
    def opened(_trial: PlannedTrial) -> Iterator[object]:
        clock.sleep(2.5)
        yield visit

    context = TrialContext(tmp_path)
    context.conductor._visit(cast("Any", SimpleNamespace(visit=opened)), [TRIALS[0]])
    assert (context.conductor._boots, kept) == (boots, [visit, beside])


def test_a_trial_s_time_is_without_its_preparation_and_that_of_the_guests_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    beside = SimpleNamespace(preparing_s=100.0)
    visit: Any = SimpleNamespace(preparing_s=50.0, beside=(beside,))

    def run(*_given: object, tell: object) -> Trial:
        visit.preparing_s += 2.0
        beside.preparing_s += 1.0
        clock.sleep(8.0)
        return record_of(TRIALS[0], 1.0)

    monkeypatch.setattr(conductor, "time", clock)
    monkeypatch.setattr(conductor, "run_undisturbed", run)
    context = TrialContext(tmp_path)
    context.conductor._trial(visit, TRIALS[0], "host")
    key = TRIALS[0].arm, "spin"
    assert (context.conductor._spent[key], context.conductor._preparing[key]) == ([5.0], [3.0])
    assert context.watcher.of("started") == ["host"]


@pytest.mark.parametrize("began", [True, False], ids=["later", "first"])
def test_a_later_session_waits_for_a_machine_that_another_activity_took_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, began: bool
) -> None:
    context, slept, left = TrialContext(tmp_path), list[float](), [1, 2] if began else [2]
    conducting, taken = context.conductor, ClaimedError("n01 is measured by activity 89abcdef")

    def session(_inflight: object) -> None:
        if len(left) == 1 and not slept:
            raise taken
        left.pop()

    monkeypatch.setattr(conducting, "_session", session)
    monkeypatch.setattr(conducting, "_is_left", lambda: bool(left))
    monkeypatch.setattr(conducting, "_wait_for_session", lambda: None)
    monkeypatch.setattr(conducting._interrupts, "sleep", slept.append)
    if not began:
        with pytest.raises(ClaimedError):
            conducting._sessions(None)
        return
    conducting._sessions(None)
    assert (left, slept) == ([], [conductor.BOOKED_S])
    assert context.watcher.of("step") == [f"the next session waits: {taken.message}"]
