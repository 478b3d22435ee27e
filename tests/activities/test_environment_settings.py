"""Settings of the host around an environment's visits: put back before machines are looked at, looked at
where in force.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities import environment as environments
from assay.activities.environment import Environment
from assay.activities.fingerprints import keep_visit
from assay.activities.interrupts import Interrupts
from assay.activities.places import shared
from assay.activities.places.shared import Shared
from assay.activities.visits.visit import Visit
from assay.design import plan_trials
from assay.model.activity import ActivityPlan, PlannedArm, PlannedGuest
from assay.model.machines.machine import Fingerprint, Limits
from assay.model.platforms.data import DataFile, DataSet
from assay.model.trial import Arm
from assay.model.work.page_cache import CacheState
from assay.platforms.host.settings import HeldSettings
from assay.store.fingerprints import read_kept_fingerprint
from tests.builders import FACTS, plan_of

TRIALS = plan_trials(("spin",), blocks=1, seed=1)
OTHER = next(trial for trial in TRIALS if trial.arm is Arm.TREATMENT)
SET = replace(plan_of(TRIALS).treatment, host_settings=(("host.thp", "never"),))
SEEN = Fingerprint(FACTS, {}, 5)


class Place:
    """A machine on which a job was left running, and what was done there."""

    def __init__(self) -> None:
        self.acts: list[str] = []
        self.running, self.thp = True, "madvise"

    def facts(self) -> object:
        return replace(FACTS, thp=self.thp)

    def status(self, _into: str) -> object:
        return SimpleNamespace(state="running" if self.running else "absent")

    def stop(self, into: str) -> None:
        self.running = False
        self.acts.append(f"stop {into}")

    def remove(self, _path: str) -> None:
        pass

    def claim(self, _by: object) -> None:
        pass

    @contextmanager
    def visit(self, arm: PlannedArm, _activity: str, *, home: Path) -> Iterator[Visit]:
        self.acts.append(f"look at {arm.label}")
        seen = replace(SEEN, facts=replace(FACTS, thp=self.thp))
        yield Visit(
            arm.label, cast("Any", self), lambda *_: None, seen, Limits(), "boot", "/d", own_clock=False
        )

    @contextmanager
    def settings(self, settings: dict[str, str], **_: object) -> Iterator[HeldSettings]:
        self.acts.append(f"hold {settings}")
        before, self.thp = self.thp, settings.get("host.thp", self.thp)
        yield HeldSettings()
        self.thp = before


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Place:
    place = Place()
    monkeypatch.setattr(shared, "machine_visit", place.visit)
    for module in (environments, shared):
        monkeypatch.setattr(module, "host_settings", place.settings)
    monkeypatch.setattr(environments, "verify_host", lambda *_: ())
    return place


def environment_of(plan: ActivityPlan, home: Path) -> Environment:
    quiet = SimpleNamespace(step=lambda _text: None, warn=lambda _text: None)
    return Environment(plan, home, cast("Any", quiet), Interrupts())


def test_what_a_crash_left_is_put_back_before_a_machine_is_looked_at(place: Place, tmp_path: Path) -> None:
    assert environment_of(plan_of(TRIALS), tmp_path)._shared.carrier
    assert place.acts == ["hold {}", "look at host"]


def test_the_facts_of_a_visit_are_those_under_its_settings_and_no_others(
    place: Place, tmp_path: Path
) -> None:
    environment = environment_of(plan_of(TRIALS, treatment=SET), tmp_path)
    for arm in environment._plan.arms:
        environment._shared.machine(arm)  # as opening the environment does
    with environment.visit(OTHER) as visit:
        assert visit.facts.thp == "never"
        keep_visit(tmp_path, visit)
    assert read_kept_fingerprint(tmp_path / "facts" / "boot.json").facts.thp == "madvise"
    with environment.visit(replace(OTHER, arm=Arm.BASELINE)) as visit:
        assert visit.facts.thp == "madvise"


def test_each_visit_of_a_swept_machine_has_the_limits_and_the_cache_of_its_own_level(
    place: Place, tmp_path: Path
) -> None:
    first = plan_of(TRIALS).treatment
    levels = [
        replace(first, label=f"{state}", limits=Limits((number,)), cache=state)
        for number, state in enumerate(CacheState)
    ]
    environment = environment_of(
        replace(plan_of(TRIALS, treatment=levels[0]), more=tuple(levels[1:])), tmp_path
    )
    for number in (1, 0, 1):
        with environment.visit(replace(OTHER, level=number)) as visit:
            assert (visit.limits, visit.cache) == (levels[number].limits, levels[number].cache)
    with environment.visit(replace(OTHER, arm=Arm.BASELINE)) as visit:
        assert visit.cache is None


def test_a_trial_that_was_cut_off_under_settings_is_ended_and_never_collected(
    place: Place, tmp_path: Path
) -> None:
    with environment_of(plan_of(TRIALS, treatment=SET), tmp_path).revisit(OTHER, None) as visit:
        assert visit is None
    assert f"stop /d/{OTHER.name}" in place.acts
    with environment_of(plan_of(TRIALS), tmp_path).revisit(OTHER, None) as visit:
        assert visit is not None


def test_a_guest_that_was_cut_off_under_settings_of_its_host_is_removed_and_not_collected(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gone: list[str] = []
    found = SimpleNamespace(destroy=lambda: gone.append("guest"))
    monkeypatch.setattr("assay.platforms.libvirt.provider.find_guest", lambda *_, **__: found)
    monkeypatch.setattr(Shared, "connection", lambda _self: None)
    arm = replace(SET, guest=PlannedGuest(1, 1 << 30, "none", "0123"))
    with environment_of(plan_of(TRIALS, treatment=arm), tmp_path).revisit(OTHER, "assay-b0") as visit:
        assert visit is None
    assert gone == ["guest"]


@pytest.mark.parametrize(("way", "kept"), [("nfs", False), ("virtiofs", False), ("local", True)])
def test_a_trial_that_was_cut_off_with_data_from_a_server_is_never_collected(
    place: Place, tmp_path: Path, way: str, kept: bool
) -> None:
    arm = replace(plan_of(TRIALS).treatment, data=(("data.access", way),))
    plan = plan_of(TRIALS, treatment=arm, data=DataSet((DataFile("f0000", 1),)))
    with environment_of(plan, tmp_path).revisit(OTHER, None) as visit:
        assert (visit is not None) is kept
    assert (f"stop /d/{OTHER.name}" in place.acts) is not kept


def test_a_guest_that_was_cut_off_with_data_from_a_server_is_removed_and_not_collected(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gone: list[str] = []
    found = SimpleNamespace(destroy=lambda: gone.append("guest"))
    monkeypatch.setattr("assay.platforms.libvirt.provider.find_guest", lambda *_, **__: found)
    monkeypatch.setattr(Shared, "connection", lambda _self: None)
    wanted, nfs = PlannedGuest(1, 1 << 30, "none", "0123"), (("data.access", "nfs"),)
    arm = replace(plan_of(TRIALS).treatment, guest=wanted, data=nfs)
    plan = plan_of(TRIALS, treatment=arm, data=DataSet((DataFile("f0000", 1),)))
    with environment_of(plan, tmp_path).revisit(OTHER, "assay-b0") as visit:
        assert visit is None
    assert gone == ["guest"]
