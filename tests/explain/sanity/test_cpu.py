"""Job efficiency and the kernel's share of the CPU time."""

from __future__ import annotations

from dataclasses import replace

from assay.explain.sanity.cpu import job_efficiency, system_cpu
from assay.model.machines.machine import Limits
from assay.model.work.placement import PlacementSpec
from assay.report.doubts import worded
from tests.builders import WORKLOAD
from tests.explain.sanity.both import QUIET, both, copies_of

WAITING = replace(QUIET, wall_s=400.0)
KERNEL = replace(QUIET, user_s=20.0, system_s=78.0)


def test_a_job_that_waits_on_one_arm_only_is_doubted_there_and_compared() -> None:
    (doubt,) = job_efficiency(both(QUIET, WAITING))
    assert doubt.code == "job-efficiency"
    assert "98% on host and 24% on other: it waited for the rest." in worded(doubt).sentence
    assert worded(doubt).next is not None
    assert "watch: [delay" in worded(doubt).next


def test_what_a_job_waited_for_is_told_and_decides_the_next_step() -> None:
    stood = replace(WAITING, throttled_s=250.0, run_queue_s=260.0, block_io_s=40.0)
    (doubt,) = job_efficiency(both(QUIET, stood))
    assert (
        "(other: 250 s for its CPU quota, 40 s for block I/O, 10 s for a processor)" in worded(doubt).sentence
    )
    assert worded(doubt).next == "Raise the CPU quota, or take it as what is measured."
    crowded = replace(WAITING, run_queue_s=290.0)
    assert "End what else runs" in str(worded(next(job_efficiency(both(QUIET, crowded)))).next)


def test_copies_that_share_a_processor_wait_for_others_only_as_long_as_these_ran() -> None:
    three = replace(WORKLOAD, placement=PlacementSpec(copies=3))
    alone = replace(WAITING, run_queue_s=386.0, idle_s=250.0, io_wait_s=48.0)  # and 4 s of others
    (doubt,) = job_efficiency(both(QUIET, alone, workload=three))
    assert "for a processor" not in worded(doubt).sentence
    assert "End what else runs" not in str(worded(doubt).next)
    hog = replace(alone, idle_s=20.0, io_wait_s=2.0)
    (doubt,) = job_efficiency(both(QUIET, hog, workload=three))
    assert "other: 280 s for a processor" in worded(doubt).sentence
    untold = replace(WAITING, run_queue_s=386.0)
    (doubt,) = job_efficiency(both(QUIET, untold, workload=three))
    assert "386 s for a processor among its own copies" in worded(doubt).sentence
    assert "no more copies than processors" in str(worded(doubt).next)


def test_a_job_that_waits_on_both_arms_may_be_one_that_waits_by_nature() -> None:
    user = replace(WORKLOAD, parser="usage")
    assert list(job_efficiency(both(WAITING, WAITING, workload=user))) == []
    (doubt,) = job_efficiency(both(WAITING, WAITING))  # sysbench does nothing but compute
    assert "24% on host and 24% on other" in worded(doubt).sentence


def test_efficiency_counts_copies_and_threads_but_no_more_than_processors() -> None:
    two = replace(WORKLOAD, placement=PlacementSpec(copies=2, threads=2))
    wide = {"copies": copies_of(100.0, 100.0), "limits": Limits((0, 1))}
    pair = both(workload=two, here=wide, there=wide)
    assert "49% on host" in worded(next(job_efficiency(pair))).sentence


def test_disk_tools_that_wait_are_not_doubted() -> None:
    assert list(job_efficiency(both(WAITING, QUIET, workload=replace(WORKLOAD, parser="fio")))) == []


def test_a_large_system_share_is_doubted_with_both_figures() -> None:
    (doubt,) = system_cpu(both(KERNEL, QUIET))
    assert doubt.code == "system-share"
    assert worded(doubt).sentence.startswith("80% of the CPU time of spin on host")
    assert "80% on host, 2% on other" in worded(doubt).sentence


def test_a_share_that_grew_to_more_than_twice_on_the_treatment_is_doubted() -> None:
    twelve = replace(QUIET, user_s=86.0, system_s=12.0)
    six = replace(QUIET, user_s=92.0, system_s=6.5)
    assert "12% of the CPU time" in worded(next(system_cpu(both(QUIET, twelve)))).sentence
    assert list(system_cpu(both(six, twelve))) == []


def test_small_shares_and_little_cpu_time_are_not_doubted() -> None:
    four = replace(QUIET, user_s=96.0, system_s=4.0)
    assert list(system_cpu(both(replace(QUIET, system_s=0.5), four))) == []
    assert list(system_cpu(both(replace(QUIET, user_s=0.1, system_s=0.2)))) == []


def test_a_disk_tool_works_in_the_kernel_by_nature() -> None:
    assert list(system_cpu(both(KERNEL, KERNEL, workload=replace(WORKLOAD, parser="fio")))) == []
