"""The rules of saturation: a row just below each threshold, at it and above it, and what each says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from assay.explain.scaling import Resource, Saturation, ScalePoint, saturation
from assay.explain.scaling import rules as made
from assay.explain.scaling.ends import Ends

Figures = dict[str, Any]
Rule = Callable[[Ends], Saturation | None]


def ends(few: Figures, *many: Figures) -> Ends:
    """Return a curve's ends: 100 a second with one worker, 400 with each of 4, 5, … workers."""
    return Ends(
        [ScalePoint(1, 0, 100.0, **few)],
        [ScalePoint(4 + at, 0, 400.0, **figures) for at, figures in enumerate(many)],
    )


def latency(found: Ends) -> Saturation | None:
    """Judge the disk's latency; the best throughput was that of two workers, 100 MB/s."""
    return made.latency(found, [*found.few, *found.many, ScalePoint(2, 0, 200.0, disk_bytes_per_s=100e6)])


SLOW: Figures = {"disk_latency_s": 0.004}
CPU: Figures = {"cpu_share": 0.5}
GROWN: Figures = {"cpu_share": 0.25, "memory_bytes_per_s": 1e9}
DISK: Figures = {"cpu_share": 0.5, "disk_bytes_per_s": 50e6}
HELD: Figures = {**DISK, "disk_busy_share": 0.5, "io_wait_share": 0.2}


