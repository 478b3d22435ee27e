"""A resume while a machine is away, or after a kill at the worst moment: nothing runs twice, nothing stays
behind.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities import conductor
from assay.activities.trials.inflight import Inflight, is_collected, read_inflight, write_inflight
from assay.machines import TransferError, UnreachableError
from assay.model.errors import AssayError, MissingError
from assay.model.machines.machine import Machine, Reach
from assay.platforms.errors import PlatformError
from assay.probe import LostJobError, ResultError
from assay.store.record import write_activity, write_trial
from tests.activities.test_conductor import GUEST, PLAN, TRIALS, TrialContext
from tests.builders import record_of

NOTE = Inflight(1, "/d/t", "boot", None, 5, None, None)
FAR = replace(PLAN.baseline, machine=Machine("far", Reach.SSH, "far.site"))


def unreachable() -> AssayError:
    return UnreachableError("cannot reach far", machine="far")


class Environment:
    """An environment that cannot be revisited for a reason."""

    def __init__(self, error: AssayError) -> None:
        self.error = error

    @contextmanager
    def revisit(self, *_: object) -> Iterator[None]:
        raise self.error
        yield


def recovered(home: Path, error: AssayError, plan: Any = PLAN, note: Inflight = NOTE) -> TrialContext:
    context = TrialContext(home, plan)
    (home / "activity").mkdir(exist_ok=True)
    write_inflight(home / "activity", note)
    context.conductor._recover(Environment(error), note)  # type: ignore[arg-type]
    return context


@pytest.mark.parametrize(
    "error",
    [unreachable(), TransferError("no space left"), MissingError("no program"), PlatformError("refused")],
)
def test_an_outage_keeps_the_note_and_ends_the_resume(tmp_path: Path, error: AssayError) -> None:
    with pytest.raises(type(error)):
        recovered(tmp_path, error)
    assert read_inflight(tmp_path / "activity") == NOTE


@pytest.mark.parametrize("error", [LostJobError("gone", machine="far"), ResultError("damaged")])
def test_a_machine_that_says_that_the_job_is_gone_lets_it_run_again(
    tmp_path: Path, error: AssayError
) -> None:
    context = recovered(tmp_path, error)
    assert read_inflight(tmp_path / "activity") is None
    (said,) = context.watcher.of("warn")
    assert "is lost and will run again" in said


def test_a_guest_of_this_machine_that_does_not_answer_is_given_up_and_one_elsewhere_is_not(
    tmp_path: Path,
) -> None:
    note = replace(NOTE, guest="assay-0123abcd-b0")
    recovered(tmp_path, unreachable(), replace(PLAN, treatment=GUEST), note)
    assert read_inflight(tmp_path / "activity") is None
    far = replace(PLAN, baseline=FAR, treatment=replace(GUEST, machine=FAR.machine))
    with pytest.raises(UnreachableError):
        recovered(tmp_path, unreachable(), far, note)
    assert read_inflight(tmp_path / "activity") == note


@pytest.fixture
def activity(tmp_path: Path) -> Path:
    folder = tmp_path / "activities" / PLAN.id
    (folder / "trials").mkdir(parents=True)
    write_activity(folder, PLAN)
    return folder


def test_a_record_is_collected_where_none_is_under_way_or_it_is_home(activity: Path, tmp_path: Path) -> None:
    assert is_collected(tmp_path, PLAN.id)
    write_inflight(activity, NOTE)
    assert not is_collected(tmp_path, PLAN.id)
    place = activity / "trials" / TRIALS[1].name
    place.mkdir()
    assert not is_collected(tmp_path, PLAN.id)
    write_trial(place, record_of(TRIALS[1], 1.0))
    assert is_collected(tmp_path, PLAN.id)


def test_the_record_of_an_activity_that_we_may_not_look_into_is_not_taken_for_collected(
    activity: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Path, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as another:
        another.setattr(Path, "stat", refuse)
        assert not is_collected(tmp_path, PLAN.id)
    assert is_collected(tmp_path, PLAN.id)


def test_a_rejected_try_is_collected_too_and_only_that_try(activity: Path, tmp_path: Path) -> None:
    record = record_of(TRIALS[1], 1.0)
    place = activity / "rejected" / f"{TRIALS[1].name}.1"
    place.mkdir(parents=True)
    write_trial(place, record)
    write_inflight(activity, NOTE)
    assert not is_collected(tmp_path, PLAN.id)
    write_inflight(activity, replace(NOTE, started_ns=record.started_ns))
    assert is_collected(tmp_path, PLAN.id)


def test_nothing_can_collect_for_an_activity_that_is_gone_and_what_cannot_be_read_may_want_it(
    activity: Path, tmp_path: Path
) -> None:
    assert is_collected(tmp_path, "89abcdef")
    (activity / "inflight.json").write_text("{")
    assert not is_collected(tmp_path, PLAN.id)
    write_inflight(activity, replace(NOTE, index=len(TRIALS)))
    assert not is_collected(tmp_path, PLAN.id)


class Ended:
    """An environment that notes that what was left is ended."""

    acts: list[str]

    def __init__(self, *_: object) -> None:
        pass

    def end_left(self) -> None:
        self.acts.append("end left")

    def close(self) -> None:
        self.acts.append("close")


@pytest.mark.parametrize("error", [None, unreachable()])
def test_the_resume_of_a_complete_activity_ends_what_is_left_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: AssayError | None
) -> None:
    Ended.acts = []

    def refuse(_: Ended) -> None:
        raise error or AssertionError

    monkeypatch.setattr(conductor, "Environment", Ended)
    if error is not None:
        monkeypatch.setattr(Ended, "end_left", refuse)
    context = TrialContext(tmp_path)
    for trial in TRIALS:
        place = tmp_path / "activity" / "trials" / trial.name
        place.mkdir(parents=True)
        write_trial(place, record_of(trial, 1.0))
    context.conductor._conduct()
    assert Ended.acts == (["end left", "close"] if error is None else ["close"])
    assert len(context.watcher.of("warn")) == (error is not None)


def test_files_that_a_kill_left_half_written_go_with_the_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Ended.acts = []
    monkeypatch.setattr(conductor, "Environment", Ended)
    context, folder = TrialContext(tmp_path), tmp_path / "activity"
    for trial in TRIALS:
        (folder / "trials" / trial.name).mkdir(parents=True)
        write_trial(folder / "trials" / trial.name, record_of(trial, 1.0))
    (folder / "facts").mkdir()
    half = [folder / ".result.json.new", folder / "facts" / ".b1.json.new"]
    kept = [folder / "facts" / "b1.json", folder / "notes.new"]
    for file in (*half, *kept):
        file.touch()
    context.conductor._conduct()
    assert [file.exists() for file in (*half, *kept)] == [False, False, True, True]
