"""What every kind of place keeps to, and that a new kind is a class of its own and one line in a table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest

from assay.activities.interrupts import Interrupts
from assay.activities.places import added, machine_group, table
from assay.activities.places import shared as sharing
from assay.activities.places.added import AddedPlace
from assay.activities.places.container import ContainerPlace
from assay.activities.places.existing_guest import ExistingGuestPlace
from assay.activities.places.guest import GuestPlace
from assay.activities.places.guest_group import GuestGroupPlace
from assay.activities.places.machine import MachinePlace
from assay.activities.places.machine_group import MachineGroupPlace
from assay.activities.places.place import Place
from assay.activities.places.remote_guest import RemoteGuestGroupPlace, RemoteGuestPlace
from assay.activities.places.saved_state import SavedStatePlace
from assay.activities.places.shared import Shared
from assay.activities.places.table import place_of
from assay.activities.visits import guests as several
from assay.activities.visits.visit import Visit
from assay.model.activity import ActivityPlan, Beside, PlannedArm
from assay.model.machines.machine import Limits
from assay.model.platforms.container import PlannedContainer, Runtime
from assay.model.platforms.existing import DomainSpec
from assay.model.platforms.layout import Layout
from assay.model.platforms.plugin_place import PluginPlace
from assay.model.trial import PlannedTrial
from tests.activities.doubles import Door, Probe, Watcher, visit_at
from tests.activities.environment_world import (
    BASE,
    FAR,
    GUEST,
    HOST,
    OTHER,
    TRIALS,
    WANTED,
    World,
    environment_of,
    guests,
)
from tests.activities.test_visits import Site
from tests.activities.toy import Toy, ToyArm
from tests.builders import plan_of


@dataclass(frozen=True)
class ToyPlace:
    """A place that is made for each visit, and notes what is done with it."""

    arm: PlannedArm
    shared: Shared

    stands: ClassVar[bool] = False
    watched: ClassVar[bool] = False
    all_acts: ClassVar[list[str]] = []

    def prepare(self) -> None:
        self.all_acts.append("prepare")

    @contextmanager
    def open(self, trial: PlannedTrial) -> Iterator[Visit]:
        self.all_acts.append(f"open {trial.block}")
        try:
            yield visit_at(Door(name="toy"), Probe())
        finally:
            self.all_acts.append("gone")

    @contextmanager
    def reopen(self, trial: PlannedTrial, made: str | None) -> Iterator[Visit | None]:
        del trial, made
        yield None

    def end(self, made: str) -> None:
        self.all_acts.append(f"end {made}")

    def clear(self) -> None:
        self.all_acts.append("clear")


TOY = ToyArm("toy", HOST.machine, HOST.limits)
PAIR = replace(GUEST, guest=replace(WANTED, layout=Layout(2)), limits=Limits((1, 2)))
KINDS: dict[str, tuple[type, ActivityPlan]] = {
    "machine": (MachinePlace, plan_of(TRIALS)),
    "several machines": (
        MachineGroupPlace,
        plan_of(TRIALS, treatment=replace(HOST, beside=(Beside(FAR, Limits((0,))),))),
    ),
    "existing guest": (
        ExistingGuestPlace,
        plan_of(TRIALS, treatment=replace(HOST, label="web", machine=FAR, domain=DomainSpec("web"))),
    ),
    "container": (
        ContainerPlace,
        plan_of(TRIALS, treatment=replace(HOST, label="runc", container=PlannedContainer(Runtime.RUNC))),
    ),
    "guest": (GuestPlace, guests()),
    "saved state": (
        SavedStatePlace,
        guests(treatment=replace(GUEST, guest=replace(WANTED, restored=True))),
    ),
    "group of guests": (GuestGroupPlace, guests(treatment=PAIR)),
    "guest on another hypervisor": (
        RemoteGuestPlace,
        guests(baseline=replace(HOST, machine=FAR), treatment=replace(GUEST, machine=FAR)),
    ),
    "guests on another hypervisor": (
        RemoteGuestGroupPlace,
        guests(baseline=replace(HOST, machine=FAR), treatment=replace(PAIR, machine=FAR)),
    ),
    "place of a plug-in": (
        AddedPlace,
        plan_of(TRIALS, treatment=replace(HOST, label="room", plugin=PluginPlace("room"))),
    ),
    "toy": (ToyPlace, plan_of(TRIALS, treatment=TOY)),
}
MAKES = ("boot", "boot there", "restore", "container", "several", "open room")


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """Yield a place of each kind whose machines and hypervisors are doubles."""
    monkeypatch.setitem(cast("dict[type, table.PlaceMaker]", table.PLACES), Toy, ToyPlace)
    monkeypatch.setattr(sharing, "remote_site", world.inside("site", Site(world)))
    monkeypatch.setattr(several, "guest_visit", world.inside("inside", visit_at(Door(name="far"), Probe())))
    monkeypatch.setattr(ToyPlace, "all_acts", [])
    monkeypatch.setattr(machine_group, "end_left", world.noted("end left"))
    monkeypatch.setattr(added, "open_place", world.noted("open room"))
    monkeypatch.setattr(added, "added_visit", world.inside("inside", visit_at(Door(name="room"), Probe())))
    monkeypatch.setattr(added, "remove_place", lambda note: world.acts.append(f"destroy {note.spec.name}"))
    kind, plan = KINDS[request.param]
    with ExitStack() as stack:
        shared = Shared(plan, Path("/h"), cast("Any", Watcher()), Interrupts(), stack)
        made = place_of(plan.treatment, shared)
        assert type(made) is kind
        yield made


def left(world: World) -> int:
    """Return how many of the things that were made for visits are not gone."""
    names = world.names()
    made = sum(names.count(one) for one in MAKES)
    ended = sum(name.startswith("destroy ") or name == "leave several" for name in names)
    return (
        made
        - ended
        + sum(one.startswith("open") for one in ToyPlace.all_acts)
        - ToyPlace.all_acts.count("gone")
    )


def test_what_is_made_for_a_visit_is_gone_after_it(world: World, place: Place) -> None:
    place.prepare()
    for _ in range(2):
        with place.open(OTHER) as visit:
            assert visit.probe is not None
            made = 2 if isinstance(place, RemoteGuestGroupPlace) else 1
            assert left(world) == (0 if place.stands else made)
        assert left(world) == 0


def test_what_is_made_for_a_visit_that_fails_is_gone_too(world: World, place: Place) -> None:
    def fail() -> None:
        with place.open(OTHER):
            raise KeyboardInterrupt

    place.prepare()
    with pytest.raises(KeyboardInterrupt):
        fail()
    assert left(world) == 0


def test_of_a_visit_that_left_nothing_a_machine_is_there_and_what_is_made_is_not(place: Place) -> None:
    with place.reopen(OTHER, None) as visit:
        assert (visit is not None) is (place.stands and not isinstance(place, MachineGroupPlace))


def test_nothing_is_ended_twice_and_nothing_that_is_not_there(world: World, place: Place) -> None:
    if not isinstance(place, RemoteGuestPlace):  # the double there finds every name
        place.end("assay-b4")
    place.clear()
    place.clear()
    assert not [name for name in world.names() if name.startswith("destroy ")]


def test_machines_of_an_arm_are_joined_for_a_visit_and_apart_after_it(world: World) -> None:
    plan = plan_of(TRIALS, treatment=replace(HOST, label="both", beside=(Beside(FAR, Limits((3,))),)))
    environment = environment_of(plan)
    environment.open()
    with environment.visit(OTHER) as visit:
        (beside,) = visit.beside
        assert (beside.limits.cpus, beside.own_clock) == ((3,), True)
        assert (visit.joined, beside.joined) == (True, True)
    assert (visit.beside, visit.joined, beside.joined) == ((), False, False)
    with environment.visit(BASE) as alone:
        assert (alone.beside, alone.joined) == ((), False)
    environment.end_left()
    environment.close()
    assert len([name for name in world.names() if name.startswith("open ")]) == 3


def test_a_new_kind_is_opened_by_the_same_door(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cast("dict[type, table.PlaceMaker]", table.PLACES), Toy, ToyPlace)
    monkeypatch.setattr(ToyPlace, "all_acts", [])
    environment = environment_of(plan_of(TRIALS, treatment=TOY))
    environment.open()
    with environment.visit(OTHER) as visit:
        assert visit.machine == "toy"
    with environment.revisit(OTHER, None) as again:
        assert again is None
    environment.end_guest(OTHER, "bear")
    environment.end_left()
    environment.close()
    assert ToyPlace.all_acts == ["prepare", "open 4", "gone", "end bear", "clear"]
    assert world.of("boot") == []
