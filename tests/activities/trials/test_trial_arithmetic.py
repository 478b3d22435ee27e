"""What is subtracted around a trial, and how long a clock is waited for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities.trials import trial
from assay.activities.trials.inflight import Inflight
from assay.activities.trials.trial import (
    GRACE_S,
    LATE_S,
    clock_over,
    contained_since,
    end_left,
    settle,
    spent,
    stop_job,
)
from assay.activities.visits.visit import Visit
from assay.design import plan_trials
from assay.model.machines.clock import ClockReading
from assay.model.platforms.container import Container, Runtime
from assay.model.platforms.platform import HypervisorCpu

S = 10**9
BEFORE = ClockReading(100 * S, 5 * S, 0.0, 0.001)
NOTE = Inflight(0, "/d/t", "boot", None, 0, None, None)


def visit_with(**parts: object) -> Any:
    return SimpleNamespace(**parts)


def test_what_qemu_used_over_a_trial_is_the_difference_of_every_count() -> None:
    before, after = HypervisorCpu(10.0, 4.0, 100, 50, 7), HypervisorCpu(13.0, 5.5, 160, 51, 9)
    assert spent(before, after) == HypervisorCpu(3.0, 1.5, 60, 1, 2)
    assert spent(HypervisorCpu(0.0, 0.0, 0, 0, 0), after) == after


def test_migrations_are_subtracted_thread_by_thread_and_told_of_the_same_threads_alone() -> None:
    before, after = (HypervisorCpu(1.0, 1.0, vcpu_migrations=moved) for moved in ((3, 10), (3, 14)))
    found = spent(before, after)
    assert found is not None
    assert found.vcpu_migrations == (0, 4)
    for other in (None, (3,), (3, 14, 0)):
        grown = spent(before, replace(after, vcpu_migrations=other))
        assert grown == HypervisorCpu(0.0, 0.0)
        assert spent(replace(before, vcpu_migrations=other), after) == HypervisorCpu(0.0, 0.0)


@pytest.mark.parametrize("name", ["exits", "page_table_faults", "tlb_flushes"])
@pytest.mark.parametrize("missing", ["before", "after"])
def test_a_count_that_one_reading_lacks_is_not_told(name: str, missing: str) -> None:
    readings = {"before": HypervisorCpu(1.0, 1.0, 1, 1, 1), "after": HypervisorCpu(2.0, 2.0, 2, 2, 2)}
    readings[missing] = replace(readings[missing], **{name: None})
    found = spent(**readings)
    assert found == replace(HypervisorCpu(1.0, 1.0, 1, 1, 1), **{name: None})


def test_without_one_of_the_readings_nothing_is_told_of_qemu() -> None:
    assert spent(None, HypervisorCpu(1.0, 1.0)) is None
    assert spent(HypervisorCpu(1.0, 1.0), None) is None


def readings(*found: ClockReading | None) -> Callable[[], ClockReading | None]:
    return iter(found).__next__


def later(seconds: float, uncertainty_s: float = 0.001) -> ClockReading:
    ns = round(seconds * S)
    return ClockReading(100 * S + ns, 5 * S + 2 * ns, 0.0, uncertainty_s)


def test_after_a_long_trial_the_clock_is_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(trial.time, "sleep", slept.append)
    found = clock_over(visit_with(clock=readings(later(1.0))), BEFORE)
    assert found is not None
    assert (found.rate, found.after, slept) == (2.0, later(1.0), [])


def test_a_rate_that_is_known_just_well_enough_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial.time, "sleep", pytest.fail)
    monkeypatch.setattr(trial, "KNOWN_RATE", 0.004)
    assert clock_over(visit_with(clock=readings(later(0.5))), BEFORE) is not None


def test_after_a_short_trial_just_the_time_that_is_lacking_is_waited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(trial.time, "sleep", slept.append)
    monkeypatch.setattr(trial, "KNOWN_RATE", 0.004)
    monkeypatch.setattr(trial, "MOST_RATE_ERROR", 9.0)
    found = clock_over(visit_with(clock=readings(later(0.125), later(0.625)), first_clock=None), BEFORE)
    assert slept == [pytest.approx(0.5 - 0.125)]
    assert found is not None
    assert found.after == later(0.625)


def test_no_clock_is_waited_for_longer_than_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(trial.time, "sleep", slept.append)
    monkeypatch.setattr(trial, "MOST_RATE_ERROR", 9.0)
    found = clock_over(visit_with(clock=readings(later(1.0, 0.5), None), first_clock=None), BEFORE)
    assert slept == [60.0]
    assert found is not None
    assert found.after == later(1.0, 0.5), "what is known, where the second comparison fails"


def test_a_clock_that_was_off_in_its_trial_is_not_told_by_a_mean_over_a_longer_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trial.time, "sleep", pytest.fail)
    monkeypatch.setattr(trial, "KNOWN_RATE", 0.0001)
    found = clock_over(visit_with(clock=readings(later(1.0)), first_clock=later(-99.0)), BEFORE)
    assert found is not None
    assert found.before == BEFORE


def test_a_reading_of_an_earlier_boot_of_the_controller_is_replaced_by_the_visit_s_first() -> None:
    visit = visit_with(clock=readings(later(2.0)), first_clock=later(1.0))
    found = clock_over(visit, later(900.0))
    assert found is not None
    assert (found.before, found.rate) == (later(1.0), 2.0)
    alone = visit_with(clock=readings(later(2.0), later(2.0)), first_clock=None)
    assert clock_over(alone, later(900.0)) is None


def test_the_controller_s_own_clock_is_not_compared() -> None:
    assert clock_over(visit_with(clock=pytest.fail), None) is None
    assert clock_over(visit_with(clock=lambda: None), BEFORE) is None


def test_a_container_is_told_with_what_it_used_since_the_start() -> None:
    contained = Container(Runtime.RUNC, "1", "host", None, (), (0,), None, None, None, ())
    note = replace(NOTE, container_cpu_s=2.0)
    found = contained_since(visit_with(container_cpu_s=lambda: 3.5, contained=contained), note)
    assert found == replace(contained, cpu_s=1.5)
    for before, after in ((None, 3.5), (2.0, None)):
        visit = visit_with(container_cpu_s=lambda after=after: after, contained=contained)
        assert contained_since(visit, replace(NOTE, container_cpu_s=before)) == replace(contained, cpu_s=None)
    assert contained_since(visit_with(container_cpu_s=lambda: None, contained=None), NOTE) is None


class Jobs:
    """A probe that tells one state after the other, and notes what it is told."""

    def __init__(self, *states: str) -> None:
        self.states, self.acts = iter(states), list[object]()

    def status(self, _into: str) -> object:
        return SimpleNamespace(state=next(self.states))

    def stop(self, into: str) -> None:
        self.acts.append(f"stop {into}")

    def wait(self, into: str, *, limit_s: float) -> None:
        self.acts.append((into, limit_s))

    def remove(self, path: str) -> None:
        self.acts.append(f"remove {path}")


REMOVED = ["remove /d/t.work", "remove /d/t"]


@pytest.mark.parametrize(
    ("states", "acts"),
    [
        (("absent", "absent"), []),
        (("ended", "ended"), []),
        (("lost", "lost"), ["stop /d/t"]),
        (("running", "ended"), ["stop /d/t"]),
        (("running", "running"), ["stop /d/t", ("/d/t", GRACE_S + LATE_S)]),
    ],
)
def test_a_job_that_nobody_wants_is_ended_before_its_folders_go(
    states: tuple[str, ...], acts: list[object]
) -> None:
    jobs = Jobs(*states)
    stop_job(visit_with(probe=jobs), "/d/t")
    assert jobs.acts == [*acts, *REMOVED]


def test_what_a_cut_off_process_left_of_a_trial_lies_under_its_name() -> None:
    (planned, *_) = plan_trials(("spin",), blocks=1, seed=1)
    jobs = Jobs("absent", "absent")
    end_left(cast("Visit", visit_with(probe=jobs, directory="/d", jobs=None)), planned)
    assert jobs.acts == [f"remove /d/{planned.name}.work", f"remove /d/{planned.name}"]


def test_a_settled_record_has_its_name_and_no_other(tmp_path: Path) -> None:
    fetched = tmp_path / "trials" / ".new"
    (fetched / "deep").mkdir(parents=True)
    (fetched / "deep" / "file").write_text("x")
    settle(fetched, tmp_path / "rejected" / "a.1")
    assert (tmp_path / "rejected" / "a.1" / "deep" / "file").read_text() == "x"
    assert not fetched.exists()