@pytest.mark.parametrize(
    ("rule", "few", "many", "holds"),
    [
        (made.limit, {}, {"read_limit_share": 0.84, "read_limit_bytes_per_s": 1e6}, False),
        (made.limit, {}, {"read_limit_share": 0.85, "read_limit_bytes_per_s": 1e6}, True),
        (made.limit, {}, {"read_limit_share": 0.95}, False),
        (made.limit, {}, {"read_limit_bytes_per_s": 1e6}, False),
        (made.locks, {"system_share": 0.10}, {"system_share": 0.19}, False),
        (made.locks, {"system_share": 0.10}, {"system_share": 0.20}, True),
        (made.locks, {"system_share": 0.11}, {"system_share": 0.21}, False),  # not doubled
        (made.locks, {}, {"system_share": 0.20}, True),
        (made.locks, {"system_share": 0.10}, {}, False),
        (made.memory, {"cycles_per_instruction": 1.0}, {"cycles_per_instruction": 1.25}, False),
        (made.memory, {"cycles_per_instruction": 1.0}, {"cycles_per_instruction": 1.26}, True),
        (made.memory, {}, {"cycles_per_instruction": 5.0}, False),
        (made.memory, {"cycles_per_instruction": 1.0}, {}, False),
        (made.memory, GROWN, {"cpu_share": 1.25, "memory_bytes_per_s": 2e9}, False),
        # 1.25 times the CPU time
        (made.memory, GROWN, {"cpu_share": 1.26, "memory_bytes_per_s": 2e9}, True),
        (made.memory, GROWN, {"cpu_share": 1.26, "memory_bytes_per_s": 1.1e9}, False),  # it did not grow
        (made.memory, GROWN, {"cpu_share": 1.26, "memory_bytes_per_s": 1.11e9}, True),
        (made.memory, GROWN, {"cpu_share": 1.26}, False),
        (made.memory, {}, {"cpu_share": 1.26, "memory_bytes_per_s": 2e9}, False),
        (made.cpu, {}, {"cpu_share": 0.89}, False),
        (made.cpu, {}, {"cpu_share": 0.90}, True),
        (made.cpu, {"cpu_share": 0.1875}, {"cpu_share": 0.9375}, True),
        # 1.25 times the CPU time for the work
        (made.cpu, {"cpu_share": 0.18}, {"cpu_share": 0.9375}, False),
        (made.cpu, {}, {"run_queue_share": 0.5}, False),
        (made.cpu, {"run_queue_share": 0.0}, {**CPU, "run_queue_share": 0.19}, False),
        (made.cpu, {"run_queue_share": 0.0}, {**CPU, "run_queue_share": 0.20}, True),
        (made.cpu, {"run_queue_share": 0.25}, {**CPU, "run_queue_share": 0.34}, False),
        (made.cpu, {"run_queue_share": 0.25}, {**CPU, "run_queue_share": 0.35}, True),
        (made.cpu, {}, {**CPU, "run_queue_share": 0.20}, True),
        (made.cpu, {"run_queue_share": 0.0}, CPU, False),
        (latency, SLOW, {"disk_latency_s": 0.0079, "disk_bytes_per_s": 90e6}, False),
        (latency, SLOW, {"disk_latency_s": 0.008, "disk_bytes_per_s": 90e6}, True),
        (latency, SLOW, {"disk_latency_s": 0.008, "disk_bytes_per_s": 90.1e6}, False),
        (latency, SLOW, {"disk_latency_s": 0.008, "disk_bytes_per_s": 90e6, "disk_busy_share": 0.49}, False),
        (latency, SLOW, {"disk_latency_s": 0.008, "disk_bytes_per_s": 90e6, "disk_busy_share": 0.50}, True),
        (latency, SLOW, {"disk_latency_s": 0.008}, False),
        (latency, SLOW, {"disk_bytes_per_s": 90e6}, False),
        (latency, {}, {"disk_latency_s": 0.008, "disk_bytes_per_s": 90e6}, False),
        (made.throughput, {}, {"disk_bytes_per_s": 1e6, "disk_busy_share": 0.89}, False),
        (made.throughput, {}, {"disk_bytes_per_s": 1e6, "disk_busy_share": 0.90}, True),
        (made.throughput, {}, {"disk_bytes_per_s": 0.99e6, "disk_busy_share": 0.90}, False),
        (made.throughput, {}, {"disk_busy_share": 0.95}, False),
        (made.throughput, {"disk_bytes_per_s": 40e6}, DISK, True),
        (made.throughput, {"disk_bytes_per_s": 40e6}, {**DISK, "cpu_share": 0.90}, False),
        (made.throughput, {"disk_bytes_per_s": 40e6}, {**DISK, "cpu_share": 0.89}, True),
        (made.throughput, {"disk_bytes_per_s": 40e6}, {"disk_bytes_per_s": 50e6}, False),
        (made.throughput, {"disk_bytes_per_s": 46e6}, DISK, False),  # it did not grow by a tenth
        (made.throughput, {}, DISK, False),
        (made.throughput, {"disk_bytes_per_s": 40e6}, {**HELD, "io_wait_share": 0.19}, False),
        (made.throughput, {"disk_bytes_per_s": 40e6}, HELD, True),
        (made.throughput, {"disk_bytes_per_s": 40e6}, {**HELD, "io_wait_share": None}, False),
    ],
)  # fmt: skip
def test_a_rule_holds_from_its_threshold_on(rule: Rule, few: Figures, many: Figures, holds: bool) -> None:
    assert (rule(ends(few, many)) is not None) is holds


def test_a_disk_of_less_than_a_megabyte_a_second_has_no_latency_that_counts() -> None:
    for best, holds in ((0.99e6, False), (1e6, True)):
        few, many = (
            {"disk_latency_s": 0.004, "disk_bytes_per_s": best},
            {"disk_latency_s": 0.02, "disk_bytes_per_s": 0.1e6},
        )
        found = ends(few, many)
        assert (made.latency(found, [*found.few, *found.many]) is not None) is holds


@pytest.mark.parametrize(
    ("values", "holds"), [((45e6, 50e6), True), ((44.9e6, 50e6), False), ((50e6, 50e6, 44e6), False)]
)
def test_a_throughput_stands_still_within_a_tenth(values: tuple[float, ...], holds: bool) -> None:
    many = [{**DISK, "disk_bytes_per_s": value} for value in values]
    assert (made.throughput(ends({"disk_bytes_per_s": 20e6}, *many)) is not None) is holds


