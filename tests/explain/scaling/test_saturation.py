"""The resource that saturates, from figures at few workers and at many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from assay.explain.scaling import Resource, Saturation, ScalePoint, scaling_of
from tests.explain.scaling.curves import Shape, measured, plateau

Figures = Callable[[int], dict[str, float]]
CORES = 8


def found(figures: Figures, shape: Shape | None = None) -> Saturation:
    """Return what saturates of a curve on eight processors with a plateau at six workers."""
    points = measured(shape or plateau(6), blocks=3)
    reported = [replace(p, **{"processors": CORES, **figures(p.workers)}) for p in points]  # type: ignore[arg-type]
    return scaling_of(reported).saturation


def cpu(share: float) -> Figures:
    """Return processors in use in proportion to the rate, up to a share."""
    return lambda workers: {"cpu_share": share * min(workers, 6) / 6, "system_share": 0.02}


def disk(rate: float, share: float, **more: float) -> Figures:
    return lambda w: {**cpu(share)(w), "disk_bytes_per_s": rate * min(w, 6) / 6, **more}


def test_busy_processors_are_the_limit() -> None:
    reported = found(cpu(0.98))
    assert reported.resource is Resource.CPU
    assert "the 8 processors are 98% busy" in reported.sentence


def test_two_numbers_of_workers_neither_grow_nor_end() -> None:
    points = [point for point in measured(plateau(6), blocks=3) if point.workers <= 2]
    assert {point.workers for point in points} == {1, 2}
    reported = scaling_of(points)
    assert reported.knee is None
    assert reported.saturation.sentence == "A knee is looked for from three numbers of workers on."


def test_processors_that_others_have_are_told_by_the_run_queue() -> None:
    reported = found(lambda w: {**cpu(0.4)(w), "run_queue_share": 0.02 if w < 6 else 0.5})
    assert reported.resource is Resource.CPU
    assert (
        "waits for a processor 50% of the time, and the workers use 40% of the processors"
        in reported.sentence
    )
    for steady in (0.05, 0.4):
        assert found(lambda w, s=steady: {**cpu(0.4)(w), "run_queue_share": s}).resource is Resource.UNKNOWN


def test_workers_that_wait_for_each_other_alone_do_not_hide_a_disk() -> None:
    def crowd(workers: int) -> dict[str, float]:
        waits = {"run_queue_share": max(0.0, 1 - 2 / workers)}
        return {**disk(55e6, 0.6, disk_busy_share=0.97)(workers), **waits, "processors": 2}

    assert found(crowd).resource is Resource.DISK_THROUGHPUT


def test_others_are_found_behind_workers_that_wait_for_each_other() -> None:
    reported = found(
        lambda w: {**cpu(0.5)(w), "processors": 2, "run_queue_share": max(0.0, 1 - (1 if w > 4 else 2) / w)}
    )
    assert reported.resource is Resource.CPU
    assert "somebody else" in reported.sentence


def test_a_disk_that_moves_no_more_with_processors_to_spare_is_the_limit() -> None:
    reported = found(disk(55e6, 0.5))
    assert reported.resource is Resource.DISK_THROUGHPUT
    assert "the disk moves 55 MB/s" in reported.sentence
    assert "the processors are 50% busy" in reported.sentence


def test_a_disk_that_is_not_busy_is_not_the_limit() -> None:
    assert found(disk(55e6, 0.5, disk_busy_share=0.3)).resource is Resource.UNKNOWN
    assert found(disk(55e6, 0.5, disk_busy_share=0.99)).resource is Resource.DISK_THROUGHPUT


def test_reading_at_the_limit_of_a_control_group_is_told_with_both_rates() -> None:
    def held(workers: int) -> dict[str, float]:
        more = {"read_limit_bytes_per_s": 20e6, "read_limit_share": 0.99 * min(workers, 6) / 6}
        return {**disk(20e6, 0.95, disk_busy_share=0.04)(workers), **more}

    reported = found(held)
    assert reported.resource is Resource.DISK_THROUGHPUT
    assert "19.8 MB/s are read from the disk, 99% of the 20 MB/s" in reported.sentence
    assert found(lambda w: {**held(w), "read_limit_share": 0.5}).resource is Resource.CPU


def test_a_disk_that_is_held_back_before_it_is_reached_is_told_by_the_waits_for_it() -> None:
    reported = found(disk(55e6, 0.6, disk_busy_share=0.1, io_wait_share=0.4))
    assert reported.resource is Resource.DISK_THROUGHPUT
    assert "no more with more workers, is busy 10% of the time, workers wait 40%" in reported.sentence
    assert reported.next is not None
    assert "io.max" in reported.next
    assert found(disk(55e6, 0.6, disk_busy_share=0.1, io_wait_share=0.1)).resource is Resource.UNKNOWN


def test_a_disk_that_seeks_is_limited_by_latency() -> None:
    def seeking(workers: int) -> dict[str, float]:
        late = 0.004 if workers <= 4 else 0.020
        return {"cpu_share": 0.2, "disk_bytes_per_s": 55e6 if workers == 4 else 25e6, "disk_latency_s": late}

    reported = found(seeking)
    assert reported.resource is Resource.DISK_LATENCY
    assert "20 ms behind the knee and 4 ms" in reported.sentence
    assert found(lambda w: {**seeking(w), "disk_busy_share": 0.02}).resource is Resource.UNKNOWN


def test_a_kernel_that_takes_ever_more_of_the_cpu_time_is_lock_contention() -> None:
    reported = found(lambda w: {"cpu_share": min(w, 8) / 8, "system_share": 0.02 if w < 6 else 0.7})
    assert reported.resource is Resource.LOCKS
    assert "70% of the CPU time is spent in the kernel, 2% with the fewest workers" in reported.sentence


def test_a_kernel_share_that_was_always_there_is_not_contention() -> None:
    assert found(lambda w: {"cpu_share": min(w, 6) / 6, "system_share": 0.3}).resource is Resource.CPU


@pytest.mark.parametrize(
    "figures",
    [
        lambda w: {"cpu_share": min(w, 8) / 8, "cycles_per_instruction": 0.8 if w < 6 else 1.6},
        lambda w: {"cpu_share": min(w, 8) / 8, "memory_bytes_per_s": 2e9 * min(w, 4)},
    ],
)
def test_workers_that_wait_for_memory_are_told_by_cycles_or_by_memorys_throughput(figures: Figures) -> None:
    shape = plateau(4)
    assert found(figures, shape).resource is Resource.MEMORY


def test_busy_processors_that_get_less_done_are_not_called_the_limit() -> None:
    reported = found(lambda w: {"cpu_share": min(w, 8) / 8, "system_share": 0.02}, plateau(4))
    assert reported.resource is Resource.UNKNOWN
    assert "times the CPU time for the same work" in reported.sentence
    assert reported.next is not None
    assert "cycles, instructions" in reported.next


def test_without_figures_it_is_unknown_and_says_what_to_watch() -> None:
    reported = found(lambda _: {})
    assert reported.resource is Resource.UNKNOWN
    assert reported.next is not None
    assert "watch: [disks, delay]" in reported.next


def test_a_curve_without_a_knee_saturates_nothing() -> None:
    assert found(cpu(0.5), plateau(100)).resource is Resource.NONE


def test_a_single_point_is_a_curve_without_a_knee() -> None:
    scaling = scaling_of([ScalePoint(1, 0, 3.0)])
    assert (scaling.knee, scaling.best) == (None, 1)
