"""Losses over the layouts of a scene: the map, its knees, the cheapest layout, what stagger and preload win back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean

from assay.design.blocks import Block, slowdowns
from assay.model.activity import ActivityPlan, Side
from assay.model.estimate import Estimate
from assay.model.layout import Layout, label_of
from assay.model.trial import Trial
from assay.report.context import Row
from assay.report.layouts import LayoutGain, LayoutKnee, LayoutMap, LayoutPoint
from assay.stats import paired_loss


@dataclass(frozen=True)
class Placed:
    """One layout of a map.

    Attributes:
        layout: The layout.
        row: The loss of one metric.
        point: What the page says of it.
    """

    layout: Layout
    row: Row
    point: LayoutPoint

    @property
    def line(self) -> tuple[float, bool]:
        """What it shares with the layouts that differ in the number of guests alone."""
        return self.layout.stagger_s, self.layout.preload


@dataclass(frozen=True)
class Rule:
    """By what layouts are compared.

    Attributes:
        confidence: Coverage of intervals.
        margin: Loss that does not matter.
    """

    confidence: float
    margin: float

    def against(self, one: Placed, other: Placed) -> Estimate:
        """Estimate the loss of one layout with another as its baseline, paired by block."""
        before = {block.block: block.treatment for block in other.row.blocks_data}
        blocks = [
            Block(block.block, (value,), block.treatment)
            for block in one.row.blocks_data
            if one.row.loss is not None
            and other.row.loss is not None
            and (value := before.get(block.block)) is not None
        ]
        return paired_loss(
            slowdowns(blocks, one.row.direction), confidence=self.confidence, margin=self.margin
        )


def layout_maps(plan: ActivityPlan, records: Sequence[Trial], rows: Sequence[Row]) -> tuple[LayoutMap, ...]:
    """Return a map for each metric of an activity that compares layouts; none where it compares none.

    Args:
        plan: What was planned.
        records: What ran, for the guests' weight.
        rows: The losses of all treatments.
    """
    sides = {side.label: side for side in plan.treatments if side.guest is not None}
    if len({_layout(side) for side in sides.values()}) < 2:
        return ()
    rule = Rule(plan.confidence, plan.margin)
    grouped: dict[tuple[str, str, str], list[Placed]] = {}
    for row in rows:
        if row.treatment in sides:
            side = sides[row.treatment]
            placed = _placed(side, row, [r for r in records if plan.side_of(r.planned) == side])
            grouped.setdefault((row.workload, row.metric, _rest(side)), []).append(placed)
    return tuple(_map(rest, sorted(placed, key=_order), rule) for (*_, rest), placed in grouped.items())


def _layout(side: Side) -> Layout:
    return side.guest.layout if side.guest is not None else Layout()


def _rest(side: Side) -> str:
    """Return the levels of a label, without its layout."""
    return side.label.removeprefix(label_of(_layout(side), len(side.limits.cpus))).removeprefix(", ")


def _order(placed: Placed) -> tuple[int, float, bool]:
    return placed.layout.guests, placed.layout.stagger_s, placed.layout.preload


def _placed(side: Side, row: Row, records: Sequence[Trial]) -> Placed:
    layout = _layout(side)
    weights = [record.weight for record in records if record.weight is not None]
    beside = fmean(w.beside_bytes for w in weights) if weights else None
    held = fmean(w.beside_bytes + w.touched_bytes for w in weights) if weights else None
    point = LayoutPoint(
        side.label,
        layout.guests,
        layout.stagger_s,
        layout.preload,
        row.loss,
        row.low,
        row.high,
        row.verdict,
        row.blocks,
        beside,
        held,
    )
    return Placed(layout, row, point)


def _map(rest: str, placed: Sequence[Placed], rule: Rule) -> LayoutMap:
    first, known = placed[0].row, [one for one in placed if one.row.loss is not None]
    alike = _cheapest(known, rule)
    return LayoutMap(
        workload=first.workload,
        metric=first.metric,
        unit=first.unit,
        rest=rest,
        points=tuple(one.point for one in placed),
        knees=tuple(_knees(known, rule)),
        cheapest=alike[0].point.label if alike else None,
        alike=tuple(one.point.label for one in alike[1:]),
        gains=tuple(_gains(known, rule)),
    )


def lines(placed: Sequence[Placed]) -> dict[tuple[float, bool], list[Placed]]:
    """Return the layouts of each stagger and preload, fewest guests first; one guest is on every stagger's line."""
    several = dict.fromkeys(one.line for one in placed if one.layout.guests > 1)
    return {
        line: [
            one for one in placed if one.line == line or (one.layout.guests == 1 and one.line[1] == line[1])
        ]
        for line in several
    }


def _knees(placed: Sequence[Placed], rule: Rule) -> Iterator[LayoutKnee]:
    for (stagger_s, preload), line in lines(placed).items():
        knee = LayoutKnee(stagger_s, preload, line[-1].layout.guests, None, None, None, None)
        steps = [(after, rule.against(after, before)) for before, after in pairwise(line)]
        if not steps or any(step.low is None for _, step in steps):
            continue  # one number of guests, or fewer than two blocks: a knee is neither there nor not
        within = all(step.high is not None and step.high <= rule.margin for _, step in steps)
        knee = replace(knee, known=within)
        for after, step in steps:
            if step.low is not None and step.low > rule.margin:
                found = after.layout.guests
                knee = replace(knee, guests=found, loss=step.loss, low=step.low, high=step.high, known=True)
                break
        yield knee


def _cheapest(placed: Sequence[Placed], rule: Rule) -> list[Placed]:
    """Return the layouts that cannot be told from the one of the smallest loss, fewest guests first.

    None at all of a single layout, or below two blocks, where nothing can be told from anything.
    """
    if len(placed) < 2:
        return []
    best = min(placed, key=lambda one: one.row.loss or 0.0)
    if best.row.low is None:
        return []
    lows = [(one, rule.against(one, best).low) for one in placed if one is not best]
    if any(low is None for _, low in lows):
        return []
    alike = [one for one, low in lows if low is not None and low <= 0]
    return sorted([best, *alike], key=_order)


def _gains(placed: Sequence[Placed], rule: Rule) -> Iterator[LayoutGain]:
    most = max((one.layout.guests for one in placed), default=1)
    by_layout = {one.layout: one for one in placed if one.layout.guests == most and most > 1}
    for layout, one in by_layout.items():
        without = {
            f"stagger {layout.stagger_s:g} s": replace(layout, stagger_s=0.0),
            "preload": replace(layout, preload=False),
        }
        for what, other in without.items():
            if other != layout and other in by_layout:
                yield from _gain(what, one, by_layout[other], rule)


def _gain(what: str, one: Placed, other: Placed, rule: Rule) -> Iterator[LayoutGain]:
    found = rule.against(one, other)
    if found.loss is None:
        return
    yield LayoutGain(
        what,
        one.point.label,
        other.point.label,
        gain=-found.loss,
        low=None if found.high is None else -found.high,
        high=None if found.low is None else -found.low,
    )