@pytest.mark.parametrize(
    ("workers", "threads", "processors", "share", "holds"),
    [
        (
            4,
            1,
            2,
            0.59,
            False,
        ),  # they wait half of the time for each other, and 0.18 of their turn for others
        (4, 1, 2, 0.61, True),
        (2, 2, 2, 0.61, True),
        (1, 4, 8, 0.20, True),
        (1, 4, 8, 0.19, False),
        (4, 1, None, 0.20, True),
        (4, 2, None, 0.19, False),
    ],
)
def test_workers_wait_for_others_only_longer_than_for_each_other(
    workers: int, threads: int, processors: int | None, share: float, holds: bool
) -> None:
    many = ScalePoint(
        workers, 0, 1.0, processors=processors, cpu_share=0.5, run_queue_share=share, threads=threads
    )
    assert (made.cpu(Ends([], [many])) is not None) is holds


SPREAD = "Spread the workers over memory nodes (memory_nodes), run fewer at once, or use huge pages."
MORE = "More processors, or less work for an event, is what would lift the rate."
FASTER = "Use more or faster disks, or preload the input."


@pytest.mark.parametrize(
    ("rule", "few", "many", "expected"),
    [
        (
            made.limit,
            {},
            {"read_limit_share": 0.95, "read_limit_bytes_per_s": 20e6, "cpu_share": 0.4},
            Saturation(
                Resource.DISK_THROUGHPUT,
                "Behind the knee 19 MB/s are read from the disk, 95% of the 20 MB/s to which a "
"control group limits it (disk.read-limit), and the processors are 40% busy.",
                "Raise the limit, or read less from the disk.",
            ),
        ),
        (
            made.limit,
            {},
            {"read_limit_share": 0.95, "read_limit_bytes_per_s": 20e6},
            Saturation(
                Resource.DISK_THROUGHPUT,
                "Behind the knee 19 MB/s are read from the disk, 95% of the 20 MB/s to which a "
"control group limits it (disk.read-limit).",
                "Raise the limit, or read less from the disk.",
            ),
        ),
        (
            made.locks,
            {"system_share": 0.05},
            {"system_share": 0.4},
            Saturation(
                Resource.LOCKS,
                "Behind the knee 40% of the CPU time is spent in the kernel, 5% with the fewest "
"workers: workers wait for its locks.",
                "Profile the kernel ('profile: {scope: machine}', as root).",
            ),
        ),
        (
            made.locks,
            {},
            {"system_share": 0.4},
            Saturation(
                Resource.LOCKS,
                "Behind the knee 40% of the CPU time is spent in the kernel: workers wait for its locks.",
                "Profile the kernel ('profile: {scope: machine}', as root).",
            ),
        ),
        (
            made.memory,
            {"cycles_per_instruction": 0.8},
            {"cycles_per_instruction": 1.6},
            Saturation(
                Resource.MEMORY,
                "An instruction takes 1.6 cycles behind the knee and 0.8 with the fewest "
"workers: they wait for memory, or push each other out of the shared cache.",
                SPREAD,
            ),
        ),
        (
            made.memory,
            {"cpu_share": 0.1, "processors": 8, "memory_bytes_per_s": 4e9},
            {"cpu_share": 0.8, "processors": 8, "memory_bytes_per_s": 12.5e9},
            Saturation(
                Resource.MEMORY,
                "The same work takes 2 times the CPU time behind the knee, and memory moves 12.5 "
"GB/s and no more with more workers.",
                SPREAD,
            ),
        ),
        (
            made.cpu,
            {},
            {"cpu_share": 0.97, "processors": 8},
            Saturation(Resource.CPU, "Behind the knee the 8 processors are 97% busy.", MORE),
        ),
        (
            made.cpu,
            {},
            {"cpu_share": 0.97, "processors": 1},
            Saturation(Resource.CPU, "Behind the knee the processor is 97% busy.", MORE),
        ),
        (
            made.cpu,
            {},
            {"cpu_share": 0.97},
            Saturation(Resource.CPU, "Behind the knee the processor is 97% busy.", MORE),
        ),
        (
            made.cpu,
            {},
            {"cpu_share": 0.4, "run_queue_share": 0.3},
            Saturation(
                Resource.CPU,
                "Behind the knee a worker is ready and waits for a processor 30% of the time, "
"and the workers use 40% of the processors: a quota, or somebody else, has the rest.",
                "End what else runs there, or raise the quota, and measure again.",
            ),
        ),
        (
            latency,
            SLOW,
            {"disk_latency_s": 0.02, "disk_bytes_per_s": 25e6},
            Saturation(
                Resource.DISK_LATENCY,
                "A request to the disk takes 20 ms behind the knee and 4 ms with the fewest "
"workers, and its 25 MB/s are below the best 100: the workers make it seek.",
                "Stagger the workers, read ahead, or use more or faster disks.",
            ),
        ),
        (
            made.throughput,
            {},
            {"disk_bytes_per_s": 55e6, "disk_busy_share": 0.97},
            Saturation(
                Resource.DISK_THROUGHPUT,
                "Behind the knee the disk moves 55 MB/s, is busy 97% of the time.",
                FASTER,
            ),
        ),
        (
            made.throughput,
            {"disk_bytes_per_s": 25e6},
            {"disk_bytes_per_s": 55e6, "cpu_share": 0.6},
            Saturation(
                Resource.DISK_THROUGHPUT,
                "Behind the knee the disk moves 55 MB/s, no more with more workers, the "
"processors are 60% busy.",
                FASTER,
            ),
        ),
        (
            made.throughput,
            {"disk_bytes_per_s": 25e6},
            {"disk_bytes_per_s": 55e6, "cpu_share": 0.6, "disk_busy_share": 0.97, "io_wait_share": 0.4},
            Saturation(
                Resource.DISK_THROUGHPUT,
                "Behind the knee the disk moves 55 MB/s, is busy 97% of the time, the processors "
"are 60% busy.",
                FASTER,
            ),
        ),
        (
            made.throughput,
            {"disk_bytes_per_s": 25e6},
            {"disk_bytes_per_s": 55e6, "cpu_share": 0.6, "disk_busy_share": 0.1, "io_wait_share": 0.4},
            Saturation(
                Resource.DISK_THROUGHPUT,
                "Behind the knee the disk moves 55 MB/s, no more with more workers, is busy 10% "
"of the time, workers wait 40% of the time for it, the processors are 60% busy.",
                "Look for a limit before the disk (io.max, its hypervisor).",
            ),
        ),
    ],
)  # fmt: skip
def test_what_saturates_is_told_word_for_word(
    rule: Rule, few: Figures, many: Figures, expected: Saturation
) -> None:
    assert rule(ends(few, many)) == expected


