"""Swap, heat and a CPU quota."""

from __future__ import annotations

from dataclasses import replace

from assay.explain.sanity import Sampled
from assay.explain.sanity.pressure import swap, throttled
from assay.model.machines.machine import Limits
from assay.report.doubts import worded
from tests.explain.sanity.both import HERE, QUIET, THERE, both


def test_memory_in_swap_is_doubted_and_a_few_pages_are_not() -> None:
    (doubt,) = swap(both(sampled={THERE.name: Sampled(swap_bytes=256 << 20, swapped_pages=70_000)}))
    assert doubt.code == "swap"
    assert "256 MiB of the job was in swap and the machine moved 70000 pages" in worded(doubt).sentence
    assert list(swap(both(sampled={HERE.name: Sampled(swap_bytes=4096, swapped_pages=3)}))) == []


def test_heat_is_doubted_with_its_count_and_time() -> None:
    (doubt,) = throttled(both(sampled={HERE.name: Sampled(heat_count=12, heat_s=3.5)}))
    assert doubt.code == "throttled"
    assert "12 times, 3.5 s in all" in worded(doubt).sentence
    assert list(throttled(both(sampled={HERE.name: Sampled(heat_count=1, heat_s=0.01)}))) == []
    assert len(list(throttled(both(sampled={HERE.name: Sampled(heat_count=1)})))) == 1


def test_a_used_up_quota_is_doubted_with_the_time_that_it_took() -> None:
    stood = replace(QUIET, throttled_s=50.0)
    (doubt,) = throttled(both(QUIET, stood, there={"limits": Limits((1,), cpu_quota=0.5)}))
    assert "on other stood still for 50 s of 100 s" in worded(doubt).sentence
    assert "CPU quota of 50%" in worded(doubt).sentence
    assert list(throttled(both(replace(QUIET, throttled_s=0.2)))) == []
