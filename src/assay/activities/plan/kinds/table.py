"""Which kind of place a scene asks for, and an arm has: a new kind is a module of its own, and
one line here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assay.activities.plan.arms import Arms, ImageOf
from assay.activities.plan.kinds.containers import ContainerKind
from assay.activities.plan.kinds.existing_guests import ExistingGuestKind
from assay.activities.plan.kinds.guests import GuestKind
from assay.activities.plan.kinds.kind import Asked, PlaceKind
from assay.activities.plan.kinds.machines import MachineKind
from assay.activities.plan.kinds.plugin_places import PluginKind
from assay.activities.plan.kinds.together import together
from assay.activities.plan.programs import needed_programs
from assay.activities.visits.remote import check_remote, check_remote_guests
from assay.activities.visits.visit import look_at
from assay.factors.base.evidence import Host
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.doubt import raised
from assay.model.errors import AssayError
from assay.model.machines.machine import Facts, Machine
from assay.model.machines.processors import Controller
from assay.model.platforms.container import PlannedContainer
from assay.model.platforms.existing import DomainSpec
from assay.model.platforms.plugin_place import PluginPlace
from assay.scenes import Guest, OtherMachine, Scene
from assay.scenes.values.scene import Treatment
from assay.store.store import Store

KINDS: Mapping[type, PlaceKind] = {
    Machine: MachineKind(),
    DomainSpec: ExistingGuestKind(),
    PlannedContainer: ContainerKind(),
    PluginPlace: PluginKind(),
    PlannedGuest: GuestKind(),
}


def kind_of(arm: PlannedArm) -> PlaceKind:
    """Return the kind of place that an arm has."""
    return KINDS[type(arm.place)]


def find_arms(scene: Scene, here: Facts, *, home: Path, store: Store, image: ImageOf, host: Host) -> Arms:
    """Return the arms of a scene; arguments as of ``plan_activity``, and raises as it does."""
    asked = Asked(scene, here, store.machine(scene.baseline), home, store, image, host)
    if not asked.local:
        check_remote(scene, asked.machine)
    elif asked.scene.controlled is Controller.ELSEWHERE:
        msg = f"cannot keep the controller elsewhere: {asked.machine.name} is the machine that it runs on"
        raise AssayError(msg, hint="controller: shared, or a baseline that is reached by SSH")
    parts = [_there(_part(asked, each)) for each in _by_kind(asked)] if scene.more else [asked]
    found = [KINDS[_wanted(part)].arms(part) for part in parts]
    return _with_own_processors(found[0] if len(found) == 1 else together(found, parts, scene), asked)


def _part(asked: Asked, treatments: Sequence[Treatment]) -> Asked:
    """Return what a scene asks for with some of its treatments alone."""
    first, *more = treatments
    return replace(asked, scene=replace(asked.scene, treatment=first, more=tuple(more)))


def _by_kind(asked: Asked) -> list[list[Treatment]]:
    """Return the treatments that are planned together: of one kind, and on one machine or by one runtime."""
    groups: dict[object, list[Treatment]] = {}
    for wanted in asked.scene.treatments:
        key = _wanted(_part(asked, [wanted])), getattr(wanted, _APART[type(wanted)])
        groups.setdefault(key, []).append(wanted)
    return [*groups.values()]


_APART = {Guest: "machine", OtherMachine: "machine", PlannedContainer: "runtime", PluginPlace: "kind"}
"""Which word of a treatment tells what is planned apart from others of its kind."""


def _there(asked: Asked) -> Asked:
    """Return what is asked for on the machine that carries the guests, where that is not the baseline's."""
    wanted = asked.scene.treatment
    if not isinstance(wanted, Guest) or wanted.machine is None:
        return asked
    machine = asked.store.machine(wanted.machine)
    check_remote_guests(asked.scene, machine)
    there = look_at(machine, needed_programs(asked.scene), home=asked.home)
    return replace(asked, machine=machine, here=there)


def _with_own_processors(arms: Arms, asked: Asked) -> Arms:
    """Return arms whose baseline has the processors that are asked for it alone; workloads are sized for the
    fewest.
    """
    if asked.scene.baseline_processors is None:
        return arms
    cpus = arms.baseline.limits.cpus
    if arms.baseline.guest is None:
        cpus = asked.cores(baseline=True).measured
    limits = replace(arms.baseline.limits, cpus=cpus)
    base = replace(arms.baseline, limits=limits)
    counts = tuple((arm.label, len(arm.limits.cpus)) for arm in (base, arms.treatment, *arms.more))
    differ = len({count for _, count in counts}) > 1
    doubts = (raised("processor-counts-differ", counts=counts),) if differ else ()
    sizes = replace(arms.sizes, cpus=min(count for _, count in counts))
    return replace(arms, baseline=base, sizes=sizes, doubts=(*arms.doubts, *doubts))


def _wanted(asked: Asked) -> type:
    """Return the type of the place that the first treatment is planned as."""
    wanted = asked.scene.treatment
    if isinstance(wanted, Guest):
        return PlannedGuest
    if isinstance(wanted, OtherMachine):
        own = wanted.domain is None or asked.other.name == asked.machine.name
        return Machine if own else DomainSpec
    return type(wanted)
