"""The host around each trial, read before and after it on both arms alike, and what follows from it.

Only where this machine carries both arms: of two machines one would be read and the other not, and a rule
that holds for one arm alone would be no rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.design.rerun import find_disturbances, is_read, may_run_again
from assay.machines.host.reading import HostReading, host_over, read_host
from assay.model.activity import ActivityPlan
from assay.model.doubt import Raised, raised
from assay.model.platforms.container import Container
from assay.model.platforms.platform import HypervisorCpu
from assay.model.trial import Arm, PlannedTrial, Usage
from assay.model.work.disturbance import Cause, HostOver
from assay.store.record import read_rejected, rejected_folders


@dataclass(frozen=True)
class HostBefore:
    """The host before a trial.

    Attributes:
        cpus: The measured processors.
        reading: Its counters; ``None`` where the host is not read.
        shared: The controller may run on a measured processor, too.
    """

    cpus: tuple[int, ...]
    reading: HostReading | None
    shared: bool


def before_trial(plan: ActivityPlan, arm: Arm, *, level: int = 0, controller: Iterable[int]) -> HostBefore:
    """Read the host before a trial, where it is read at all.

    Args:
        plan: The activity's plan.
        arm: The trial's arm.
        level: Which of several treatments, from 0.
        controller: Processors of the controller.
    """
    cpus = (plan.baseline if arm is Arm.BASELINE else plan.treatments[level]).limits.cpus
    reading = read_host(cpus) if is_read(plan) else None
    return HostBefore(cpus, reading, shared=not set(cpus).isdisjoint(controller))


def after_trial(before: HostBefore | None) -> HostReading | None:
    """Read the host after a trial, where it was read before it."""
    return None if before is None or before.reading is None else read_host(before.cpus)


def host_of(
    before: HostBefore | None,
    after: HostReading | None,
    *,
    usage: Usage | None,
    cpu: HypervisorCpu | None,
    container: Container | None = None,
    client_s: float | None = 0.0,
) -> HostOver | None:
    """Return what the host counted over a trial; ``None`` where it was not read.

    Args:
        before: Reading before it; ``None`` where it ended at an unknown time.
        after: Reading after it.
        usage: Totals of the job, which are its share of the host where it ran on the host itself.
        cpu: CPU of the QEMU process meanwhile, which is its share where it ran in a guest.
        container: The container with its CPU seconds meanwhile, which are its share where it ran in one.
        client_s: CPU seconds of the client that carried a mount for the job; ``None`` is "not told".
    """
    if before is None or before.reading is None or after is None:
        return None
    used_s = cpu.vcpu_s + cpu.other_s if cpu else usage.user_s + usage.system_s if usage else None
    used_s = container.cpu_s if container else used_s
    used_s = None if used_s is None or client_s is None else used_s + client_s
    return host_over(before.reading, after, cpus=before.cpus, used_s=used_s, shared=before.shared)


def disturbance_doubts(over: HostOver | None) -> Iterator[Raised]:
    """Say what of the declared causes was found."""
    if over is not None and (disturbances := find_disturbances(over)):
        yield raised("disturbed", case="trial", found=tuple((one.cause, one.amount) for one in disturbances))


def causes_in(over: HostOver | None) -> tuple[Cause, ...]:
    """Return the declared causes that were found."""
    return () if over is None else tuple(one.cause for one in find_disturbances(over))


def was_rejected(folder: Path, planned: PlannedTrial, started_ns: int) -> bool:
    """Tell whether the try of a trial that started then is among the rejected.

    Args:
        folder: The activity's folder.
        planned: The trial.
        started_ns: The controller's wall clock at the try's start.
    """
    whole = read_rejected(folder, damaged=[])  # a damaged try is no reason not to go on; its page names it
    tries = (trial for trial in whole if trial.planned.index == planned.index)
    return any(trial.started_ns == started_ns for trial in tries)


def place_of(plan: ActivityPlan, folder: Path, planned: PlannedTrial, causes: tuple[Cause, ...]) -> Path:
    """Return where a trial's record belongs: among the trials, or among the rejected where it runs again.

    The rejected are counted in the folder, so that a later process goes on with the same count.

    Args:
        plan: The activity's plan, which declares the causes.
        folder: The activity's folder.
        planned: The trial.
        causes: What was found in its reading.
    """
    rejected = rejected_folders(folder)
    tries = sum(place.name.rpartition(".")[0] == planned.name for place in rejected)
    again = may_run_again(
        causes, plan.goal.rerun, planned=len(plan.trials), rejected=len(rejected), tries=tries
    )
    return folder / "rejected" / f"{planned.name}.{tries + 1}" if again else folder / "trials" / planned.name
