"""What a job used while it worked off its events, without its initialization: from series, for one trial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay.explain.sanity import LoopSampled, Sampled
from assay.model.trial import Trial
from assay.model.work.phase import PhaseTime

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Columns = Mapping[str, Numbers]

LEAST_SAMPLES = 3
"""In fewer intervals between samples what the job used in a window is not told well enough."""
LATE = 0.1
"""Share of a loop's events that may be told of in another phase, late; with more that phase is a
loop, too.
"""


@dataclass(frozen=True)
class LoopWindow:
    """What all copies used from the first one's first event to the last one's end.

    Attributes:
        wall_s: Its length.
        cpu_s: CPU seconds, interpolated between samples.
        read_bytes: Bytes from storage, likewise; ``None`` is "not told".
        write_bytes: Bytes to storage.
        system_s: CPU seconds in the kernel; ``None`` is "not told", as in what follows.
        disk_busy_share: Time in which the busiest disk had a request, over ``wall_s``.
        disk_latency_s: Mean time of a request to it.
        run_queue_s: Seconds that all threads together waited for a processor.
        block_io_s: Seconds that they waited for block I/O.
        io_wait_s: Seconds that the job's processors had nothing to do but wait for I/O, by the share of the
            copies' own loops.
    """

    wall_s: float
    cpu_s: float
    read_bytes: float | None
    write_bytes: float | None
    system_s: float | None = None
    disk_busy_share: float | None = None
    disk_latency_s: float | None = None
    run_queue_s: float | None = None
    block_io_s: float | None = None
    io_wait_s: float | None = None


def loop_window(trial: Trial, sampled: Sampled | None) -> LoopWindow | None:
    """Return the window of the event loop; ``None`` where there is not a single one, or it is too short.

    Args:
        trial: What ran.
        sampled: What its series tell.
    """
    span = loop_span_s(trial)
    loop = sampled.loop if sampled else None
    if span is None or loop is None or loop.cpu_s is None:
        return None
    start, end = span
    waited = _io_wait_share(_loop(trial))
    return LoopWindow(
        wall_s=end - start,
        cpu_s=loop.cpu_s,
        read_bytes=loop.read_bytes,
        write_bytes=loop.write_bytes,
        system_s=loop.system_s,
        disk_busy_share=loop.disk_busy_share,
        disk_latency_s=loop.disk_latency_s,
        run_queue_s=loop.run_queue_s,
        block_io_s=loop.block_io_s,
        io_wait_s=None if waited is None else waited * (end - start),
    )


def with_core(loop: LoopSampled, core: Columns, span_s: tuple[float, float]) -> LoopSampled:
    """Return what is told of an event loop with what the core set of series tells; the same where its samples
    are too far apart.

    Args:
        loop: What further groups tell.
        core: Columns of ``samples.csv``: CPU seconds and bytes until each sample; NaN is "not measured".
        span_s: The moments of the loop's begin and end, on the samples' clock.
    """
    moments, (start, end) = core.get("mono_ns"), span_s
    if moments is None or len(moments) < 2:
        return loop
    seconds = moments / 1e9
    every_s = float(seconds[-1] - seconds[0]) / (len(seconds) - 1)
    if end - start < LEAST_SAMPLES * every_s:
        return loop
    user_s, system_s = core.get("job_user_s"), core.get("job_system_s")
    both_s = None if user_s is None or system_s is None else user_s + system_s
    told = (both_s, system_s, core.get("job_read_bytes"), core.get("job_write_bytes"))
    cpu, system, read, written = (_grown(seconds, values, start, end) for values in told)
    return replace(loop, cpu_s=cpu, system_s=system, read_bytes=read, write_bytes=written)


def loop_span_s(trial: Trial) -> tuple[float, float] | None:
    """Return the moments of the first copy's first event and of the last one's end; ``None`` without an event
    loop.
    """
    stays = _loop(trial)
    if not stays:
        return None
    begun, ended = min(s.started.mono_ns for s in stays), max(s.ended.mono_ns for s in stays)
    return begun / 1e9, ended / 1e9


def _loop(trial: Trial) -> list[PhaseTime]:
    """Return the copies' stays in the phase with most events, one each; none where there are several such
    loops.
    """
    reported = [stay for stay in trial.phases if stay.events is not None]
    counts = {stay.phase: sum(s.events or 0 for s in reported if s.phase == stay.phase) for stay in reported}
    loop = max(counts, key=lambda phase: counts[phase], default=None)
    stays = [stay for stay in trial.phases if stay.phase == loop]
    several = any(phase != loop and counts[phase] > LATE * counts[loop] for phase in counts if loop)
    again = len({stay.copy for stay in stays}) < len(stays)
    return [] if several or again else stays


def _io_wait_share(stays: Sequence[PhaseTime]) -> float | None:
    """Return the mean over the copies of the processors' seconds of I/O wait a second of the loop."""
    known = [s.io_wait_s / s.wall_s for s in stays if s.io_wait_s is not None and s.wall_s > 0]
    return sum(known) / len(known) if known and len(known) == len(stays) else None


def _grown(seconds: Numbers, values: Numbers | None, start: float, end: float) -> float | None:
    import numpy as np

    if values is None or np.isnan(values).any():
        return None
    before, after = np.interp((start, end), seconds, values)
    return float(after - before)
