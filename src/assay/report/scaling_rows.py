"""Scaling curves as a table and as sentences."""

from __future__ import annotations

from collections.abc import Iterator

from assay.model.trial import Arm
from assay.report.context import Page
from assay.report.numbers import NOTHING, interval_text, value_text
from assay.report.scaling import Scaling, ScalingCurve, ScalingPoint

EFFICIENCIES = (3, 5)
"""Columns of ``scaling_cells`` with intervals."""
NOTE = (
    "efficiency: rate per worker over that with the fewest workers; knee: where the rate leaves the line through "
    "the origin; best: the fewest workers whose rate is as good as the highest"
)


def scaling_headers(page: Page) -> tuple[str, ...]:
    """Return the names of the columns of ``scaling_cells``."""
    base, treated = page.result.baseline, page.result.treatment
    return ("workload", "workers", f"{base} rate", "efficiency", f"{treated} rate", "efficiency")


def scaling_cells(page: Page) -> list[tuple[str, ...]]:
    """Return one row a workload and number of workers; empty without scaling curves."""
    return [row for scaling in page.scalings for row in _rows(scaling)]


def scaling_lines(page: Page) -> list[str]:
    """Return what each curve says: knee, best number of workers, and what saturates."""
    return [_line(scaling, curve) for scaling in page.scalings for curve in scaling.curves]


def knee_text(curve: ScalingCurve) -> str:
    """Return the knee and its interval, ``knee at 5.9 [5.7, 6.1] workers``; nothing was measured below the first count."""
    if curve.knee is None:
        known = "no knee" if len(curve.points) > 2 else "not known whether there is a knee"
        return f"{known} up to {max(point.workers for point in curve.points)} workers"
    fewest = min(point.workers for point in curve.points)
    if curve.knee <= fewest * (1 + 1e-9):
        return f"knee at or below {fewest} worker{'' if fewest == 1 else 's'}"
    if curve.knee_low is None or curve.knee_high is None:
        return f"knee at {curve.knee:.2g} workers"
    digits = 1 if curve.knee_high - curve.knee_low >= 0.1 else 2
    return (
        f"knee at {curve.knee:.{digits}f} [{curve.knee_low:.{digits}f}, {curve.knee_high:.{digits}f}] workers"
    )


def _line(scaling: Scaling, curve: ScalingCurve) -> str:
    step = f" Next: {curve.next[0].lower()}{curve.next[1:]}" if curve.next else ""
    full = "" if curve.knee is None else f", saturates: {curve.resource}"
    best = f"best with {curve.best} worker{'' if curve.best == 1 else 's'}"
    return f"{scaling.workload} on {curve.label}: {knee_text(curve)}, {best}{full}. {curve.sentence}{step}"


def _rows(scaling: Scaling) -> Iterator[tuple[str, ...]]:
    found = {(curve.arm, point.workers): point for curve in scaling.curves for point in curve.points}
    name = f"{scaling.workload} {scaling.metric} ({scaling.unit})"
    for workers in sorted({workers for _, workers in found}):
        arms = [found.get((arm, workers)) for arm in Arm]
        yield (name, str(workers), *(cell for point in arms for cell in _cells(point)))


def _cells(point: ScalingPoint | None) -> tuple[str, str]:
    if point is None:
        return NOTHING, NOTHING
    efficiency = interval_text(point.efficiency, point.efficiency_low, point.efficiency_high)
    return value_text(point.rate), efficiency
