"""The documented thresholds of the causes (``docs/explain.md``): a row just below each, at it and
above it.
"""

from __future__ import annotations

from typing import Any

import pytest

from assay.explain import rules, rules_cpu
from assay.explain.split import Category
from tests.explain.cases import MIB, case

QUEUE, IO, IDLE, SYSTEM, USER = (
    Category.QUEUE, Category.IO, Category.IDLE, Category.SYSTEM, Category.USER,
)  # fmt: skip
KIB256 = 1 << 18
Figures = dict[str, Any]


@pytest.mark.parametrize(
    ("base", "treated", "named"),
    [
        ({"throttled_s": 0.5}, {"throttled_s": 1.49, "wall_s": 100.0}, False),
        ({"throttled_s": 0.5}, {"throttled_s": 1.5, "wall_s": 100.0}, True),  # 1 % of the wall time
        ({}, {"throttled_s": 1.0, "wall_s": 100.0}, True),
        ({}, {"throttled_s": 0.0, "wall_s": 100.0, "quota": 0.5}, False),
        ({}, {"throttled_s": None}, False),
        ({"quota": 0.5}, {"throttled_s": None, "quota": 0.5}, False),
        ({}, {"throttled_s": None, "quota": 0.5}, True),
        ({"quota": 0.25}, {"throttled_s": None, "quota": 0.5}, True),
    ],
)
def test_a_quota_is_named_from_one_percent_of_the_wall_time_on(
    base: Figures, treated: Figures, named: bool
) -> None:
    assert (rules.cpu_quota(case(base=base, treated=treated)) is not None) is named


@pytest.mark.parametrize(
    ("throttled_s", "parallelism", "named"),
    [(0.99, 1, False), (1.0, 1, True), (1.99, 2, False), (2.0, 2, True)],
)
def test_a_quota_is_named_from_a_quarter_of_the_longer_wait_on(
    throttled_s: float, parallelism: int, named: bool
) -> None:
    grown = case({QUEUE: 1.0}, {QUEUE: 5.0}, treated={"throttled_s": throttled_s, "parallelism": parallelism})
    assert (rules.cpu_quota(grown) is not None) is named


@pytest.mark.parametrize(
    ("base", "treated", "named"),
    [
        ({"limit_hits": 0.0}, {"limit_hits": 9.0}, False),
        ({"limit_hits": 0.0}, {"limit_hits": 10.0}, True),
        ({"limit_hits": 100.0}, {"limit_hits": 199.0}, False),
        ({"limit_hits": 100.0}, {"limit_hits": 200.0}, True),
        ({"major_faults": 50.0}, {"major_faults": 149.0, "memory_bytes": MIB}, False),
        ({"major_faults": 50.0}, {"major_faults": 150.0, "memory_bytes": MIB}, True),
        ({"major_faults": 200.0}, {"major_faults": 399.0, "memory_bytes": MIB}, False),
        ({"major_faults": 200.0}, {"major_faults": 400.0, "memory_bytes": MIB}, True),
        ({"major_faults": 50.0}, {"major_faults": 150.0}, False),
        ({"major_faults": 50.0, "memory_bytes": MIB}, {"major_faults": 150.0, "memory_bytes": MIB}, False),
        ({"major_faults": 50.0, "limit_hits": 1.0}, {"major_faults": 150.0, "limit_hits": 1.0}, True),
        ({"major_faults": 50.0, "limit_hits": 0.0}, {"major_faults": 150.0, "limit_hits": 0.0}, False),
        ({}, {"limit_hits": 10.0}, False),
        ({"limit_hits": 10.0}, {}, False),
    ],
)
def test_memory_is_short_from_twice_as_many_hits_or_faults_on(
    base: Figures, treated: Figures, named: bool
) -> None:
    claim = rules.memory_limit(case(base=base, treated=treated))
    assert (claim is not None) is named
    assert claim is None or claim.categories == (IO, SYSTEM, IDLE)


@pytest.mark.parametrize(
    ("logical", "fetched", "named"),
    [
        ((90.0, 100.0), (0.0, KIB256), True),
        ((89.9, 100.0), (0.0, KIB256), False),
        ((100.0, 89.9), (0.0, KIB256), False),
        ((None, 100.0), (0.0, KIB256), False),
        ((100.0, None), (0.0, KIB256), False),
        ((100.0, 100.0), (0.0, KIB256 - 1), False),
        ((100.0, 100.0), (10 * MIB, 11 * MIB - 1), False),
        ((100.0, 100.0), (10 * MIB, 11 * MIB), True),
    ],
)
def test_a_cache_is_colder_from_a_tenth_and_256_kib_more_for_the_same_bytes(
    logical: tuple[float, float], fetched: tuple[float, float], named: bool
) -> None:
    base, treated = (
        {"logical_bytes": asked, "read_bytes": read} for asked, read in zip(logical, fetched, strict=True)
    )
    assert (rules.cold_cache(case(base=base, treated=treated)) is not None) is named


