"""Doubts and rules of an activity at the very value where they begin."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assay.activities.joint.merged_doubts import MOST_LATE_S, late_doubts
from assay.activities.plan.layout import layout_doubts, layout_labels, part_of
from assay.activities.plan.several_sizes import least_limits, least_sizes, size_doubts, with_threads
from assay.activities.trials.page_cache import JOURNAL_BYTES, TOLERANCE, cache_doubts
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.machines.clock import ClockCheck, ClockReading
from assay.model.machines.machine import Limits, Machine
from assay.model.platforms.layout import Layout
from assay.model.trial import Member
from assay.model.work.page_cache import CacheCheck, CacheState, Residency
from assay.model.work.placement import PlacementSpec
from assay.report.doubts import worded
from assay.workloads import Sizes
from tests.builders import WORKLOAD

MEMBER = Member("guest-1", "g", "b", (), 1, 1, 5.0, 5.0, 6.0, None, None, None, None)
CHECK = CacheCheck(
    CacheState.COLD, drop=False, machine=Residency(1, 1 << 30, 0), host=Residency(2, 4 << 30, 0)
)


def codes(check: CacheCheck, **more: bool) -> list[str]:
    return [doubt.code for doubt in cache_doubts(check, **more)]


@pytest.mark.parametrize(
    ("bytes_", "most"),
    [(1 << 30, int(TOLERANCE * (1 << 30))), (1 << 20, JOURNAL_BYTES), (104_857_600, JOURNAL_BYTES)],
)
def test_image_files_may_be_in_memory_up_to_a_hundredth_or_a_journal(bytes_: int, most: int) -> None:
    def held(count: int) -> list[str]:
        return codes(replace(CHECK, machine=Residency(1, bytes_, 0), host=Residency(2, 4 << 30, count)))

    assert (held(most), held(most + 1)) == ([], ["image-cache-state"])


def test_what_is_in_the_host_s_memory_is_told_with_its_size() -> None:
    (doubt,) = cache_doubts(replace(CHECK, host=Residency(2, 4 << 30, 64 << 20)))
    assert "and 64 MiB of the files below them" in worded(doubt).sentence
    assert codes(replace(CHECK, host=None)) == []
    assert list(cache_doubts(None)) == []


def test_no_files_are_a_doubt_unless_all_caches_were_dropped_or_a_server_had_them() -> None:
    none = replace(CHECK, machine=Residency(0, 0, 0))
    (doubt,) = cache_doubts(replace(none, state=CacheState.WARM))
    assert worded(doubt).sentence == "Its files were to be warm at the start, and it has none that could be."
    assert codes(none) == ["cache-no-files"]
    assert codes(replace(none, drop=True)) == codes(none, served=True) == []
    assert codes(replace(none, machine=Residency(1, 1, 0))) == []


def late(member: Member) -> list[str]:
    return [worded(doubt).sentence for doubt in late_doubts([member])]


def test_a_release_is_late_beyond_the_limit_and_what_its_clock_is_not_known_to() -> None:
    assert late(replace(MEMBER, asked_s=0.0, started_s=MOST_LATE_S)) == []
    assert late(replace(MEMBER, asked_s=0.0, started_s=0.0501)) != []
    vague = ClockReading(0, 0, 0.0, 0.25)
    exact = replace(vague, uncertainty_s=0.0)
    for before, after in ((vague, exact), (exact, vague)):
        unsure = replace(MEMBER, asked_s=0.0, clock=ClockCheck(before, after, 1.0, 0.0))
        assert late(replace(unsure, started_s=0.30)) == []
        assert late(replace(unsure, started_s=0.31)) == [
            "Guests were released later than asked: guest-1 by 0.31 s."
        ]
    assert late(replace(MEMBER, started_s=4.0)) == [], "early"


def arm(label: str, cpus: int, memory: int | None, *, layout: Layout | None = None) -> PlannedArm:
    wanted = layout and PlannedGuest(cpus, memory or 0, "none", "i", (), layout)
    return PlannedArm(label, Machine("local"), Limits(tuple(range(cpus)), memory), wanted)


def test_the_least_limits_are_each_the_smallest_and_none_is_no_limit() -> None:
    arms = [arm("a", 4, None), arm("b", 2, 2 << 30), arm("c", 3, 1 << 30)]
    assert least_limits(arms) == Limits((0, 1), 1 << 30)
    assert least_limits(arms[:1]) == Limits((0, 1, 2, 3), None)


@pytest.mark.parametrize(
    ("least", "cpus", "memory"),
    [
        (Limits((0,), 1), 1, 1),
        (Limits((0, 1, 2, 3), 1 << 40), 2, 1 << 30),
        (Limits((0, 1), None), 2, 1 << 30),
    ],
)
def test_work_is_sized_for_the_smaller_of_both(least: Limits, cpus: int, memory: int) -> None:
    sizes = least_sizes(Sizes(None, 1 << 30, 2), least)
    assert (sizes.cpus, sizes.memory_bytes) == (cpus, memory)


def test_threads_are_the_processors_of_the_smallest_shared_by_the_copies_and_at_least_one() -> None:
    def threads(copies: int, *cpus: int) -> int | None:
        wanted = replace(WORKLOAD, placement=PlacementSpec(copies=copies))
        (made,) = with_threads([wanted], [arm("a", count, None) for count in cpus])
        return made.placement.threads

    assert (threads(1, 4, 8), threads(2, 5, 8), threads(8, 4, 8)) == (4, 2, 1)
    assert threads(1, 4, 4) is None


def test_sizes_are_doubted_where_processors_or_memory_differ_and_said_as_they_are() -> None:
    base = arm("host", 8, None)
    one, two = arm("a", 1, 1 << 30), arm("b", 1, 2 << 30)
    (doubt,) = size_doubts([one, two], base)
    assert (
        "that of the smallest (1 processor and 1 GiB), and so is what host may use." in worded(doubt).sentence
    )
    (bare,) = size_doubts([arm("a", 2, None), arm("b", 3, None)], base)
    assert "that of the smallest (2 processors), and so" in worded(bare).sentence
    assert list(size_doubts([one, one], base)) == []


def test_cores_are_crowded_only_where_guests_outnumber_them() -> None:
    def said(*arms: PlannedArm) -> list[str]:
        return [worded(doubt).sentence for doubt in layout_doubts(arms)]

    assert said(arm("a", 2, 1, layout=Layout(2)), arm("host", 1, None)) == []
    (one,) = said(arm("a", 1, 1, layout=Layout(2)))
    assert "2 guests share 1 core, one vCPU" in one
    (both,) = said(arm("a", 2, 1, layout=Layout(3)), arm("b", 2, 1, layout=Layout(4)))
    assert "3 guests share 2, 4 guests share 2 cores, one vCPU" in both


def test_layouts_have_names_only_where_one_has_several_guests() -> None:
    alone = [arm("a", 2, 1, layout=Layout()), arm("host", 2, None)]
    assert layout_labels(alone) == ["", ""]
    assert all(layout_labels([*alone, arm("b", 2, 1, layout=Layout(2))]))


@pytest.mark.parametrize(("copies", "guests", "each"), [(4, 2, 2), (4, 4, 1), (4, 1, 4), (6, 3, 2)])
def test_each_guest_runs_its_part_of_the_copies(copies: int, guests: int, each: int) -> None:
    wanted: Any = replace(WORKLOAD, placement=PlacementSpec(copies=copies))
    assert part_of(wanted, guests).placement == PlacementSpec(copies=each)
