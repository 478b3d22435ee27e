"""Scans of event numbers: fixed cost, cost per event, and the loss of the total at any event number."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.model.figures.scan import Linearity, Part, Point, Scan
from assay.model.trial import Arm
from assay.stats.lines.broken import fit_broken
from assay.stats.lines.kink import linearity
from assay.stats.lines.line import Cells, Lines, cells_of, fit_lines
from assay.stats.lines.scan_doubts import bend_doubts, no_line, one_size, part_doubts
from assay.stats.lines.totals import measured_sizes, total_curve
from assay.stats.replication.pairing import Pairing, pair
from assay.stats.replication.quotient import Intervals

__all__ = ["Point", "Scan", "events_within", "scan"]


def scan(
    baseline: Sequence[Point], treatment: Sequence[Point], *, confidence: float = 0.95, margin: float = 0.0
) -> Scan:
    """Return fixed cost and slope of both arms, their losses and the loss of the total over events.

    Where an arm's line has a kink, its fixed cost is that of the line before it, its cost per event that of
    the line after it, and the curve follows both. Where it is bent in another way they are those of the
    nearest line. From which number of events on the total is within the margin is told of straight lines
    alone.

    Several times of one arm at one block and event number count by their mean. Where arms share blocks, only
    what both hold there counts.

    Args:
        baseline: Times of the baseline.
        treatment: Times of the treatment.
        confidence: Coverage of the two-sided intervals, 0 < confidence < 1.
        margin: Loss that does not matter, a ratio >= 0.

    Raises:
        ValueError: A time is not finite or not above zero, an event number is negative, or an arm is empty.

    Source:
        Weighted least squares (``line``), delete-one-block jackknife (``jackknife``) with blocks - 1 degrees
        of freedom where each block holds two or more event numbers, else blocks - 2; coverage by simulation
        in ``tests/stats/lines/test_scan_coverage.py``.

    Limits:
        A straight line is assumed beyond the largest event number. The ends of the loss of a fixed cost that
        is hardly known are too narrow; where it may be zero there are none. A kink's place is held in all
        intervals; one that is found where there is none (at most one scan in 20) costs about 0.01 of their
        coverage.
    """
    times = pair(baseline, treatment)
    intervals = Intervals(times.freedom, confidence)
    totals = _without_line(times, intervals, margin)
    if any(len({events for _, events in arm}) < 2 for arm in times.arms):
        return replace(totals, doubts=(*totals.doubts, one_size(totals.sizes)))
    blocks = times.blocks
    cells = [cells_of(arm, blocks) for arm in times.arms]
    lines = [fit_lines(arm) for arm in cells]
    if not all(line.known for line in lines):
        return replace(totals, doubts=(*totals.doubts, no_line()))
    checks = tuple(_linearity(cells))
    lines = [_bent(arm, line, checks, which) for arm, line, which in zip(cells, lines, Arm, strict=True)]
    fixed = intervals.part(lines[0].fixed, lines[1].fixed)
    slope = intervals.part(lines[0].slope, lines[1].slope)
    checks = tuple(_of_line(check, lines[check.arm is Arm.TREATMENT]) for check in checks)
    straight = all(check.straight for check in checks)
    return replace(
        totals,
        fixed_cost_s=fixed,
        per_event_s=slope,
        asymptote=slope.loss,
        noise=_noise(cells, lines),
        events_within_margin=events_within(fixed, slope, margin) if straight else None,
        curve=tuple(total_curve(lines, cells[0].events.max(), intervals)),
        linearity=checks,
        doubts=(
            *totals.doubts,
            *part_doubts(fixed, slope, _freedom(intervals.freedom, lines)),
            *bend_doubts(checks),
        ),
    )


def events_within(fixed: Part, slope: Part, margin: float) -> int | None:
    """Return the smallest number of events from which the total's loss is within a margin of its asymptote.

    With T = a + b n of baseline B and treatment T the distance is |bB aT - bT aB| / (bT (aT + bT n)).

    Args:
        fixed: The a of both arms.
        slope: The b of both arms.
        margin: A ratio >= 0; at 0 only lines in proportion are within it.

    Returns:
        ``None`` where a slope is not above zero, or no number is large enough.
    """
    a, b, a0, b0 = fixed.treatment.value, slope.treatment.value, fixed.baseline.value, slope.baseline.value
    if b <= 0 or b0 <= 0:
        return None
    cross = abs(b0 * a - b * a0)
    if cross <= 1e-12 * max(abs(b0 * a), abs(b * a0)):
        return 0
    exact = (cross / (b * margin) - a) / b if margin > 0 else math.inf
    if not math.isfinite(exact):
        return None
    nearest = round(exact)
    close = abs(exact - nearest) <= 1e-9 * max(1.0, abs(exact))
    return max(0, nearest if close else math.ceil(exact))


def _without_line(times: Pairing, intervals: Intervals, margin: float) -> Scan:
    return Scan(
        blocks=len(times.blocks),
        confidence=intervals.confidence,
        margin=margin,
        fixed_cost_s=None,
        per_event_s=None,
        asymptote=None,
        noise=None,
        events_within_margin=None,
        curve=(),
        sizes=tuple(measured_sizes(times, intervals.confidence)),
        linearity=(),
        doubts=times.doubts,
    )


def _noise(cells: Sequence[Cells], lines: Sequence[Lines]) -> float | None:
    """Return the standard deviation of a time about its arm's line, a share of it."""
    import numpy as np

    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        rest = [arm.seconds / line.fitted(arm.events) - 1 for arm, line in zip(cells, lines, strict=True)]
        squares = float((np.concatenate(rest) ** 2).sum())
    freedom = sum(
        len(of_arm) - (2 if line.kink is None else 4) for of_arm, line in zip(rest, lines, strict=True)
    )
    return math.sqrt(squares / freedom) if freedom > 0 and math.isfinite(squares) else None


def _bent(cells: Cells, line: Lines, checks: Sequence[Linearity], arm: Arm) -> Lines:
    """Return the broken line of an arm whose line has a kink."""
    kink = next((check.kink for check in checks if check.arm is arm), None)
    return line if kink is None else fit_broken(cells, kink.events)


def _of_line(check: Linearity, line: Lines) -> Linearity:
    """Return a check whose kink has the figures of the line that costs and losses come from."""
    if check.kink is None or line.kink is None:
        return check
    fitted = [float(values[0]) for values in (line.at(line.kink), line.before, line.slope)]
    return replace(
        check, kink=replace(check.kink, seconds=fitted[0], slope_before=fitted[1], slope_after=fitted[2])
    )


def _freedom(freedom: int, lines: Sequence[Lines]) -> int:
    """Return the degrees of freedom of the intervals; none where a line is not known without some block."""
    known = all(math.isfinite(value) for line in lines for value in (line.fixed + line.slope).tolist())
    return freedom if known else min(freedom, 0)


def _linearity(cells: Sequence[Cells]) -> Iterator[Linearity]:
    for arm, times in zip(Arm, cells, strict=True):
        if (check := linearity(arm, times)) is not None:
            yield check
