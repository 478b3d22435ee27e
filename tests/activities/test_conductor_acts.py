"""What the conductor asks of its environment and of the trials, and what it takes up of a former process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities import conductor
from assay.activities.conductor import Conductor
from assay.activities.trials.inflight import Inflight, read_inflight, write_inflight
from assay.design import plan_trials
from assay.model.errors import AssayError
from assay.model.extension import Ended, Ending
from assay.model.goal import Goal, Shape
from assay.model.trial import PlannedTrial, Trial
from assay.store.record import read_activity, write_activity, write_trial
from tests.activities.test_conductor import PLAN, TRIALS, Clock, TrialContext
from tests.builders import WORKLOAD, plan_of, record_of

NOTE = Inflight(1, "/d/t", "boot", "guest-b0", 5, None, None)


class Environment:
    """Notes what is done to it; one of its acts may fail."""

    def __init__(self, fails: str = "") -> None:
        self.acts, self.fails, self.given = list[str](), fails, ()

    def __call__(self, *given: Any) -> Environment:
        self.given = given
        return self

    def __getattr__(self, name: str) -> Any:
        def act(*_given: object) -> None:
            self.acts.append(name)
            if name == self.fails:
                msg = "lost"
                raise AssayError(msg)

        return act


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Environment:
    made = Environment()
    monkeypatch.setattr(conductor, "Environment", made)
    return made


def test_a_session_has_a_venue_of_its_own_that_is_closed_whatever_happens(
    tmp_path: Path, environment: Environment
) -> None:
    environment.fails = "open"
    context = TrialContext(tmp_path)
    with pytest.raises(AssayError, match="lost"):
        context.conductor._session(None)
    assert environment.acts == ["open", "close"]
    assert environment.given == (PLAN, tmp_path, context.watcher, context.conductor._interrupts)


def test_what_was_cut_off_is_brought_home_before_anything_is_opened(
    tmp_path: Path, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        Conductor,
        "_recover",
        lambda _self, _environment, note: environment.acts.append(f"recover {note.index}"),
    )
    monkeypatch.setattr(Conductor, "_waits", lambda _self, _block: True)
    TrialContext(tmp_path).conductor._session(NOTE)
    assert environment.acts == ["recover 1", "open", "close"]


def test_records_that_are_there_are_taken_over_before_it_is_judged_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for planned in TRIALS[:2]:
        place = tmp_path / "activity" / "trials" / planned.name
        place.mkdir(parents=True)
        write_trial(place, record_of(planned, 1.0))
    judged, acts = list[int](), list[str]()
    monkeypatch.setattr(conductor, "ending_of", lambda _plan, records: judged.append(len(records)))
    monkeypatch.setattr(conductor, "blocks_wanted", lambda _plan, records: 2 + len(records))
    monkeypatch.setattr(Conductor, "_wait_for_session", lambda _self: acts.append("wait"))

    def session(self: Conductor, inflight: Inflight | None) -> None:
        acts.append(f"session {inflight}")
        self._ending = Ending.REACHED

    monkeypatch.setattr(Conductor, "_session", session)
    context = TrialContext(tmp_path)
    context.conductor._conduct()
    assert context.rows.records == [0, 1]
    assert judged == [2]
    assert context.conductor._wanted == 4
    assert acts == ["wait", "session None"]


@pytest.mark.parametrize("ending", [None, Ending.BUDGET])
def test_how_it_ended_is_written_into_its_plan_beside_what_else_came_to_stand_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: Ending | None
) -> None:
    monkeypatch.setattr(conductor, "ending_of", lambda _plan, _records: ending)
    monkeypatch.setattr(conductor, "blocks_wanted", lambda _plan, _records: 4)
    context, folder = TrialContext(tmp_path), tmp_path / "activity"
    folder.mkdir()
    kept = replace(PLAN, doubts=(("busy", "It was busy."),))
    write_activity(folder, kept)
    for trial in TRIALS:
        if trial.block < 2:
            context.conductor._take(record_of(trial, 1.0))
    context.conductor._judge()
    ended = None if ending is None else Ended(ending, 2)
    assert read_activity(folder) == replace(kept, ended=ended)
    monkeypatch.setattr(conductor, "ending_of", lambda _plan, _records: Ending.NEVER)
    context.conductor._judge()
    assert read_activity(folder).ended == (ended or Ended(Ending.NEVER, 2))


@contextmanager
def opened(visit: Any) -> Iterator[Any]:
    yield visit


def visiting(context: TrialContext, trials: list[PlannedTrial], monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Make a visit and return which trials ran under which label."""
    ran: list[Any] = []
    visit: Any = SimpleNamespace(guest=None, beside=())

    def run(_self: Conductor, where: Any, planned: PlannedTrial, label: str) -> bool:
        assert where is visit
        ran.append((planned.index, label))
        return True

    asked: list[PlannedTrial] = []
    monkeypatch.setattr(Conductor, "_trial", run)
    monkeypatch.setattr(conductor, "keep_visit", lambda folder, one: ran.append((folder.name, one is visit)))
    place: Any = SimpleNamespace(visit=lambda first: asked.append(first) or opened(visit))
    context.conductor._visit(place, trials)
    assert asked == trials[:1]
    return ran


