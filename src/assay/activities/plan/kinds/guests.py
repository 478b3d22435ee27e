"""Guests of ours as arms: each made by the levels that the scene asks for, on this machine or on another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from assay.activities.plan.arms import Arms
from assay.activities.plan.kinds.guest_disk import disk_of_guest, guests_bytes
from assay.activities.plan.kinds.kind import Asked, OwnDisk
from assay.activities.plan.kinds.labels import against, with_labels
from assay.activities.plan.layout import each_guest, layout_doubts, with_fitting_cores
from assay.activities.visits.contained import contained
from assay.activities.visits.cpu_allocation import check_memory
from assay.activities.visits.remote import remote_host
from assay.activities.visits.restored import check_restored
from assay.activities.visits.settings import check_disk, check_guest, check_pool, of_data, of_guest, of_host
from assay.factors.base.evidence import Host
from assay.model.activity import ActivityPlan, PlannedArm, PlannedGuest
from assay.model.errors import MissingError
from assay.model.machines.machine import Limits
from assay.model.work.page_cache import CacheState
from assay.scenes import Guest, Scene
from assay.workloads import Sizes

MOST_VCPUS = 255
"""Of q35 without an interrupt remapping IOMMU.

Source: libvirt ``formatdomain``, ``iommu``: more need extended interrupt mode (``eim``).
"""


class GuestKind:
    """Guests of ours (``PlaceKind``)."""

    def arms(self, asked: Asked) -> Arms:
        """Return a host and guests on it, guests alone, or guests and a container of one machine."""
        return _arms_here(asked) if asked.local else _arms_there(asked)

    def visit_bytes(self, plan: ActivityPlan, arm: PlannedArm, home: Path) -> int:
        """Return what the disks of an arm's guests come to take, each at most its size."""
        return guests_bytes(plan, arm, home)

    def own_disk(self, arm: PlannedArm, home: Path) -> OwnDisk | None:
        """Return the guest's disk."""
        return disk_of_guest(arm.place_as(PlannedGuest), home)


@dataclass(frozen=True)
class Site:
    """Where guests are made.

    Attributes:
        asked: What the scene asks for, and the machine.
        host: What factors look at of it.
    """

    asked: Asked
    host: Host

    def guest(self, wanted: Guest, *, baseline: bool = False) -> PlannedArm:
        """Return a guest as an arm.

        Args:
            wanted: The guest, or the guests that share what it has.
            baseline: It is the baseline.

        Raises:
            MissingError: The machine has too few processors, too little memory, or cannot have a level.
        """
        cores = self.asked.cores(wanted.vcpus, baseline=baseline)
        each, vcpus = each_guest(wanted, cores.measured)
        if vcpus > MOST_VCPUS:
            msg = f"cannot give a guest {vcpus} vCPUs: the machine that QEMU makes has at most {MOST_VCPUS}"
            raise MissingError(msg, hint=f"layout: {{guests: 2}}, or cpu.vcpus: {MOST_VCPUS}")
        check_memory(self.asked.here, each.memory_bytes)
        check_guest(each, vcpus, on=self.host, cpus=cores.measured)
        check_pool(wanted, on=self.host)
        limits = Limits(cores.measured, wanted.memory_bytes)
        check_restored(each, on=self.host)
        guest = PlannedGuest(
            len(limits.cpus),
            wanted.memory_bytes,
            wanted.disk_cache,
            self.asked.image(wanted),
            of_guest(wanted.settings),
            wanted.layout,
            packages=wanted.packages,
            restored=wanted.restored,
            release=wanted.release,
        )
        cache = CacheState.WARM if wanted.layout.preload else None
        held, data = of_host(wanted.settings), of_data(wanted.settings)
        return PlannedArm("guest", self.asked.machine, limits, guest, cache, host_settings=held, data=data)


def _arms_here(asked: Asked) -> Arms:
    scene = with_fitting_cores(asked)
    for guest in (*scene.guests, scene.baseline_guest):
        if guest is not None:
            check_disk(guest, home=asked.home)
    arms = _guests(scene, Site(asked, asked.host))
    arms = replace(arms, doubts=(*arms.doubts, *layout_doubts(arms.every)))
    wanted = scene.baseline_container
    return arms if wanted is None else replace(arms, baseline=contained(arms.baseline, wanted, asked.here))


def _arms_there(asked: Asked) -> Arms:
    """Return another machine and guests on it."""
    with remote_host(asked.machine, asked.home) as host:
        arms = _guests(with_fitting_cores(asked), Site(asked, host))
    return replace(arms, doubts=(*arms.doubts, *layout_doubts(arms.every)))


def _guests(scene: Scene, site: Site) -> Arms:
    wanted, *others = scene.guests
    treatment = site.guest(wanted)
    emulated, cpus = site.host.accelerator == "tcg", len(treatment.limits.cpus)
    sizes = Sizes(site.asked.here.cache_bytes, wanted.memory_bytes, cpus, emulated=emulated)
    if scene.baseline_guest is None:
        baseline = PlannedArm("host", site.asked.machine, treatment.limits)
    else:
        baseline = site.guest(scene.baseline_guest, baseline=True)
        treatment = against(baseline, treatment)
        least = min(wanted.memory_bytes, scene.baseline_guest.memory_bytes)
        sizes = replace(sizes, memory_bytes=least)
    return with_labels(Arms(baseline, treatment, sizes), [site.guest(one) for one in others])
