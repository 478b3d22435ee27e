"""A guest that ends under a trial fails it, with why; one that still runs keeps its record."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.activities import conductor
from assay.activities.trials import lost_trial
from assay.activities.trials.inflight import Inflight, read_inflight, write_inflight
from assay.activities.trials.lost_trial import why_ended
from assay.machines import UnreachableError
from assay.model.trial import State
from assay.store.record import read_trials, write_trial
from tests.activities.jobs import Jobs, bench_of, guest_of, visit_of
from tests.activities.test_conductor import PLAN, TRIALS, TrialContext
from tests.builders import record_of

NOTE = Inflight(0, "/d/t", "boot", "guest-b0", 5, None, None)


def failure_reason(monkeypatch: pytest.MonkeyPatch, why: str | None) -> None:
    monkeypatch.setattr(lost_trial, "failure_reason", lambda _domain: why)
    monkeypatch.setattr(lost_trial, "SEEN_WITHIN_S", 0.0)


def guest(jobs: Jobs) -> Any:
    visit = guest_of(jobs)
    visit.guest.domain = object()  # type: ignore[union-attr]
    visit.guest.spec = SimpleNamespace(console=Path("/nowhere"))  # type: ignore[union-attr]
    return visit


def test_only_guests_can_end_under_a_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    failure_reason(monkeypatch, "its QEMU has ended")
    one, beside = visit_of(Jobs()), guest(Jobs())
    assert why_ended(one) is None
    assert why_ended(beside) == "its QEMU has ended"
    one.beside = (beside,)
    assert why_ended(one) == "its QEMU has ended"
    failure_reason(monkeypatch, None)
    assert why_ended(beside) is None


def test_an_end_that_is_seen_later_than_the_connection_is_told_with_the_last_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = [None, None, "its QEMU has ended"]
    monkeypatch.setattr(lost_trial, "failure_reason", lambda _domain: seen.pop(0))
    monkeypatch.setattr(lost_trial, "end_of_console", lambda _guest: "last console lines: Kernel panic")
    assert why_ended(guest(Jobs())) == "its QEMU has ended; last console lines: Kernel panic"


@pytest.fixture
def lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[TrialContext, Any]:
    """Return a conductor whose guest does not answer any more in its first trial."""
    context = TrialContext(tmp_path)
    context.conductor._context = bench_of(PLAN, tmp_path / "activity")
    write_inflight(tmp_path / "activity", NOTE)

    def run(*_: object, **__: object) -> None:
        raise UnreachableError("guest does not answer", machine="guest")

    monkeypatch.setattr(conductor, "run_undisturbed", run)
    return context, guest(Jobs())


def test_a_guest_that_ended_leaves_a_failed_record_and_the_visit_ends(
    lost: tuple[TrialContext, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failure_reason(monkeypatch, "its QEMU has ended")
    context, visit = lost
    assert context.conductor._trial(visit, TRIALS[0], "guest") is False
    (record,) = read_trials(tmp_path / "activity")
    assert (record.state, record.measurements, record.usage, record.exit_code) == (
        State.FAILED,
        (),
        None,
        None,
    )
    assert record.cause == "its guest ended under it: guest does not answer; its QEMU has ended"
    assert (record.started_ns, record.boot) == (NOTE.started_ns, visit.boot)
    assert read_inflight(tmp_path / "activity") is None
    assert context.rows.records == [0]


def test_a_guest_that_ended_once_its_record_was_home_keeps_that(
    lost: tuple[TrialContext, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failure_reason(monkeypatch, "its QEMU has ended")
    context, visit = lost
    place = tmp_path / "activity" / "trials" / TRIALS[0].name
    place.mkdir(parents=True)
    write_trial(place, record_of(TRIALS[0], 1.0))
    assert context.conductor._trial(visit, TRIALS[0], "guest") is False
    (record,) = read_trials(tmp_path / "activity")
    assert record.state is State.ENDED
    assert context.rows.records == [0]


def test_a_guest_that_still_runs_keeps_its_trial_under_way(
    lost: tuple[TrialContext, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failure_reason(monkeypatch, None)
    context, visit = lost
    with pytest.raises(UnreachableError):
        context.conductor._trial(visit, TRIALS[0], "guest")
    assert list(read_trials(tmp_path / "activity")) == []
    assert read_inflight(tmp_path / "activity") == NOTE


def test_a_visit_whose_guest_ended_is_left(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    context, ran = TrialContext(tmp_path), list[int]()
    one, two, *_ = TRIALS
    monkeypatch.setattr(
        context.conductor, "_trial", lambda _stage, planned, _label: ran.append(planned.index)
    )
    monkeypatch.setattr(conductor, "keep_visit", lambda *_: None)
    visit = SimpleNamespace(guest=None, beside=(), inputs={})

    class Environment:
        def visit(self, _: object) -> Any:
            from contextlib import nullcontext

            return nullcontext(visit)

    context.conductor._visit(Environment(), [one, replace(two, block=one.block)])  # type: ignore[arg-type]
    assert ran == [one.index]
