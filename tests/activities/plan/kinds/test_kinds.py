"""Every kind of place can be planned, and a new one is a class of its own and one line in a table."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast, get_args

import pytest

from assay.activities.places.table import PLACES
from assay.activities.plan.arms import Arms
from assay.activities.plan.disk_room import ALLOWANCE_BYTES, check_disk, disk_room
from assay.activities.plan.kinds import table
from assay.activities.plan.kinds.kind import Asked, OwnDisk, PlaceKind
from assay.model.activity import ActivityPlan, PlannedArm, PlannedGuest, PlannedPlace
from assay.model.errors import MissingError
from assay.model.machines.machine import Limits, Machine
from assay.model.machines.processors import Controller
from assay.model.units import BYTES
from assay.scenes import Scene
from assay.workloads import Parameters, Sizes, with_parameters
from tests.activities.toy import Toy, ToyArm
from tests.builders import FACTS, plan_of
from tests.factors.parts import FakeHost

MIB = BYTES["MiB"]
HOST = PlannedArm("host", Machine("local"), Limits((1,)))
SIZES = Sizes(cache_bytes=None, memory_bytes=1 << 30, cpus=1)


class ToyKind:
    """A place with a small disk of its own."""

    def arms(self, asked: Asked) -> Arms:
        toy = ToyArm(asked.scene.treatment.name, asked.machine, HOST.limits)  # type: ignore[union-attr]
        return Arms(HOST, toy, SIZES)

    def visit_bytes(self, plan: ActivityPlan, arm: PlannedArm, home: Path) -> int:
        del plan, arm, home
        return 7

    def own_disk(self, arm: PlannedArm, home: Path) -> OwnDisk | None:
        del home
        return OwnDisk(f"the disk of {arm.label}", 2 * MIB, "a larger toy", holds_data=False)


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cast("dict[type, PlaceKind]", table.KINDS), Toy, ToyKind())


def test_every_kind_of_place_is_planned_and_opened() -> None:
    kinds = set(get_args(PlannedPlace))
    assert set(table.KINDS) == kinds
    assert set(PLACES) == kinds


@pytest.mark.usefixtures("toys")
def test_a_new_kind_is_planned_by_its_line_alone(tmp_path: Path) -> None:
    asked = cast(
        "Scene",
        SimpleNamespace(
            baseline="local",
            treatment=Toy("bear"),
            more=(),
            controlled=Controller.OWN_CORE,
            baseline_processors=None,
        ),
    )
    store = cast("Any", SimpleNamespace(machine=Machine))
    arms = table.find_arms(asked, FACTS, home=tmp_path, store=store, image=lambda _: "none", host=FakeHost())
    assert (arms.baseline, arms.treatment.label) == (HOST, "bear")
    small = with_parameters("iozone-by-fio", Parameters(size_bytes=MIB), sizes=SIZES)
    plan = plan_of((), workloads=(small,), baseline=arms.treatment, treatment=arms.treatment)
    assert disk_room(plan, tmp_path).bytes == ALLOWANCE_BYTES + 7
    check_disk(plan, tmp_path)
    large = with_parameters("iozone-by-fio", Parameters(size_bytes=4 * MIB), sizes=SIZES)
    with pytest.raises(MissingError, match="the disk of bear has room for 2 MiB") as refused:
        check_disk(plan_of((), workloads=(large,), baseline=HOST, treatment=arms.treatment), tmp_path)
    assert refused.value.hint == "a smaller size or fewer copies, or a larger toy"


def test_an_arm_is_asked_for_what_it_is_alone() -> None:
    assert HOST.place_as(Machine) == HOST.machine
    with pytest.raises(TypeError, match="BUG: host is no PlannedGuest"):
        HOST.place_as(PlannedGuest)
