"""Scans of event numbers: fixed cost, cost per event, and the loss of the total at any event number."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from assay.model.doubt import Doubt
from assay.model.scan import Linearity, Loss, Part, Point, Scan, Size, Value
from assay.model.trial import Arm
from assay.stats.jackknife import half_width
from assay.stats.kink import bends, kink_sentence, linearity
from assay.stats.line import Lines, cells_of, fit_lines
from assay.stats.paired import loss_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

__all__ = ["Point", "Scan", "events_within", "scan"]

CURVE_POINTS = 60
BEYOND = 4
"""The curve ends at so many times the largest event number."""


def scan(
    baseline: Sequence[Point], treatment: Sequence[Point], *, confidence: float = 0.95, margin: float = 0.0
) -> Scan:
    """Return fixed cost and slope of both arms, their losses and the loss of the total over events.

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
        in ``tests/stats/test_scan_coverage.py``.

    Limits:
        A straight line is assumed beyond the largest event number. The ends of the loss of a fixed cost that
        is hardly known are too narrow; where it may be zero there are none.
    """
    times = [_times(arm) for arm in (baseline, treatment)]
    shared = times[0].keys() & times[1].keys()
    doubts = list(_pairing_doubts(times, shared))
    if shared:
        times = [{key: arm[key] for key in shared} for arm in times]
    keys = sorted({key for arm in times for key in arm})
    places = {block: at for at, block in enumerate(sorted({block for block, _ in keys}))}
    cells = [cells_of(arm, places) for arm in times]
    freedom = len(places) - (1 if _whole_blocks(keys) else 2)
    sizes = tuple(_sizes(times, confidence))
    if any(len({events for _, events in arm}) < 2 for arm in times):
        doubts.append(_one_size(sizes))
        return Scan(len(places), confidence, margin, None, None, None, None, (), sizes, (), tuple(doubts))
    lines = [fit_lines(arm) for arm in cells]
    fixed = _part(lines[0].fixed, lines[1].fixed, freedom, confidence)
    slope = _part(lines[0].slope, lines[1].slope, freedom, confidence)
    checks = tuple(
        found for arm, held in zip(Arm, cells, strict=True) if (found := linearity(arm, held)) is not None
    )
    doubts += [*_part_doubts(fixed, slope, freedom), *_bend_doubts(checks)]
    last = max(events for _, events in keys)
    return Scan(
        blocks=len(places),
        confidence=confidence,
        margin=margin,
        fixed_cost_s=fixed,
        per_event_s=slope,
        asymptote=slope.loss,
        events_within_margin=events_within(fixed, slope, margin),
        curve=tuple(_curve(lines, last, freedom, confidence)),
        sizes=sizes,
        linearity=checks,
        doubts=tuple(doubts),
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
    if margin <= 0:
        return None
    exact = (cross / (b * margin) - a) / b
    if not math.isfinite(exact):
        return None
    nearest = round(exact)
    close = abs(exact - nearest) <= 1e-9 * max(1.0, abs(exact))
    return max(0, nearest if close else math.ceil(exact))


def _times(points: Sequence[Point]) -> dict[tuple[int, int], float]:
    held: dict[tuple[int, int], list[float]] = {}
    for point in points:
        if not math.isfinite(point.value_s) or point.value_s <= 0 or point.events < 0:
            msg = f"a scan needs finite times above zero and events of at least 0, got {point}"
            raise ValueError(msg)
        held.setdefault((point.block, point.events), []).append(point.value_s)
    if not held:
        msg = "a scan needs times of both arms, got none of one"
        raise ValueError(msg)
    return {key: fmean(values) for key, values in held.items()}


def _whole_blocks(keys: Iterable[tuple[int, int]]) -> bool:
    """Tell whether each block holds two or more event numbers."""
    held: dict[int, set[int]] = {}
    for block, events in keys:
        held.setdefault(block, set()).add(events)
    return all(len(sizes) >= 2 for sizes in held.values())


def _part(baseline: Numbers, treatment: Numbers, freedom: int, confidence: float) -> Part:
    loss = _loss(baseline, treatment, freedom, confidence)
    arms = {"baseline": baseline, "treatment": treatment}
    values = {arm: _value(of_arm, freedom, confidence) for arm, of_arm in arms.items()}
    return Part(**values, loss=loss.loss, loss_low=loss.low, loss_high=loss.high)


def _value(values: Numbers, freedom: int, confidence: float) -> Value:
    value, half = float(values[0]), half_width(values, freedom, confidence=confidence)
    return Value(value, None, None) if half is None else Value(value, value - half, value + half)


def _loss(baseline: Numbers, treatment: Numbers, freedom: int, confidence: float) -> Loss:
    """Return the loss 1 - baseline/treatment by the log ratio, where both are above zero."""
    import numpy as np

    with np.errstate(invalid="ignore", divide="ignore"):
        logs = np.log(treatment) - np.log(baseline)
    d = float(logs[0])
    if not math.isfinite(d):
        return Loss(None, None, None)
    half = half_width(logs, freedom, confidence=confidence)
    if half is None:
        return Loss(loss_of(d), None, None)
    return Loss(loss_of(d), loss_of(d - half), loss_of(d + half))


def _curve(lines: Sequence[Lines], last: int, freedom: int, confidence: float) -> Iterable[tuple[int, Loss]]:
    import numpy as np

    spread = np.geomspace(1, BEYOND * max(last, 1), CURVE_POINTS).round().astype(int)
    for events in sorted(set(spread.tolist())):
        yield events, _loss(lines[0].at(events), lines[1].at(events), freedom, confidence)


def _sizes(times: Sequence[Mapping[tuple[int, int], float]], confidence: float) -> Iterable[Size]:
    """Yield what was measured at each event number that both arms hold."""
    for events in sorted({size for _, size in times[0]} & {size for _, size in times[1]}):
        held = [{block: s for (block, size), s in arm.items() if size == events} for arm in times]
        blocks = sorted(held[0].keys() | held[1].keys())
        baseline, treatment = (_means(arm, blocks) for arm in held)
        loss = _loss(baseline, treatment, len(blocks) - 1, confidence)
        yield Size(events, len(blocks), float(baseline[0]), float(treatment[0]), loss)


def _means(held: Mapping[int, float], blocks: Sequence[int]) -> Numbers:
    """Return the mean of all blocks, then without each."""
    import numpy as np

    left = [[held[b] for b in blocks if b in held and b != out] for out in (None, *blocks)]
    return np.array([fmean(values) if values else math.nan for values in left])


def _pairing_doubts(
    times: Sequence[Mapping[tuple[int, int], float]], shared: set[tuple[int, int]]
) -> Iterable[Doubt]:
    if not shared:
        yield Doubt("arms-not-paired", "No block holds both arms: the intervals are those of unpaired arms.")
    elif left := sum(len(arm) - len(shared) for arm in times):
        sentence = f"{left} times stand alone in their block and are left out: the other arm has none there."
        yield Doubt("unpaired-sizes", sentence)


def _one_size(sizes: Sequence[Size]) -> Doubt:
    held = f"at {sizes[0].events} alone" if len(sizes) == 1 else "at too few event numbers"
    sentence = f"The times were measured {held}: fixed cost and slope need two event numbers on both arms."
    return Doubt("one-event-number", sentence)


def _part_doubts(fixed: Part, slope: Part, freedom: int) -> Iterable[Doubt]:
    if freedom < 1:
        yield Doubt("too-few-blocks", "Fixed cost and slope have no intervals: there are too few blocks.")
    for code, name, part in (("fixed-cost", "fixed cost", fixed), ("per-event", "cost per event", slope)):
        if part.loss is None or (freedom >= 1 and part.loss_low is None):
            sentence = f"The {name} of an arm is not above zero, or not known to be: its loss says nothing."
            yield Doubt(f"{code}-not-above-zero", sentence)


def _bend_doubts(checks: Sequence[Linearity]) -> Iterable[Doubt]:
    for check in bends(checks):
        code = "kink" if check.kink is not None else "not-a-line"
        yield Doubt(code, kink_sentence(check, f"the {check.arm}"))