def test_a_visit_runs_its_trials_under_the_label_of_its_arm_and_keeps_what_it_saw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("spin", "turn")
    trials = plan_trials(names, blocks=1, seed=1)
    plan = plan_of(trials, workloads=tuple(replace(WORKLOAD, name=name) for name in names))
    context = TrialContext(tmp_path, plan)
    first = [trial for trial in trials if trial.slot == 0]
    label = plan.arm_of(first[0]).label
    assert visiting(context, first, monkeypatch) == [
        ("activity", True),
        *((one.index, label) for one in first),
    ]


def test_trials_that_are_no_longer_wanted_do_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = TrialContext(tmp_path)
    context.conductor._ending = Ending.REACHED
    assert visiting(context, [TRIALS[0]], monkeypatch) == [("activity", True)]


def test_a_visit_of_two_blocks_ends_where_the_second_waits_for_its_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trials = plan_trials(("spin",), blocks=3, seed=1, shape=Shape.CHAINED)
    pair = [trials[1], trials[2]]
    assert pair[0].block != pair[1].block
    plan = plan_of(trials, goal=Goal(shape=Shape.CHAINED))
    asked: list[int] = []
    for waits, ran in ((True, [1]), (False, [1, 2])):
        monkeypatch.setattr(
            Conductor, "_waits", lambda _self, block, waits=waits: asked.append(block) or waits
        )
        found = visiting(TrialContext(tmp_path, plan), pair, monkeypatch)
        assert [index for index, _ in found[1:]] == ran
    assert asked == [pair[1].block] * 2


def test_a_trial_runs_with_what_all_share_and_its_rejections_are_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[Any] = []

    def run(*given: object, tell: Any) -> Trial:
        reported.append(given)
        tell("it was disturbed")
        return record_of(TRIALS[0], 1.0)

    monkeypatch.setattr(conductor, "time", Clock())
    monkeypatch.setattr(conductor, "run_undisturbed", run)
    context = TrialContext(tmp_path)
    visit: Any = SimpleNamespace(preparing_s=0.0, beside=())
    context.conductor._trial(visit, TRIALS[0], "host")
    assert reported == [(context.conductor._context, visit, TRIALS[0], WORKLOAD)]
    assert context.watcher.of("warn") == ["it was disturbed"]
    assert context.rows.records == [0]
    shared = context.conductor._context
    assert (shared.plan, shared.folder, shared.interrupts) == (
        PLAN, tmp_path / "activity", context.conductor._interrupts,
    )  # fmt: skip
    count = len(context.watcher.of("progress"))
    shared.on_tick()
    assert len(context.watcher.of("progress")) == count + 1


def test_what_is_collected_late_is_collected_with_its_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[Any] = []
    visit: Any = SimpleNamespace(probe=SimpleNamespace(status=lambda _into: SimpleNamespace(state="ended")))
    monkeypatch.setattr(
        conductor, "collect", lambda *given: reported.append(given) or record_of(given[2], 1.0)
    )
    (tmp_path / "activity").mkdir()
    write_inflight(tmp_path / "activity", NOTE)
    context = TrialContext(tmp_path)
    asked: list[Any] = []
    place: Any = SimpleNamespace(revisit=lambda *given: asked.append(given) or opened(visit))
    context.conductor._recover(place, NOTE)
    assert asked == [(TRIALS[1], "guest-b0")]
    assert reported == [(context.conductor._context, visit, TRIALS[1], WORKLOAD, NOTE)]
    assert context.watcher.of("step") == [f"looking for the trial that was cut off ({TRIALS[1].name})"]
    assert read_inflight(tmp_path / "activity") is None


def test_a_try_that_was_rejected_is_not_collected_again(tmp_path: Path) -> None:
    folder = tmp_path / "activity"
    place = folder / "rejected" / f"{TRIALS[1].name}.1"
    place.mkdir(parents=True)
    record = record_of(TRIALS[1], 1.0)
    write_trial(place, record)
    note = replace(NOTE, started_ns=record.started_ns)
    ended: list[str | None] = []
    TrialContext(tmp_path).conductor._recover(
        cast("Any", SimpleNamespace(end_guest=lambda _trial, name: ended.append(name))), note
    )
    assert ended == ["guest-b0"]
    assert read_inflight(folder) is None


def test_it_is_judged_once_a_block_is_whole_and_not_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[int] = []
    monkeypatch.setattr(conductor, "ending_of", lambda _plan, records: judged.append(len(records)))
    monkeypatch.setattr(conductor, "look_text", lambda _plan, _records: None)
    context = TrialContext(tmp_path)
    for trial in TRIALS[:4]:
        context.conductor._keep(record_of(trial, 1.0))
    assert judged == [3]
    assert context.watcher.of("look") == [], "nothing to say"
