"""What a guest's vCPUs waited for a processor of its host: CPU time inside, where no hypervisor tells it as
steal.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.model.trial import Trial
from assay.results.losses.figures import judge_clock
from assay.results.series.host_series import HostSeries
from assay.results.series.host_track import tells_steal, vcpu_times

LEAST_SHARE = 0.02
"""Of the wall time; less is the kernels' ticks, and what lies between two samples of the host."""


@dataclass(frozen=True)
class VcpuWait:
    """The vCPUs of a guest over its job.

    Attributes:
        waited_s: Seconds in which they could run and waited for a processor, by the host's count.
        hidden: Share of the CPU time that the guest counted in which they waited; 0 where it knew as steal.
    """

    waited_s: float
    hidden: float


def vcpu_wait_of(trial: Trial, host: HostSeries) -> VcpuWait | None:
    """Return what the host counted of a guest's waiting; ``None`` where it was not watched, or too shortly.

    A guest's kernel takes the time of a vCPU that waits for time that it ran, unless the hypervisor tells it
    of steal (KVM; under TCG nobody does). Of a guest's CPU time that share was no running that its vCPUs
    waited of the time for which they ran or waited.

    Source: Linux, Documentation/scheduler/sched-stats.rst: the second field of
        ``/proc/PID/task/TID/schedstat`` is the time spent waiting on a run queue.

    Limits: all vCPUs and all of the guest's programs together; over phases it is taken to be even. What waits
        when an idle vCPU is woken stays in the guest's idle time.
    """
    times = vcpu_times(trial, host)
    usage = trial.usage
    if times is None or usage is None or any(one.value is None for one in times):
        return None
    ran, waited = (one.value or 0.0 for one in times)
    away = waited - _known_s(trial)
    if away < LEAST_SHARE * usage.wall_s:
        return VcpuWait(waited, 0.0)
    return VcpuWait(waited, away / (ran + away))


def _known_s(trial: Trial) -> float:
    """Return the steal that the guest's kernel took out of CPU time itself, on the controller's clock."""
    stolen = trial.usage.steal_s if trial.usage and tells_steal(trial) else None
    return (stolen or 0.0) / (judge_clock(trial.clock).rate or 1.0)
