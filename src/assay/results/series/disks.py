"""How busy the disks were during a trial, from the series ``disks`` (docs/series.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

NAMES = ("busy_s", "reads_count", "writes_count", "read_s", "write_s")


def busiest_disk(
    rows: Sequence[Mapping[str, str]], span_s: tuple[float, float] | None = None
) -> tuple[float | None, float | None]:
    """Return the busy share of the disk that was busiest, and the mean time of a request to it, s.

    Args:
        rows: The lines of ``disks.csv``, one a sample and device.
        span_s: The moments from which and to which, as far as there are samples; ``None`` is all of them.

    Returns:
        ``None`` twice without two samples of a device or none in the span, the second alone where it had no
        request.

    Limits:
        Between two samples the counters are taken to grow evenly.
    """
    by_device: dict[str, list[Mapping[str, str]]] = {}
    for row in rows:
        by_device.setdefault(row["device"], []).append(row)
    if not rows:
        return None, None
    first, last = float(rows[0]["mono_ns"]), float(rows[-1]["mono_ns"])
    start, end = (
        (first, last) if span_s is None else (max(first, span_s[0] * 1e9), min(last, span_s[1] * 1e9))
    )
    grown = [_grown(samples, start, end) for samples in by_device.values() if len(samples) > 1]
    busiest = max(grown, key=lambda one: one["busy_s"], default=None)
    if busiest is None or end <= start:
        return None, None
    requests = busiest["reads_count"] + busiest["writes_count"]
    latency_s = (busiest["read_s"] + busiest["write_s"]) / requests if requests else None
    return busiest["busy_s"] / ((end - start) / 1e9), latency_s


def _grown(rows: Sequence[Mapping[str, str]], start: float, end: float) -> dict[str, float]:
    import numpy as np

    moments = [float(row["mono_ns"]) for row in rows]
    totals = {name: [float(row[name] or 0) for row in rows] for name in NAMES}
    ends = {name: np.interp((start, end), moments, values) for name, values in totals.items()}
    return {name: float(after - before) for name, (before, after) in ends.items()}
