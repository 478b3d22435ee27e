"""Scaling curves as a table and as sentences."""

from __future__ import annotations

from collections.abc import Iterator

from assay.explain.scaling.choice import Form
from assay.model.trial import Arm
from assay.pages.context import Page
from assay.pages.families.scaling import Scaling, ScalingCurve, ScalingPoint
from assay.pages.numbers import NOTHING, ends_text, interval_text, value_text

EFFICIENCIES = (3, 5)
"""Columns of ``scaling_cells`` with intervals."""
NOTE = (
    "efficiency: rate per worker over that with the fewest workers; knee: where the rate leaves "
    "the line through the origin, told only where neither Amdahl's law nor the universal scalability law "
    "describes the curve as well; best: the fewest workers whose rate is as good as the highest"
)


def scaling_headers(page: Page) -> tuple[str, ...]:
    """Return the names of the columns of ``scaling_cells``."""
    base, treated = page.result.baseline, page.result.treatment
    return ("workload", "workers", f"{base} rate", "efficiency", f"{treated} rate", "efficiency")


def scaling_cells(page: Page) -> list[tuple[str, ...]]:
    """Return one row a workload and number of workers; empty without scaling curves."""
    return [row for scaling in page.scalings for row in _rows(scaling)]


def scaling_lines(page: Page) -> list[str]:
    """Return what each curve says: its law, best number of workers, and what saturates."""
    return [_line(scaling, curve) for scaling in page.scalings for curve in scaling.curves]


def law_text(curve: ScalingCurve) -> str:
    """Return what the curve follows: its knee, or the law by which it bends all the way, or that it cannot be
    told.
    """
    most = max(point.workers for point in curve.points)
    if curve.law is None and len(curve.points) > 2:
        return f"a knee and a law without one cannot be told apart up to {most} workers"
    if curve.law is None:
        return f"not known whether there is a knee up to {most} workers"
    if curve.law is Form.LINEAR:
        return f"no knee up to {most} workers"
    return (
        knee_text(curve)
        if curve.law is Form.HINGE
        else f"no knee: it bends all the way as {_bends(curve, most)}"
    )


def _bends(curve: ScalingCurve, most: int) -> str:
    serial = _share(curve.serial, curve.serial_low, curve.serial_high)
    if curve.law is Form.AMDAHL:
        return f"Amdahl's law with a serial share of {serial}"
    coherency = _share(curve.coherency, curve.coherency_low, curve.coherency_high)
    parts = [
        f"the universal scalability law with contention {serial}",
        f"coherency {coherency}",
        *_peak(curve, most),
    ]
    return ", ".join(parts)


def _share(value: float | None, low: float | None, high: float | None) -> str:
    """Return a share and its interval, ``4.1 % [3.2, 5.0]``, also a small one; alone with one block."""
    if value is None or low is None or high is None:
        return NOTHING if value is None else f"{value * 100:.2g} %"
    return ends_text(value * 100, low * 100, high * 100, unit="%")


def _peak(curve: ScalingCurve, most: int) -> Iterator[str]:
    if curve.peak is not None:
        beyond = ", beyond those measured" if curve.peak > most else ""
        yield f"peak at {_workers(curve.peak, curve.peak_low, curve.peak_high)}{beyond}"


def knee_text(curve: ScalingCurve) -> str:
    """Return the knee and its interval, ``knee at 5.9 [5.7, 6.1] workers``; nothing was measured below the
    first count.
    """
    fewest = min(point.workers for point in curve.points)
    if curve.knee is None or curve.knee <= fewest * (1 + 1e-9):
        return f"knee at or below {fewest} worker{'' if fewest == 1 else 's'}"
    return f"knee at {_workers(curve.knee, curve.knee_low, curve.knee_high)}"


def _workers(value: float, low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return f"{value:.2g} workers"
    digits = 1 if high - low >= 0.1 else 2
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}] workers"


def _line(scaling: Scaling, curve: ScalingCurve) -> str:
    step = f" Next: {curve.next[0].lower()}{curve.next[1:]}" if curve.next else ""
    full = "" if curve.resource == "none" else f", saturates: {curve.resource}"
    heads = f"{scaling.workload} on {curve.label}: {law_text(curve)}, {best_text(curve)}{full}"
    return f"{heads}. {curve.sentence}{step}"


def best_text(curve: ScalingCurve) -> str:
    """Return the best number of workers, ``best with 8 workers``."""
    return f"best with {curve.best} worker{'' if curve.best == 1 else 's'}"


def _rows(scaling: Scaling) -> Iterator[tuple[str, ...]]:
    points = {(curve.arm, point.workers): point for curve in scaling.curves for point in curve.points}
    name = f"{scaling.workload} {scaling.metric} ({scaling.unit})"
    for workers in sorted({workers for _, workers in points}):
        arms = [points.get((arm, workers)) for arm in Arm]
        yield (name, str(workers), *(cell for point in arms for cell in _cells(point)))


def _cells(point: ScalingPoint | None) -> tuple[str, str]:
    if point is None:
        return NOTHING, NOTHING
    efficiency = interval_text(point.efficiency, point.efficiency_low, point.efficiency_high)
    return value_text(point.rate), efficiency