def curve(few: Figures, many: Figures) -> list[ScalePoint]:
    """Return a curve of 1, 4 and 8 workers that grows to 4."""
    return [
        ScalePoint(count, 0, 100.0 * min(count, 4), **(few if count == 1 else many)) for count in (1, 4, 8)
    ]


EVERY: Figures = {
    "cpu_share": 0.5, "system_share": 0.1, "disk_bytes_per_s": 1e6, "disk_busy_share": 0.3,
    "io_wait_share": 0.1, "run_queue_share": 0.05, "cycles_per_instruction": 1.0,
}  # fmt: skip
FEW: Figures = {**EVERY, "cpu_share": 0.1}
COUNTERS = "'counters: [cycles, instructions, cache-misses]'"
QUEUES = "a probe that tells waits for a processor ('watch: [delay]' tells those of an event loop)"
DISKS = "'watch: [disks, delay]'"


def test_what_is_unknown_is_told_with_all_that_was_measured() -> None:
    found = saturation(curve(FEW, EVERY), 4.0)
    assert found == Saturation(
        Resource.UNKNOWN,
        "Nothing that was measured tells what limits behind the knee (processors 50% busy, 10% "
        "of the CPU time in the "
        "kernel, disk 1 MB/s, disk 30% busy, 10% of the time waiting for storage, workers 5% of "
        "their time in the run queue).",
        "Look for a lock in the program itself (profile).",
    )
    more = saturation(curve({**FEW, "cpu_share": 0.05}, EVERY), 4.0)
    assert more.sentence.endswith("in the run queue, 2.5 times the CPU time for the same work).")
    little = saturation(curve(FEW, {**EVERY, "disk_bytes_per_s": 0.9e6}), 4.0)
    assert "MB/s" not in little.sentence


