"""The user's own program: how long it took and how much CPU, from the kernel's accounting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.model.metric import Direction, Measurement, Metric
from assay.model.work.workload import Workload

if TYPE_CHECKING:
    from assay.model.trial import CopyUsage, Usage

WALL = Metric("wall_time", "s", Direction.LOWER)
CPU = Metric("cpu_time", "s", Direction.LOWER)
JOB = Metric("job_time", "s", Direction.LOWER)
"""Of staggered copies: the mean of their own wall times. The stagger is in the job's, not in theirs."""
USAGE = "usage"
"""Parser name of workloads whose figures come from the probe's accounting, not from their output."""
SHIPPED = ("{probe}", "{chain}")
"""Programs that come with us and are brought to every arm."""
TIME_LIMIT_S = 3600.0
"""Of a program that nothing is known of: long enough for a real job, short of a night."""
KERNEL_SECONDS = 3.0
"""Of the probe's own kernels, which are small."""
SECONDS = 30.0
"""Expected time of such a program, until the first trial has told."""


def command_workload(
    name: str,
    argv: Sequence[str],
    *,
    inputs: Sequence[str] = (),
    time_limit_s: float = TIME_LIMIT_S,
    prepare: tuple[tuple[str, ...], ...] = (),
) -> Workload:
    """Return the workload of a user's own command.

    Args:
        name: Unique within its scene.
        argv: Argument list, not empty; ``{server}`` in it asks for the network peer.
        inputs: Paths on the controller that are put into the scratch folder, where the command starts.
        time_limit_s: Seconds after which the job is stopped and the trial has failed.
        prepare: Argument lists that make its input files before the clock starts.
    """
    return Workload(
        name=name,
        command=tuple(argv),
        parser=USAGE,
        metrics=(WALL, CPU),
        program=None if argv[0] in SHIPPED else argv[0],
        needs_network=any("{server}" in word for word in argv),
        inputs=tuple(inputs),
        seconds=min(KERNEL_SECONDS if argv[0] in SHIPPED else SECONDS, time_limit_s),
        time_limit_s=time_limit_s,
        prepare=prepare,
    )


def with_job_time(workload: Workload) -> Workload:
    """Return a workload whose copies do not start at once: its first figure is the wall time of each, its
    second that of all; one that tells of no wall time stays as it is.
    """
    if WALL not in workload.metrics or workload.placement.copies == 1:
        return workload
    others = tuple(metric for metric in workload.metrics if metric not in {JOB, WALL})
    return replace(workload, metrics=(JOB, WALL, *others))


def measure_copies(workload: Workload, copies: Sequence[CopyUsage]) -> tuple[Measurement, ...]:
    """Return the mean wall time of the copies, where it is a figure of the workload; ``None`` where one's is
    not known.
    """
    if JOB not in workload.metrics:
        return ()
    known = [copy.wall_s for copy in copies if copy.wall_s is not None]
    whole = known and len(known) == len(copies)
    return (Measurement(JOB, math.fsum(known) / len(known) if whole else None),)


def measure_usage(usage: Usage) -> tuple[Measurement, ...]:
    """Return wall time and CPU time (user and system, children included) of a job, in seconds."""
    return (Measurement(WALL, usage.wall_s), Measurement(CPU, usage.user_s + usage.system_s))
