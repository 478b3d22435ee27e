"""How a plan shares the machine's memory out: guests of an arm, pools of huge pages, what the host keeps."""

from __future__ import annotations

from dataclasses import replace

from assay.activities.plan.arms import Arms
from assay.activities.plan.sharing import (
    KERNEL_BYTES,
    QEMU_BYTES,
    TABLES,
    memory_doubts,
    pool_bytes,
    sharing_of,
)
from assay.cli.plan_text import shared_text
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.machines.machine import Limits, Machine
from assay.model.platforms.layout import Layout
from assay.workloads import Sizes
from tests.builders import FACTS, plan_of
from tests.scenes.parts import scene

GIB = 1 << 30
HERE = replace(FACTS, cpus=tuple(range(5)), memory_bytes=16 * GIB)
HOST = PlannedArm("host", Machine("local"), Limits((1, 2)))


def guest(size: int, pages: str = "none", guests: int = 1) -> PlannedArm:
    settings = (("memory.hugepages", pages),)
    made = PlannedGuest(2, size, "none", "0123", settings, Layout(guests))
    return replace(HOST, label="guest", guest=made)


def arms(*every: PlannedArm) -> Arms:
    baseline, treatment, *more = every
    return Arms(baseline, treatment, Sizes(None, GIB, 2), more=tuple(more))


def kept(size: int, guests: int = 1) -> int:
    return KERNEL_BYTES + guests * QEMU_BYTES + size // TABLES


def test_the_arm_whose_guests_have_most_counts() -> None:
    shared = sharing_of(scene("{platform: guest}"), arms(HOST, guest(GIB), guest(4 * GIB, guests=2)), HERE)
    assert (shared.guests_bytes, shared.host_bytes) == (4 * GIB, kept(4 * GIB, 2))
    assert not [*memory_doubts(shared)]


def test_a_pool_of_huge_pages_stays_while_guests_without_it_run() -> None:
    asked = scene("{platform: guest}")
    alone = sharing_of(asked, arms(HOST, guest(8 * GIB, "2 MiB")), HERE)
    assert (alone.guests_bytes, alone.host_bytes) == (8 * GIB, kept(8 * GIB))
    assert not [*memory_doubts(alone)]
    both = sharing_of(asked, arms(guest(8 * GIB), guest(8 * GIB, "2 MiB")), HERE)
    assert (both.guests_bytes, both.host_bytes) == (16 * GIB, kept(8 * GIB))
    assert [doubt.code for doubt in memory_doubts(both)] == ["memory-overcommitted"]


def test_guests_with_pages_of_one_size_share_a_pool() -> None:
    small, large = guest(2 * GIB, "2 MiB"), guest(4 * GIB, "2 MiB", guests=2)
    assert pool_bytes([HOST, small, large]) == 4 * GIB
    assert pool_bytes([small, large, guest(GIB, "1 GiB")]) == 5 * GIB
    assert pool_bytes([HOST, guest(GIB)]) == 0


def test_a_dry_run_says_what_of_the_memory_is_a_pool() -> None:
    made = arms(guest(2 * GIB), guest(GIB, "2 MiB"))
    shared = sharing_of(scene("{platform: guest}"), made, HERE)
    plan = plan_of((), baseline=made.baseline, treatment=made.treatment, sharing=shared)
    line = shared_text(plan)[-1]
    assert line.startswith("memory: 3 GiB of 16 GiB for guests, 1 GiB of it in a pool of huge pages; ")
