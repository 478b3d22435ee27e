"""Figures of a user's own program, from the kernel's accounting."""

from __future__ import annotations

from dataclasses import replace

from assay.model.metric import Measurement
from assay.model.trial import CopyUsage
from assay.model.work.placement import PlacementSpec
from assay.workloads.command import CPU, JOB, WALL, command_workload, measure_copies, with_job_time


def copy(number: int, wall_s: float | None) -> CopyUsage:
    return CopyUsage(number, (), (), None, None, 0, None, wall_s, None, None, None)


def test_the_time_of_a_job_is_the_mean_of_its_copies() -> None:
    job = with_job_time(replace(command_workload("job", ["true"]), placement=PlacementSpec(copies=2)))
    assert job.metrics == (JOB, WALL, CPU)
    assert with_job_time(job) == job
    assert measure_copies(job, [copy(0, 2.0), copy(1, 4.0)]) == (Measurement(JOB, 3.0),)
    assert measure_copies(job, [copy(0, 2.0), copy(1, None)]) == (Measurement(JOB, None),)
    assert measure_copies(job, []) == (Measurement(JOB, None),)


def test_one_copy_has_no_time_beside_its_wall_time() -> None:
    job = command_workload("job", ["true"])
    assert with_job_time(job) == job
    assert measure_copies(job, [copy(0, 2.0)]) == ()
