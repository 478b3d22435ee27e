"""The arms of a comparison: machines looked at, guests planned, limits that make them equal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.activities.plan.layout import each_guest, layout_doubts, layout_labels, with_fitting_cores
from assay.activities.plan.limited import limited, limited_all
from assay.activities.plan.several_sizes import least_limits, least_sizes, size_doubts
from assay.activities.visits.contained import contained
from assay.activities.visits.cpu_allocation import check_memory, machine_limits, share_cores
from assay.activities.visits.existing import domain_arms
from assay.activities.visits.remote import check_remote_guests, remote_host
from assay.activities.visits.restored import check_restored, origin_of
from assay.activities.visits.settings import (
    check_disk,
    check_guest,
    check_levels,
    difference,
    of_data,
    of_guest,
    of_host,
    shortened,
)
from assay.activities.visits.visit import look_at
from assay.factors.base.evidence import Host
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.doubt import Raised
from assay.model.errors import AssayError
from assay.model.machines.machine import Facts, Limits, Machine, Reach
from assay.model.platforms.container import PlannedContainer, Runtime
from assay.model.units import format_bytes
from assay.model.work.page_cache import CacheState
from assay.platforms.host.this_host import ThisHost
from assay.scenes import Guest, OtherMachine, Scene
from assay.store.store import Store
from assay.workloads import Sizes

ImageOf = Callable[[Guest], str]
"""Tells the digest of the image that a guest boots."""


@dataclass(frozen=True)
class Arms:
    """The two arms of a comparison, further treatments of a sweep, and what follows for the workloads."""

    baseline: PlannedArm
    treatment: PlannedArm
    sizes: Sizes
    doubts: tuple[Raised, ...] = ()
    more: tuple[PlannedArm, ...] = ()

    @property
    def every(self) -> tuple[PlannedArm, ...]:
        """The baseline and every treatment."""
        return (self.baseline, self.treatment, *self.more)


@dataclass(frozen=True)
class Site:
    """Where guests are made.

    Attributes:
        facts: Facts of the machine.
        machine: The machine.
        host: What factors look at of it.
        image: Tells the digest of the image that a guest boots.
    """

    facts: Facts
    machine: Machine
    host: Host
    image: ImageOf

    def guest(self, wanted: Guest) -> PlannedArm:
        """Return a guest as an arm.

        Raises:
            MissingError: The machine has too few processors, too little memory, or cannot have a level.
        """
        cores = share_cores(self.facts, wanted.vcpus)
        check_memory(self.facts, wanted.memory_bytes)
        each, vcpus = each_guest(wanted, cores.measured)
        check_guest(each, vcpus, on=self.host, cpus=cores.measured)
        limits = Limits(cores.measured, wanted.memory_bytes)
        check_restored(each)
        guest = PlannedGuest(
            len(limits.cpus),
            wanted.memory_bytes,
            wanted.disk_cache,
            self.image(wanted),
            of_guest(wanted.settings),
            wanted.layout,
            packages=wanted.packages,
            restored=wanted.restored,
        )
        cache = CacheState.WARM if wanted.layout.preload else None
        held, data = of_host(wanted.settings), of_data(wanted.settings)
        return PlannedArm("guest", self.machine, limits, guest, cache, host_settings=held, data=data)


def find_arms(scene: Scene, here: Facts, *, home: Path, store: Store, image: ImageOf) -> Arms:
    """Return the arms of a scene; arguments as of ``plan_activity``, and raises as it does."""
    machine = store.machine(scene.baseline)
    if machine.reach is not Reach.LOCAL:
        return _remote_arms(scene, here, machine, home=home, image=image)
    scene = with_fitting_cores(scene, here)
    if isinstance(scene.treatment, Guest):
        for guest in (*scene.guests, scene.baseline_guest):
            if guest is not None:
                check_disk(guest, home=home)
        site = Site(here, machine, ThisHost(home), image)
        arms = _swept(
            _guest_arms(scene, scene.treatment, site), [site.guest(wanted) for wanted in scene.guests[1:]]
        )
        arms = replace(arms, doubts=(*arms.doubts, *layout_doubts((arms.treatment, *arms.more))))
        wanted = scene.baseline_container
        return arms if wanted is None else replace(arms, baseline=contained(arms.baseline, wanted, here))
    if isinstance(scene.treatment, PlannedContainer):
        return _container_arms(scene, here, machine)
    other = store.machine(scene.treatment.machine)
    if other.name == machine.name:
        arms = _same_machine_arms(machine, here)
        same = limited(arms.treatment, scene.treatment) == arms.treatment
        return (
            replace(arms, treatment=_again(arms.treatment)) if same else _limited(arms, scene.machines, home)
        )
    if scene.treatment.domain is not None:
        every = domain_arms(
            scene.treatment.domain, machine, other, here=here, home=home, programs=needed_programs(scene)
        )
        return _limited(Arms(*every), scene.machines, home)
    there = look_at(other, needed_programs(scene), home=home)
    return _limited(_two_machine_arms(machine, other, here, there), scene.machines, home)


def _remote_arms(scene: Scene, here: Facts, machine: Machine, *, home: Path, image: ImageOf) -> Arms:
    """Return another machine and guests on it."""
    wanted = check_remote_guests(scene, machine)
    with remote_host(machine, home) as host:
        site = Site(here, machine, host, image)
        return _swept(_guest_arms(scene, wanted, site), [site.guest(one) for one in scene.guests[1:]])


def _again(arm: PlannedArm) -> PlannedArm:
    """Return an arm that differs in its name alone."""
    return replace(arm, label=f"{arm.label} again")


def _guest_arms(scene: Scene, wanted: Guest, site: Site) -> Arms:
    cores = share_cores(site.facts, wanted.vcpus)
    treatment = site.guest(wanted)
    emulated = site.host.accelerator == "tcg"
    sizes = Sizes(site.facts.cache_bytes, wanted.memory_bytes, len(cores.measured), emulated=emulated)
    if scene.baseline_guest is None:
        return Arms(PlannedArm("host", site.machine, treatment.limits), treatment, sizes, cores.doubts)
    baseline = site.guest(scene.baseline_guest)
    least = replace(sizes, memory_bytes=min(wanted.memory_bytes, scene.baseline_guest.memory_bytes))
    return Arms(baseline, _against(baseline, treatment), least, cores.doubts)


def _swept(arms: Arms, more: list[PlannedArm]) -> Arms:
    """Return arms with further treatments, each called by the layout and the levels that are its own."""
    if not more:
        (label,) = layout_labels([arms.treatment])
        return replace(arms, treatment=replace(arms.treatment, label=label)) if label else arms
    every = [_levels(arm) for arm in (arms.treatment, *more)]
    shared = tuple(level for level in every[0] if all(level in levels for levels in every))
    layouts = layout_labels([arms.treatment, *more])
    levels = [difference(own, shared) for own in every]
    labels = shortened([", ".join(filter(None, said)) for said in zip(layouts, levels, strict=True)])
    first, *rest = (
        replace(arm, label=label) for arm, label in zip((arms.treatment, *more), labels, strict=True)
    )
    return _at_least(replace(arms, treatment=first, more=tuple(rest)))


def _at_least(arms: Arms) -> Arms:
    """Return arms with the work, and the baseline where that is no guest, as large as the smallest treatment."""
    treatments = (arms.treatment, *arms.more)
    least = least_limits((*treatments, arms.baseline))
    baseline = arms.baseline if arms.baseline.guest else replace(arms.baseline, limits=least)
    doubts = (*arms.doubts, *size_doubts(treatments, baseline))
    return replace(arms, baseline=baseline, sizes=least_sizes(arms.sizes, least), doubts=doubts)


def _against(baseline: PlannedArm, treatment: PlannedArm) -> PlannedArm:
    """Return a guest as treatment of another guest; its label says in what they differ."""
    if treatment == baseline:
        return _again(treatment)
    (differing,) = shortened([difference(_levels(treatment), _levels(baseline))])
    return replace(treatment, label=f"guest, {differing}" if differing else "other guest")


def _levels(arm: PlannedArm) -> tuple[tuple[str, str], ...]:
    guest = arm.guest
    if guest is None:
        return (*arm.host_settings, *arm.data)
    sizes = (("cpu.vcpus", str(guest.vcpus)), ("memory.size", format_bytes(guest.memory_bytes)))
    own = (*sizes, ("disk.cache", guest.disk_cache), *guest.settings)
    return (*own, *arm.host_settings, *arm.data, *origin_of(guest))


def _container_arms(scene: Scene, here: Facts, machine: Machine) -> Arms:
    """Return this machine and containers on it, or containers alone; a kernel of one processor has one to match."""
    wanted_each = scene.containers
    alone = wanted_each[0].runtime is Runtime.UML
    cores = share_cores(here, 1 if alone else None)
    memory = min(
        (wanted.memory_bytes for wanted in wanted_each if wanted.memory_bytes is not None), default=None
    )
    host = PlannedArm("host", machine, Limits(cores.measured, memory if alone else None))
    treatments = [contained(host, wanted, here) for wanted in wanted_each]
    base = host if scene.baseline_container is None else contained(host, scene.baseline_container, here)
    sizes = Sizes(here.cache_bytes, memory or here.memory_bytes, len(cores.measured))
    doubts = (*cores.doubts, *(size_doubts(treatments, base) if alone else ()))
    first, *more = _told_apart(treatments)
    return Arms(base, _again(first) if base == first else first, sizes, doubts, tuple(more))


def _told_apart(every: list[PlannedArm]) -> list[PlannedArm]:
    """Return containers with the memory of user-mode Linux in their labels where only that tells them apart."""
    if len({arm.label for arm in every}) == len(every):
        return every
    return [
        replace(arm, label=f"{arm.label}, {format_bytes(arm.limits.memory_bytes or 0)} memory")
        for arm in every
    ]


def _same_machine_arms(machine: Machine, here: Facts) -> Arms:
    cores = share_cores(here)
    arm = PlannedArm("host", machine, Limits(cores.measured))
    sizes = Sizes(here.cache_bytes, here.memory_bytes, len(cores.measured))
    return Arms(arm, arm, sizes, cores.doubts)


def _limited(arms: Arms, wanted_each: Sequence[OtherMachine], home: Path) -> Arms:
    """Put the treatments under their factors; workloads are sized for the least memory that one is left with."""
    for wanted in wanted_each:
        if wanted.settings and arms.treatment.machine.reach is not Reach.LOCAL:
            msg = f"cannot set {wanted.settings[0][0]} on {arms.treatment.machine.name}: only this machine's settings are changed"
            raise AssayError(msg, hint="set it there by hand, or evaluate on that machine")
        check_levels(dict(wanted.settings), on=ThisHost(home))
    first, *more = limited_all(arms.treatment, wanted_each)
    memory = min(arm.limits.memory_bytes or arms.sizes.memory_bytes for arm in (first, *more))
    sizes = replace(arms.sizes, memory_bytes=min(memory, arms.sizes.memory_bytes))
    return replace(arms, treatment=first, sizes=sizes, more=tuple(more))


def _two_machine_arms(machine: Machine, other: Machine, here: Facts, there: Facts) -> Arms:
    cores = min(len(share_cores(here).measured), len(share_cores(there).measured))
    ours, theirs = machine_limits(here, there, cores)
    caches = [facts.cache_bytes for facts in (here, there) if facts.cache_bytes is not None]
    memory = min(here.memory_bytes, there.memory_bytes)
    sizes = Sizes(max(caches, default=None), memory, cores)
    doubts = share_cores(here).doubts
    return Arms(PlannedArm("host", machine, ours), PlannedArm(other.name, other, theirs), sizes, doubts)


def needed_programs(scene: Scene) -> Mapping[str, str | None]:
    """Return the executables that the scene's workloads need on every arm, and their packages.

    Own files come with the trial.
    """
    smallest = Sizes(cache_bytes=None, memory_bytes=2**30, cpus=1)
    needed = {w.program: w.package for w in scene.prepare(smallest) if w.program}
    return {program: package for program, package in needed.items() if not comes_along(program)}


def comes_along(program: str) -> bool:
    """Tell whether a workload's program is a file of its own inputs: only such have a relative path."""
    return "/" in program and not program.startswith("/")
