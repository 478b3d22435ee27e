"""Totals of several guests, field by field."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from assay.activities.joint.merged_totals import all_cache, all_cost, all_cpu, all_usage, all_weight
from assay.model.platforms.platform import GuestWeight, HypervisorCpu
from assay.model.trial import Usage
from assay.model.work.observation import ProbeCost
from assay.model.work.page_cache import CacheCheck, CacheState, ReadAhead, Residency

USAGE = Usage(
    *[float(number) for number in range(1, 4)], *range(4, 13), 13.0, 14, *[15.0, 16.0, 17.0, 18.0, 19.0]
)  # type: ignore[arg-type]
NAMES = [field.name for field in fields(Usage)]
TIMES = {
    "user_s", "system_s", "throttled_s", "run_queue_s", "block_io_s", "io_wait_s", "steal_s", "idle_s",
}  # fmt: skip


def test_the_fields_of_this_test_are_all_told() -> None:
    assert None not in [getattr(USAGE, name) for name in NAMES]


@pytest.mark.parametrize("name", NAMES)
def test_each_total_of_two_guests_one_with_a_clock_twice_as_fast(name: str) -> None:
    total = all_usage([(USAGE, 1.0), (USAGE, 2.0)], 99.0)
    one = getattr(USAGE, name)
    wanted = {"wall_s": 99.0, "rss_bytes": one}.get(name, one * 1.5 if name in TIMES else 2 * one)
    assert getattr(total, name) == wanted


@pytest.mark.parametrize("name", NAMES[4:])
def test_what_one_does_not_tell_is_not_told_of_all(name: str) -> None:
    total = all_usage([(USAGE, 1.0), (replace(USAGE, **{name: None}), 1.0)], 99.0)
    assert getattr(total, name) is None


def test_a_time_of_0_is_a_measurement() -> None:
    total = all_usage([(replace(USAGE, steal_s=0.0), 1.0), (replace(USAGE, steal_s=0.0), 2.0)], 99.0)
    assert total is not None
    assert total.steal_s == 0.0


def test_nothing_is_told_of_all_where_one_never_started_or_never_ended() -> None:
    assert all_usage([(USAGE, 1.0), (None, 1.0)], 99.0) is None
    assert all_usage([(USAGE, 1.0)], None) is None
    assert all_usage([], 99.0) is None
    assert all_cpu([]) is None
    assert all_cpu([None]) is None


def test_the_cpu_of_all_qemu_processes_is_their_sum() -> None:
    one = HypervisorCpu(1.0, 0.5, 10, None, 3)
    assert all_cpu([one, replace(one, vcpu_s=2.0, exits=1)]) == HypervisorCpu(3.0, 1.0, 11, None, 6)
    assert all_cpu([one, None]) is None


def test_the_migrations_of_several_guests_are_those_of_each_vcpu_thread_of_each() -> None:
    one, other = (HypervisorCpu(1.0, 0.5, vcpu_migrations=moved) for moved in ((1, 2), (0,)))
    assert all_cpu([one, other]) == HypervisorCpu(2.0, 1.0, vcpu_migrations=(1, 2, 0))
    assert all_cpu([one, replace(other, vcpu_migrations=None)]) == HypervisorCpu(2.0, 1.0)


def test_of_the_probes_the_largest_and_the_longest_gap_count_and_else_their_sum() -> None:
    found = all_cost([ProbeCost(0.25, 100, 5, 2.0), ProbeCost(0.5, 300, 6, 1.0)])
    assert found == ProbeCost(0.75, 300, 11, 2.0)


def test_of_all_weights_the_age_is_the_oldest_s() -> None:
    found = all_weight([GuestWeight(1, 2, 3, 4, 5.0), GuestWeight(10, 20, 30, 40, 50.0)])
    assert found == GuestWeight(11, 22, 33, 44, 50.0)


def _ahead_of(*every: ReadAhead | None) -> ReadAhead | None:
    joined = all_cache([CacheCheck(CacheState.READ_AHEAD, False, None, ahead=one) for one in every])  # noqa: FBT003
    assert joined
    return joined.ahead


def test_page_caches_are_joined_and_a_file_that_is_held_in_several_is_named_once() -> None:
    check = CacheCheck(CacheState.COLD, True, Residency(1, 100, 10), Residency(2, 1000, 5), ("/a", "/b"))  # noqa: FBT003
    other = replace(check, machine=Residency(3, 200, 20), held=("/b", "/c"))
    both = replace(check, machine=Residency(4, 300, 30), host=Residency(4, 2000, 10), held=("/a", "/b", "/c"))
    assert all_cache([check, other]) == both
    assert all_cache([check, replace(check, host=None)]) == replace(
        check, machine=Residency(2, 200, 20), host=None
    )
    assert all_cache([check, None]) is None
    assert _ahead_of(ReadAhead(1.0, 5, 2.0), ReadAhead(0.5, 6, 3.0)) == ReadAhead(1.5, 11, 3.0)
    assert _ahead_of(ReadAhead(1.0, None, 2.0), ReadAhead(0.5, 6, None)) == ReadAhead(1.5, None, None)
    assert _ahead_of(ReadAhead(1.0, 5, 2.0), None) is None
    assert all_cache([]) is None
