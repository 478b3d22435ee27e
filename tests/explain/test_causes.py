"""Causes: what the figures of hand-made trials are named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assay.explain.budget import Budget, budget
from assay.explain.causes import Cause, causes
from assay.explain.cpu import Work
from assay.explain.evidence import Seen
from assay.explain.split import Use, split

NOISE = (0.99, 1.0, 1.01)
MIB = 1 << 20
HOST = Seen(
    "host", 10.0, throttled_s=0.0, limit_hits=0.0, major_faults=2.0, minor_faults=900.0,
    read_bytes=100.0 * MIB, write_bytes=0.0, logical_bytes=100.0 * MIB, steal_s=0.0, waits=50.0,
    io_known=True, queue_known=True,
)  # fmt: skip


def _made(**grown: float) -> Budget:
    """Return the budget of a job of 10 s on a processor whose times grow by these seconds, in
    three blocks.
    """
    more = {"user_s": 0.0, "system_s": 0.0, "io_s": 0.0, "queue_s": 0.0, "idle_s": 0.0} | grown
    blocks = []
    for noise in NOISE:
        base = Use("total", 10.0, 8.0, 1.0, 0.5, 0.1)
        treated = Use(
            "total", 10.0 + noise * sum(more.values()), 8.0 + noise * more["user_s"],
            1.0 + noise * more["system_s"],
            0.5 + noise * more["io_s"], 0.1 + noise * more["queue_s"],
        )  # fmt: skip
        blocks.append((split([base], 1), split([treated], 1)))
    return budget(blocks)


def _guest(**changes: Any) -> Seen:
    return replace(HOST, label="guest", wall_s=20.0, **changes)


def _codes(made: Budget, treated: Seen, base: Seen = HOST) -> list[str]:
    return [cause.code for cause in causes(made, base, treated)]


@pytest.mark.parametrize(
    ("grown", "changes", "code"),
    [
        ({"queue_s": 10.0}, {"throttled_s": 10.0, "quota": 0.5}, "cpu-quota"),
        ({"queue_s": 10.0}, {}, "run-queue"),
        ({"queue_s": 10.0}, {"throttled_s": 1.0, "quota": 0.5}, "run-queue"),
        ({"queue_s": 10.0}, {"steal_s": 9.0}, "run-queue"),
        ({"io_s": 5.0}, {}, "disk-throughput"),
        ({"io_s": 5.0}, {"read_bytes": 300.0 * MIB}, "cold-cache"),
        ({"io_s": 5.0}, {"read_bytes": 300.0 * MIB, "logical_bytes": 300.0 * MIB}, "io-wait"),
        ({"io_s": 5.0}, {"read_bytes": None}, "io-wait"),
        ({"io_s": 4.0, "system_s": 1.0}, {"limit_hits": 5000.0, "read_bytes": 300.0 * MIB}, "memory-limit"),
        ({"io_s": 4.0}, {"major_faults": 9000.0, "memory_bytes": 50 * MIB}, "memory-limit"),
        ({"user_s": 20.0, "system_s": 9.0}, {"accelerator": "tcg"}, "emulation"),
        ({"user_s": 2.0}, {"accelerator": "kvm"}, "slower-cpu"),
        ({"system_s": 2.0}, {"minor_faults": 90000.0}, "kernel-time"),
        ({"idle_s": 2.0}, {"waits": 400.0}, "waiting"),
    ],
)
def test_each_figure_has_its_name(grown: dict[str, float], changes: dict[str, Any], code: str) -> None:
    (cause,) = causes(_made(**grown), HOST, _guest(**changes))
    assert cause.code == code
    assert cause.share == pytest.approx(1.0, abs=0.02)
    assert cause.contribution.value == pytest.approx(_made(**grown).loss.value, rel=0.02)
    assert "guest" in cause.sentence
    assert cause.next


def test_the_largest_cause_comes_first_and_small_ones_are_not_named() -> None:
    assert _codes(_made(io_s=2.0, idle_s=5.0, system_s=0.2), _guest()) == ["waiting", "disk-throughput"]


def test_no_cause_is_named_where_the_losss_interval_holds_zero() -> None:
    base = split([Use("total", 10.0, 10.0, 0.0)], 1)
    blocks = [(base, split([Use("total", t, t, 0.0)], 1)) for t in (9.0, 10.0, 11.5)]
    assert causes(budget(blocks), HOST, _guest()) == ()
    assert causes(budget(blocks[2:]), HOST, _guest()) == ()


def test_a_gain_has_no_causes_of_loss() -> None:
    assert _codes(_made(user_s=-2.0), _guest()) == []


def test_a_quota_is_named_even_where_the_kernel_tells_of_no_throttling() -> None:
    unknown: dict[str, Any] = {"throttled_s": None, "queue_known": False}
    found = _codes(_made(idle_s=10.0), _guest(quota=0.5, **unknown), replace(HOST, **unknown))
    assert found == ["cpu-quota"]


def test_a_wait_for_the_disk_that_nothing_tells_is_found_in_the_idle_time() -> None:
    found = _codes(_made(idle_s=10.0), _guest(io_known=False), replace(HOST, io_known=False))
    assert found == ["disk-throughput"]


def test_idle_time_of_a_job_that_hardly_touches_storage_is_no_disks() -> None:
    quiet: dict[str, Any] = {"io_known": False, "read_bytes": 4096.0, "logical_bytes": 8192.0}
    assert _codes(_made(idle_s=10.0), _guest(**quiet), replace(HOST, **quiet)) == ["waiting"]


def test_counters_say_why_a_processor_is_slower() -> None:
    base, treated = Work(1e10, 1e10, 4.0), Work(1e10, 1.5e10, 6.0)
    (cause,) = causes(_made(user_s=4.0), replace(HOST, work=base), _guest(work=treated))
    assert "1.5 times the cycles for each" in cause.sentence
    assert "cache" in cause.next


def test_a_guests_cause_says_what_its_host_saw() -> None:
    (cause,) = causes(
        _made(user_s=30.0), HOST, _guest(accelerator="tcg", vcpu_s=38.0, other_s=1.5, exits=9e5)
    )
    assert "QEMU took 38 s for the vCPUs and 1.5 s beside them, with 900000 exits" in cause.sentence


def test_a_cold_start_is_another_cut_of_the_same_loss() -> None:
    base = split([Use("init", 2.0, 2.0, 0.0), Use("event-loop", 20.0, 20.0, 0.0)], 1)
    blocks = [
        (base, split([Use("init", 2 + 5 * n, 2.0, 0.0, 5 * n), Use("event-loop", 20.0, 20.0, 0.0)], 1))
        for n in NOISE
    ]
    found: dict[str, Cause] = {cause.code: cause for cause in causes(budget(blocks), HOST, _guest())}
    assert set(found) == {"cold-start", "disk-throughput"}
    assert found["cold-start"].overlaps
    assert not found["disk-throughput"].overlaps


def test_the_start_of_a_job_of_one_phase_is_no_cold_start() -> None:
    base = split([Use("init", 2.0, 2.0, 0.0)], 1)
    blocks = [(base, split([Use("init", 2 + 5 * n, 2 + 5 * n, 0.0)], 1)) for n in NOISE]
    assert _codes(budget(blocks), _guest()) == ["slower-cpu"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"others_s": 0.5}, "More copies than processors on guest"),
        ({"threads": 3}, "More copies than processors on guest"),
        ({"threads": 3, "others_s": 9.0}, "Others have the processors of guest"),
        ({"threads": 3, "steal_s": 9.0}, "a hypervisor took 9 s"),
        ({"threads": 3, "cpus": 4}, "Others have the processors of guest"),
    ],
)
def test_others_have_the_processors_only_where_these_were_busy(changes: dict[str, Any], words: str) -> None:
    (cause,) = causes(_made(queue_s=10.0), HOST, _guest(**changes))
    assert cause.code == "run-queue"
    assert words in cause.sentence


@pytest.mark.parametrize(
    ("parallelism", "words"), [(1, "for 3.9 s of"), (2, "for 3.9 s, summed over processors, of")]
)
def test_throttling_on_several_processors_is_said_to_be_summed(parallelism: int, words: str) -> None:
    (cause,) = causes(_made(queue_s=5.0), HOST, _guest(throttled_s=3.9, parallelism=parallelism))
    assert words in cause.sentence


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"read_bytes": 300.0 * MIB}, "cold-cache"),
        ({"read_bytes": 300.0 * MIB, "read_limit": 20 * MIB}, "cold-cache"),
        ({"read_bytes": 300.0 * MIB, "read_limit": 100 * MIB}, "waiting"),  # 2 s of 10
        ({"read_bytes": 102.0 * MIB}, "waiting"),
        ({"read_bytes": 300.0 * MIB, "logical_bytes": 300.0 * MIB}, "waiting"),
    ],
)
def test_a_cold_cache_is_found_in_idle_time_that_its_bytes_explain(
    changes: dict[str, Any], code: str
) -> None:
    assert _codes(_made(idle_s=10.0), _guest(**changes)) == [code]


def test_few_bytes_at_any_rate_explain_no_long_idle_time() -> None:
    small = replace(HOST, read_bytes=0.0)
    assert _codes(_made(idle_s=10.0), _guest(read_bytes=2.0 * MIB), small) == ["waiting"]
    assert _codes(_made(idle_s=10.0), _guest(read_bytes=4.0 * MIB), small) == ["cold-cache"]


def test_emulation_is_no_cause_of_a_loss_between_two_emulated_guests() -> None:
    base = replace(HOST, label="guest", accelerator="tcg")
    found = _codes(_made(user_s=20.0, system_s=9.0), _guest(accelerator="tcg"), base)
    assert "emulation" not in found
    assert "slower-cpu" in found
