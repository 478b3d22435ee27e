"""How long others than the job had the processors that it was confined to."""

from __future__ import annotations

from assay.model.trial import Trial, Usage
from assay.model.work.disturbance import HostOver


def others_s(trial: Trial) -> float | None:
    """Return the CPU seconds of others on a trial's processors, steal included; ``None`` is "not told".

    Time in which a processor neither ran the job nor had nothing to do, or what the controller read of the
    host: the larger of both, since a guest sees nothing of who shares its host.

    Source: ``cpuN`` of ``/proc/stat`` (``idle`` and ``iowait``), proc(5).

    Limits:
        Idle time is counted in ticks on kernels that do not stop them. The host's reading lasts a little
        longer than the job.
    """
    known = [seconds for seconds in (_busy_s(trial), _host_s(trial.host)) if seconds is not None]
    return max(known, default=None)


def free_s(usage: Usage) -> float | None:
    """Return the seconds in which a job's processors had nothing to run, I/O wait included; ``None`` is "not
    told".
    """
    return None if usage.idle_s is None else usage.idle_s + (usage.io_wait_s or 0.0)


def _busy_s(trial: Trial) -> float | None:
    usage = trial.usage
    free = free_s(usage) if usage else None
    if usage is None or free is None:
        return None
    cores = max(1, len(trial.limits.cpus or trial.facts.cpus))
    return max(0.0, usage.wall_s * cores - usage.user_s - usage.system_s - free)


def _host_s(host: HostOver | None) -> float | None:
    if host is None or host.foreign_s is None:
        return None
    return host.foreign_s + (host.steal_s or 0.0)