@pytest.mark.parametrize(
    ("base_bytes", "treated_bytes", "longer_s", "limit", "idle"),
    [
        (0.0, 3e6, 11.0, None, True),  # 3 MB at 0.3 MB/s, and a tenth
        (0.0, 3e6, 11.01, None, False),
        (0.0, 3e6, 3.3, 1_000_000, True),
        (0.0, 3e6, 3.31, 1_000_000, False),
        (1e6, 2e6, 1.0, None, True),
        (1e6, 1.99e6, 1.0, None, False),  # not twice as many
        (0.0, KIB256, 0.5, None, True),
    ],
)
def test_a_cold_cache_takes_idle_time_that_its_additional_bytes_can_have_taken(
    base_bytes: float, treated_bytes: float, longer_s: float, limit: int | None, idle: bool
) -> None:
    same: Figures = {"logical_bytes": 1e9}
    claim = rules.cold_cache(
        case(
            {IDLE: 2.0},
            {IDLE: 2.0 + longer_s},
            base={**same, "read_bytes": base_bytes},
            treated={**same, "read_bytes": treated_bytes, "read_limit": limit},
        )
    )
    assert claim is not None
    assert claim.categories == ((IO, IDLE) if idle else (IO,))


@pytest.mark.parametrize(
    ("here", "there", "named"),
    [
        (9 * MIB, 10 * MIB, True),
        (9 * MIB - 1, 10 * MIB, False),
        (KIB256, KIB256, True),
        (KIB256 - 1, KIB256 - 1, False),
        (None, 10 * MIB, False),
        (0.0, 0.0, False),
    ],
)
def test_a_disk_is_slower_where_the_same_bytes_of_storage_are_waited_for(
    here: float | None, there: float, named: bool
) -> None:
    base, treated = ({"read_bytes": size, "write_bytes": 0.0} for size in (here, there))
    assert (rules.disk_throughput(case(base=base, treated=treated)) is not None) is named


@pytest.mark.parametrize(("reported", "categories"), [(True, (IO,)), (False, (IO, IDLE))])
def test_waits_for_storage_that_nothing_tells_are_idle_time(
    reported: bool, categories: tuple[Category, ...]
) -> None:
    base: Figures = {"logical_bytes": 1e9, "read_bytes": 1e6, "write_bytes": 1e6}
    disk = rules.disk_throughput(case(base=base, treated={**base, "io_known": reported}))
    cold = rules.cold_cache(case(base=base, treated={**base, "io_known": reported, "read_bytes": 1.5e6}))
    assert disk is not None
    assert cold is not None
    assert (disk.categories, cold.categories) == (categories, categories)


@pytest.mark.parametrize(
    ("treated", "alone"),
    [
        ({"others_s": 3.99}, True),  # half of 4 s on two processors
        ({"others_s": 4.0}, False),
        ({"threads": 2, "cpus": 2}, False),
        ({"threads": 3, "cpus": 2}, True),
        ({"threads": 3, "cpus": 2, "steal_s": 3.99}, True),
        ({"threads": 3, "cpus": 2, "steal_s": 4.0}, False),
        ({"threads": 1, "cpus": 2, "others_s": 0.0, "steal_s": 0.0}, True),
    ],
)
def test_others_have_the_processors_from_half_of_the_wait_on(treated: Figures, alone: bool) -> None:
    claim = rules.run_queue(case({QUEUE: 1.0}, {QUEUE: 4.0}, treated={"parallelism": 2, **treated}))
    assert claim is not None
    assert claim.sentence.startswith("More copies than" if alone else "Others have") is True


@pytest.mark.parametrize(
    ("base", "treated", "named"),
    [
        (None, "tcg", True),
        ("kvm", "tcg", True),
        ("tcg", "tcg", False),
        (None, "kvm", False),
        (None, None, False),
    ],
)
def test_emulation_is_named_where_the_treatment_alone_is_emulated(
    base: str | None, treated: str | None, named: bool
) -> None:
    claim = rules_cpu.emulation(case(base={"accelerator": base}, treated={"accelerator": treated}))
    assert (claim is not None) is named
    assert claim is None or claim.categories == (USER, SYSTEM)
