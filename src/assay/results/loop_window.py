"""What a job used while it worked off its events, without its initialization: from series, for one trial."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.explain.sanity import Sampled
from assay.model.trial import Trial

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

LEAST_SAMPLES = 3
"""In fewer intervals between samples what the job used in a window is not told well enough."""


@dataclass(frozen=True)
class LoopWindow:
    """What all copies used from the first one's first event to the last one's end.

    Attributes:
        wall_s: Its length.
        cpu_s: CPU seconds, interpolated between samples.
        read_bytes: Bytes from storage, likewise; ``None`` is "not told".
        write_bytes: Bytes to storage.
    """

    wall_s: float
    cpu_s: float
    read_bytes: float | None
    write_bytes: float | None


def loop_window(trial: Trial, sampled: Sampled | None) -> LoopWindow | None:
    """Return the window of the phase with most events; ``None`` where the job tells of none, or it is too short.

    Args:
        trial: What ran.
        sampled: Its series.
    """
    span = _span_s(trial)
    if span is None or sampled is None or sampled.seconds is None or len(sampled.seconds) < 2:
        return None
    start, end = span
    every_s = float(sampled.seconds[-1] - sampled.seconds[0]) / (len(sampled.seconds) - 1)
    cpu_s = _grown(sampled.seconds, sampled.cpu_s, start, end)
    if cpu_s is None or end - start < LEAST_SAMPLES * every_s:
        return None
    read, written = (
        _grown(sampled.seconds, values, start, end) for values in (sampled.read_bytes, sampled.write_bytes)
    )
    return LoopWindow(end - start, cpu_s, read, written)


def _span_s(trial: Trial) -> tuple[float, float] | None:
    told = [stay for stay in trial.phases if stay.events is not None]
    counts = {stay.phase: sum(s.events or 0 for s in told if s.phase == stay.phase) for stay in told}
    loop = max(counts, key=lambda phase: counts[phase], default=None)
    stays = [stay for stay in told if stay.phase == loop]
    if loop is None:
        return None
    begun, ended = min(s.started.mono_ns for s in stays), max(s.ended.mono_ns for s in stays)
    return begun / 1e9, ended / 1e9


def _grown(seconds: Numbers, values: Numbers | None, start: float, end: float) -> float | None:
    import numpy as np

    if values is None or len(values) != len(seconds) or np.isnan(values).any():
        return None
    before, after = np.interp((start, end), seconds, values)
    return float(after - before)
