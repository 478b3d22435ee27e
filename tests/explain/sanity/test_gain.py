"""A guest that is faster than its host is explained."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.explain.sanity import Gain
from assay.explain.sanity.gain import treatment_faster
from assay.model.doubt import Doubt
from assay.model.machines.machine import Limits
from assay.model.platforms.platform import HypervisorCpu, Platform, SeenFactor
from assay.model.trial import Usage
from assay.model.work.page_cache import CacheCheck, CacheState, Residency
from assay.report.doubts import worded
from tests.builders import clock_check
from tests.explain.sanity.both import QUIET, both

GAIN = Gain("spin", ("events",), 0.5)
GIB = 1 << 30
GUEST = Platform(
    "libvirt",
    "kvm",
    "why",
    "pc-q35",
    "host",
    1,
    GIB,
    "qcow2",
    "none",
    "image",
    "QEMU",
    "libvirt",
    (1,),
    "<x/>",
)


def explained(baseline: Usage, treatment: Usage, **more: dict[str, object]) -> Doubt:
    return worded(treatment_faster(both(baseline, treatment, **more), GAIN))  # type: ignore[arg-type]


def test_nothing_that_differs_is_said_too_and_asks_for_more() -> None:
    doubt = explained(QUIET, replace(QUIET, wall_s=50.0))
    assert doubt.code == "treatment-faster"
    assert "other is faster than host in spin events (2 times), and neither reads" in doubt.sentence
    assert doubt.next is not None
    assert "more blocks" in doubt.next


def test_locks_in_the_kernel_are_named_with_both_shares() -> None:
    doubt = explained(replace(QUIET, user_s=4.0, system_s=94.0), replace(QUIET, user_s=70.0, system_s=25.0))
    assert "host spent 96% of its CPU time in the kernel, other 26%" in doubt.sentence
    assert "locks of a file system" in doubt.sentence
    assert doubt.next is not None
    assert "another file system" in doubt.next


def test_reads_that_the_treatment_did_not_make_are_named() -> None:
    doubt = explained(replace(QUIET, read_bytes=2 * GIB), replace(QUIET, read_bytes=8 << 20))
    assert "host fetched 2 GiB from storage, other 8 MiB" in doubt.sentence


def test_what_a_server_read_for_the_treatment_is_no_page_cache() -> None:
    served = {"data": (SeenFactor("data.access", "glusterfs", "its mount"),)}
    doubt = explained(replace(QUIET, read_bytes=2 * GIB), replace(QUIET, read_bytes=8 << 20), there=served)
    assert "page cache had the rest" not in doubt.sentence


def test_the_hosts_page_cache_below_a_guest_is_named() -> None:
    moved = replace(QUIET, read_bytes=GIB)
    check = CacheCheck(CacheState.WARM, False, None, Residency(2, GIB, GIB // 2))  # noqa: FBT003
    guest = {"platform": replace(GUEST, disk_cache="writeback"), "hypervisor_cpu": HypervisorCpu(1.0, 0.1)}
    doubt = explained(moved, moved, there={**guest, "cache": check})
    assert (
        "cache mode writeback: the 1 GiB that it read and wrote went through the host's page cache"
        in doubt.sentence
    )
    assert "512 MiB of its image were there" in doubt.sentence
    assert "cache mode" not in explained(moved, moved, there={"platform": GUEST}).sentence


@pytest.mark.parametrize(
    ("baseline", "treatment", "words"),
    [
        (
            replace(QUIET, logical_write_bytes=GIB),
            replace(QUIET, logical_write_bytes=GIB // 4),
            "they wrote 1 GiB and",
        ),
        (QUIET, replace(QUIET, user_s=30.0, wall_s=33.0), "they computed for 96 and 30 s in user mode"),
    ],
)
def test_other_work_is_named(baseline: Usage, treatment: Usage, words: str) -> None:
    assert words in explained(baseline, treatment).sentence


def test_limits_that_leave_the_treatment_more_are_named_and_those_that_leave_it_less_are_not() -> None:
    wide, narrow = {"limits": Limits((0, 1), GIB)}, {"limits": Limits((0,), GIB // 2, cpu_quota=0.5)}
    sentence = explained(QUIET, QUIET, here=narrow, there=wide).sentence
    assert "1 and 2 processors, a CPU quota of 50% and of 100%, 512 MiB and 1 GiB of memory" in sentence
    assert "limits differ" not in explained(QUIET, QUIET, here=wide, there=narrow).sentence


def test_a_guests_memory_is_its_limit_and_not_compared() -> None:
    limited = {"limits": Limits((1,), 1 << 20)}
    assert "limits differ" not in explained(QUIET, QUIET, here=limited, there={"platform": GUEST}).sentence


def test_a_slow_clock_is_named_and_a_right_one_is_not() -> None:
    slow, right = ({"clock": clock_check(rate)} for rate in (0.9, 1.0))
    assert "its clock ran -10.00%" in explained(QUIET, QUIET, there=slow).sentence
    assert "clock ran" not in explained(QUIET, QUIET, there=right).sentence


def test_wall_times_that_tell_another_story_are_told() -> None:
    assert "(2 times, 5 times by wall time)" in explained(QUIET, replace(QUIET, wall_s=20.0)).sentence
