"""A trial that a former process left: waited for, brought home, or given up with a word."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities import conductor
from assay.activities.places.shared import Shared
from assay.activities.trials.inflight import Inflight, read_inflight, write_inflight
from assay.activities.trials.page_cache import Prepared
from assay.machines.errors import UnreachableError
from assay.model.activity import PlannedGuest
from assay.model.machines.clock import ClockReading
from assay.model.platforms.platform import HypervisorCpu
from assay.model.trial import Trial
from assay.model.work.page_cache import CacheOrder, CacheState, Residency
from tests.activities.test_conductor import PLAN, TRIALS, TrialContext
from tests.activities.test_environment_settings import environment_of
from tests.builders import WORKLOAD, plan_of, record_of

NOTE = Inflight(1, "/d/t", "boot", "guest-b0", 5, None, None)


class Probe:
    """Tells one state after the other."""

    def __init__(self, *states: str) -> None:
        self.states, self.waits = iter(states), list[tuple[str, float]]()

    def status(self, into: str) -> object:
        assert into == "/d/t"
        return SimpleNamespace(state=next(self.states))

    def wait(self, into: str, *, limit_s: float) -> None:
        self.waits.append((into, limit_s))


def recover(
    context: TrialContext,
    visit: object,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception | None = None,
    collecting: Callable[..., Trial] | None = None,
) -> None:
    """Let a conductor look for a trial that was left."""

    def collect(*given: Any) -> Trial:
        return record_of(given[2], 1.0)

    @contextmanager
    def revisit(*_given: object) -> Iterator[object]:
        if error is not None:
            raise error
        yield visit

    folder = context.home / "activity"
    folder.mkdir()
    write_inflight(folder, NOTE)
    monkeypatch.setattr(conductor, "collect", collecting or collect)
    context.conductor._recover(cast("Any", SimpleNamespace(revisit=revisit)), NOTE)
    assert read_inflight(folder) is None


@pytest.mark.parametrize(
    ("states", "waits", "kept"),
    [
        (["ended"], [], [1]),
        (["running", "ended"], [("/d/t", WORKLOAD.time_limit_s)], [1]),
        (["running", "lost"], [("/d/t", WORKLOAD.time_limit_s)], []),
        (["absent"], [], []),
    ],
)
def test_only_a_trial_that_came_to_its_end_is_brought_home(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    states: list[str],
    waits: list[tuple[str, float]],
    kept: list[int],
) -> None:
    context, probe = TrialContext(tmp_path), Probe(*states)
    recover(context, SimpleNamespace(probe=probe), monkeypatch)
    assert (probe.waits, context.rows.records, context.watcher.of("over")) == (waits, kept, kept)
    name = TRIALS[1].name
    assert context.watcher.of("warn") == ([] if kept else [f"{name} had not ended and will run again"])
    assert context.watcher.of("started") == [PLAN.arm_of(TRIALS[1]).label]


def test_of_a_guest_that_is_gone_nothing_is_brought_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = TrialContext(tmp_path)
    recover(context, None, monkeypatch)
    assert (context.rows.records, context.watcher.of("started"), context.watcher.of("warn")) == ([], [], [])


def test_a_trial_on_a_machine_that_is_lost_runs_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = TrialContext(tmp_path)
    recover(context, None, monkeypatch, UnreachableError("no answer", machine="node"))
    assert context.watcher.of("warn") == [f"{TRIALS[1].name} is lost and will run again: no answer"]


def test_a_note_that_cannot_be_followed_up_stays_for_the_next_process(tmp_path: Path) -> None:
    def end_guest(_trial: object, _name: str | None) -> None:
        msg = "no answer"
        raise UnreachableError(msg, machine="node")

    context = TrialContext(tmp_path, done=(record_of(TRIALS[1], 1.0),))
    (tmp_path / "activity").mkdir()
    write_inflight(tmp_path / "activity", NOTE)
    with pytest.raises(UnreachableError):
        context.conductor._recover(cast("Any", SimpleNamespace(end_guest=end_guest)), NOTE)
    assert read_inflight(tmp_path / "activity") == NOTE


def test_a_guest_whose_record_is_home_is_ended_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone: list[str] = []
    guests = {"guest-b0": SimpleNamespace(destroy=lambda: gone.append("guest-b0"))}
    monkeypatch.setattr(
        "assay.platforms.libvirt.provider.find_guest",
        lambda _connection, name, **_: guests.get(name),
    )
    monkeypatch.setattr(Shared, "connection", lambda _self: None)
    wanted = PlannedGuest(1, 1 << 30, "none", "0123")
    environment = environment_of(plan_of(TRIALS, treatment=replace(PLAN.treatment, guest=wanted)), tmp_path)
    for name in (None, "guest-b1", "guest-b0"):
        environment.end_guest(TRIALS[1], name)
    assert gone == ["guest-b0"]


def test_a_note_comes_back_as_it_was_written(tmp_path: Path) -> None:
    order = CacheOrder(CacheState.COLD, ("/a", "/b"), drop_all=True)
    whole = replace(
        NOTE,
        clock=ClockReading(1, 2, 0.5, 0.25),
        hypervisor_cpu=HypervisorCpu(1.0, 2.0, 3, None, 5, (6, 7)),
        cache=Prepared(order, ("/c",), Residency(1, 2, 3)),
        container_cpu_s=0.0,
        client_cpu_s=1.5,
        unwatched="no reason",
    )
    for note in (NOTE, whole):
        write_inflight(tmp_path, note)
        assert read_inflight(tmp_path) == note
