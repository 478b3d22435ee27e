"""How the machine is shared out by a plan: processors, and memory with what the host should keep of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from assay.activities.plan.arms import Arms
from assay.activities.plan.layout import shares_of
from assay.activities.visits.cpu_allocation import share_cores, threads_per_core
from assay.activities.visits.settings import PAGES
from assay.model.activity import PlannedArm, Sharing
from assay.model.doubt import Raised, raised
from assay.model.machines.machine import Facts
from assay.model.machines.processors import Controller
from assay.model.units import BYTES
from assay.scenes import Scene

KERNEL_BYTES = 512 * BYTES["MiB"]
"""Of the host's kernel and system, with assay and its probes."""
QEMU_BYTES = 256 * BYTES["MiB"]
"""What a QEMU process holds beside its guest's memory: 226 MiB were measured, mostly translated code.

Source: ``docs/scenes/guest-weight.md``.
"""
TABLES = 256
"""Of so many bytes of a guest one is for the page tables that map it, its process's and the hypervisor's:
8 bytes of each for every 4 KiB.

Source: Intel SDM vol. 3, sections 4.5 and 29.3 (page tables, EPT).
"""


def with_threads_per_core(arms: Arms, here: Facts) -> Arms:
    """Return arms that say how many processors of a core they have."""

    def told(arm: PlannedArm) -> PlannedArm:
        return replace(arm, threads_per_core=threads_per_core(here, arm.limits.cpus))

    return replace(
        arms, baseline=told(arms.baseline), treatment=told(arms.treatment), more=tuple(map(told, arms.more))
    )


def sharing_of(scene: Scene, arms: Arms, here: Facts) -> Sharing:
    """Return how the baseline's machine is shared out."""
    own = scene.controlled is Controller.OWN_CORE
    kept = share_cores(here, spec=scene.processors).kept if own else ()
    of_guests, kept_bytes = max(map(_memory_of, arms.every), key=sum)
    keeps = KERNEL_BYTES + kept_bytes
    return Sharing(
        controller=scene.controlled,
        kept=kept,
        processors=here.cpus,
        memory_bytes=here.memory_bytes,
        guests_bytes=pool_bytes(arms.every) + of_guests,
        host_bytes=keeps if scene.host_memory_bytes is None else scene.host_memory_bytes,
    )


def pool_bytes(arms: Iterable[PlannedArm]) -> int:
    """Return the memory of the pools of huge pages that guests of some arms have theirs from.

    A pool is the host's for as long as the activity lasts: arms with pages of one size share it.
    """
    pools: dict[str, int] = {}
    for arm in arms:
        level = _pages_of(arm)
        pools[level] = max(pools.get(level, 0), sum(_guests_memory(arm)))
    return sum(size for level, size in pools.items() if level != "none")


def _pages_of(arm: PlannedArm) -> str:
    return dict(arm.guest_settings).get(PAGES, "none")


def _memory_of(arm: PlannedArm) -> tuple[int, int]:
    """Return the memory of an arm's guests that is from no pool, and what the host should keep for them."""
    sizes = _guests_memory(arm)
    return sum(sizes) if _pages_of(arm) == "none" else 0, _kept_for(sizes)


def _guests_memory(arm: PlannedArm) -> tuple[int, ...]:
    """Return the memory of each guest of an arm; empty without one."""
    return () if arm.guest is None else tuple(one.memory_bytes for one in shares_of(arm, arm.guest))


def _kept_for(sizes: Iterable[int]) -> int:
    """Return what the host should keep for guests of these sizes, beside its kernel and system."""
    return sum(QEMU_BYTES + size // TABLES for size in sizes)


def memory_doubts(sharing: Sharing) -> Iterator[Raised]:
    """Say so where guests leave the host less memory than it should keep."""
    if sharing.guests_bytes and sharing.guests_bytes + sharing.host_bytes > sharing.memory_bytes:
        yield raised(
            "memory-overcommitted",
            guests_bytes=sharing.guests_bytes,
            host_bytes=sharing.host_bytes,
            memory_bytes=sharing.memory_bytes,
        )