@pytest.mark.parametrize(
    ("left_out", "step"),
    [
        (("cycles_per_instruction",), f"Measure again with {COUNTERS}."),
        (("run_queue_share",), f"Measure again with {QUEUES}."),
        (("disk_busy_share",), f"Measure again with {DISKS}."),
        (tuple(EVERY), f"Measure again with {COUNTERS} and {QUEUES} and {DISKS}."),
    ],
)
def test_what_is_unknown_says_what_to_measure(left_out: tuple[str, ...], step: str) -> None:
    known = {name: value for name, value in EVERY.items() if name not in left_out}
    known["disk_bytes_per_s"] = 0.0
    found = saturation(curve(known, known), 4.0)
    assert (found.resource, found.next) == (Resource.UNKNOWN, step)
    if len(left_out) > 1:
        assert found.sentence == "Nothing that was measured tells what limits behind the knee."


def test_without_a_knee_nothing_saturates() -> None:
    points = curve({}, {})
    reported = Saturation(Resource.NONE, "The rate grows with the workers as far as it was measured.")
    assert saturation(points, None) == reported
    assert saturation(points[:2], None) == Saturation(
        Resource.NONE, "A knee is looked for from three numbers of workers on."
    )


@pytest.mark.parametrize(("knee", "share"), [(4.0, 0.94), (4.4, 0.94), (4.5, 0.97), (8.0, 0.97), (1.0, 0.94)])
def test_behind_the_knee_is_from_a_tenth_before_it_on(knee: float, share: float) -> None:
    points = [ScalePoint(count, 0, 1.0, cpu_share=s) for count, s in ((1, 0.93), (4, 0.91), (8, 0.97))]
    assert saturation(points, knee).sentence == f"Behind the knee the processor is {share:.0%} busy."


def test_the_rules_are_asked_in_their_order() -> None:
    every: Figures = {
        "read_limit_share": 0.95, "read_limit_bytes_per_s": 1e6, "system_share": 0.5,
        "cycles_per_instruction": 2.0, "cpu_share": 0.95, "disk_latency_s": 0.02, "disk_bytes_per_s": 50e6,
        "disk_busy_share": 0.95,
    }  # fmt: skip
    few: Figures = {
        "system_share": 0.1, "cycles_per_instruction": 1.0, "cpu_share": 0.25, "disk_latency_s": 0.004,
        "disk_bytes_per_s": 80e6,
    }  # fmt: skip
    found = []
    for gone in ("read_limit_share", "system_share", "cycles_per_instruction", "cpu_share", "disk_latency_s"):
        found.append(saturation(curve(few, every), 4.0).resource)
        del every[gone]
    found.append(saturation(curve(few, every), 4.0).resource)
    assert found == [
        Resource.DISK_THROUGHPUT, Resource.LOCKS, Resource.MEMORY, Resource.CPU, Resource.DISK_LATENCY,
        Resource.DISK_THROUGHPUT,
    ]  # fmt: skip
