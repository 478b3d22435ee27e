"""Losses over the layouts of a scene: the map, its knees, the cheapest layout, what stagger, starts at once
and preload win back.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean

from assay.design.blocks import Block
from assay.design.ending import metered, wanted_of
from assay.design.stopping import Wanted, each_of
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.figures.estimate import Estimate, Verdict
from assay.model.metric import Metric
from assay.model.platforms.layout import Layout, label_of, start_words
from assay.model.trial import Trial
from assay.pages.context import Row
from assay.pages.families.layouts import LayoutGain, LayoutKnee, LayoutMap, LayoutPoint, Shared
from assay.stats.replication.difference import tells


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
    def line(self) -> tuple[float, int, bool]:
        """What it shares with the layouts that differ in the number of guests alone."""
        return self.layout.stagger_s, self.layout.at_once, self.layout.preload


@dataclass(frozen=True)
class Rule:
    """By what layouts are compared: the rule of the rows, with one layout in the place of the baseline.

    Attributes:
        plan: What was planned.
        wanted: What it asks of each comparison.
    """

    plan: ActivityPlan
    wanted: Wanted

    def against(self, one: Placed, other: Placed, *, among: int = 1) -> Estimate:
        """Estimate the loss of one layout with another as its baseline, paired by block.

        Args:
            one: A layout that has a loss.
            other: The layout that it is compared with, of the same metric.
            among: Comparisons whose intervals hold together, this one among them (Bonferroni).

        Limits:
            Its verdict and its interval say nothing where ``says`` is false.
        """
        row, before = one.row, {block.block: block.treatment for block in other.row.blocks_data}
        blocks = [
            Block(block.block, (value,), block.treatment, block.session)
            for block in row.blocks_data
            if (value := before.get(block.block)) is not None
        ]
        workload = next(workload for workload in self.plan.workloads if workload.name == row.workload)
        measured = metered(self.plan, workload, Metric(row.metric, row.unit, row.direction), blocks)
        return measured.estimate(self.wanted, each_of(self.wanted, among).confidence)


def says(estimate: Estimate) -> bool:
    """Tell whether a comparison has an interval from which a verdict may be drawn, whatever that is."""
    return estimate.low is not None and estimate.high is not None and tells(estimate)


def layout_maps(
    plan: ActivityPlan, records: Sequence[Trial], rows: Sequence[Row], *, early: bool = False
) -> tuple[LayoutMap, ...]:
    """Return a map for each metric of an activity that compares layouts; none where it compares none.

    Args:
        plan: What was planned.
        records: What ran, for the guests' weight.
        rows: The losses of all treatments.
        early: Trials are left to run.
    """
    arms = {arm.label: arm for arm in plan.treatments if arm.guest or arm.container}
    if len({arm.layout for arm in arms.values()}) < 2:
        return ()
    rule = Rule(plan, wanted_of(plan, early=early))
    grouped: dict[tuple[str, str, str, Shared], list[Placed]] = {}
    for row in rows:
        if row.treatment in arms:
            arm = arms[row.treatment]
            placed = _placed(arm, row, [r for r in records if plan.arm_of(r.planned) == arm])
            key = (row.workload, row.metric, _rest(arm), _of(arm))
            grouped.setdefault(key, []).append(placed)
    return tuple(
        replace(_map(rest, sorted(placed, key=_order), rule), of=of)
        for (*_, rest, of), placed in grouped.items()
    )


def _of(arm: PlannedArm) -> Shared:
    return "guest" if arm.container is None else "container"


def _rest(arm: PlannedArm) -> str:
    """Return the levels of a label, without its layout."""
    own = label_of(arm.layout, len(arm.limits.cpus), of=_of(arm))
    return arm.label.removeprefix(own).removeprefix(", ")


def _order(placed: Placed) -> tuple[int, float, int, bool]:
    return (placed.layout.guests, *placed.line)


def _placed(arm: PlannedArm, row: Row, records: Sequence[Trial]) -> Placed:
    layout = arm.layout
    weights = [record.weight for record in records if record.weight is not None]
    beside = fmean(w.beside_bytes for w in weights) if weights else None
    held = fmean(w.beside_bytes + w.touched_bytes for w in weights) if weights else None
    point = LayoutPoint(
        arm.label,
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
        layout.at_once,
    )
    return Placed(layout, row, point)


def _map(rest: str, placed: Sequence[Placed], rule: Rule) -> LayoutMap:
    first, known = placed[0].row, [one for one in placed if one.row.loss is not None]
    tied = _cheapest(known, rule)
    return LayoutMap(
        workload=first.workload,
        metric=first.metric,
        unit=first.unit,
        rest=rest,
        points=tuple(one.point for one in placed),
        knees=tuple(_knees(known, rule)),
        cheapest=tied[0].point.label if tied else None,
        tied=tuple(one.point.label for one in tied[1:]),
        gains=tuple(_gains(known, rule)),
    )


def lines(placed: Sequence[Placed]) -> dict[tuple[float, int, bool], list[Placed]]:
    """Return the layouts of each way to start and preload, fewest guests first; one guest is on the line of
    every way to start.
    """
    several = dict.fromkeys(one.line for one in placed if one.layout.guests > 1)
    return {
        line: [
            one for one in placed if one.line == line or (one.layout.guests == 1 and one.line[-1] == line[-1])
        ]
        for line in several
    }


def _knees(placed: Sequence[Placed], rule: Rule) -> Iterator[LayoutKnee]:
    for (stagger_s, at_once, preload), line in lines(placed).items():
        pairs = list(pairwise(line))
        steps = [(after, rule.against(after, before, among=len(pairs))) for before, after in pairs]
        if not steps or any(step.low is None for _, step in steps):
            continue  # one number of guests, or fewer than two blocks: a knee is neither there nor not
        within = all(_within(step, rule.wanted.margin) for _, step in steps)
        most = line[-1].layout.guests
        knee = LayoutKnee(stagger_s, preload, most, None, None, None, None, known=within, at_once=at_once)
        knees = (_at(knee, after, step) for after, step in steps if _is_knee(step, rule.wanted.margin))
        yield next(knees, knee)


def _within(step: Estimate, margin: float) -> bool:
    """Tell whether no more than the margin is lost, by the whole interval."""
    return says(step) and step.high is not None and step.high <= margin


def _is_knee(step: Estimate, margin: float) -> bool:
    """Tell whether there is a verdict, and more than the margin is lost by the whole interval."""
    return step.verdict is Verdict.LOSS and step.low is not None and step.low > margin


def _at(line: LayoutKnee, after: Placed, step: Estimate) -> LayoutKnee:
    """Return the knee of a line at one of its steps."""
    sized = replace(line, loss=step.loss, low=step.low, high=step.high, blocks=step.blocks)
    return replace(sized, guests=after.layout.guests, known=True)


def _cheapest(placed: Sequence[Placed], rule: Rule) -> list[Placed]:
    """Return the layouts that cannot be told from the one of the smallest loss, fewest guests first.

    That one was picked by its value, so the intervals of all pairs hold together, not those of its pairs
    alone. None at all of a single layout, below two blocks, and where no comparison says anything.
    """
    if len(placed) < 2:
        return []
    best = min(placed, key=lambda one: one.row.loss or 0.0)
    among = math.comb(len(placed), 2)
    steps = [(one, rule.against(one, best, among=among)) for one in placed if one is not best]
    if any(step.low is None for _, step in steps) or not any(says(step) for _, step in steps):
        return []
    tied = [one for one, step in steps if step.verdict is not Verdict.LOSS]
    return sorted([best, *tied], key=_order)


def _gains(placed: Sequence[Placed], rule: Rule) -> Iterator[LayoutGain]:
    most = max((one.layout.guests for one in placed), default=1)
    by_layout = {one.layout: one for one in placed if one.layout.guests == most and most > 1}
    for layout, one in by_layout.items():
        for what, other in _without(layout):
            if other != layout and other in by_layout:
                yield from _gain(what, one, by_layout[other], rule)


def _without(layout: Layout) -> Iterator[tuple[str, Layout]]:
    """Yield what a layout has beside others, and the layout that has all but that."""
    yield ", ".join(start_words(layout.stagger_s, layout.at_once)), replace(layout, stagger_s=0.0, at_once=1)
    yield f"{layout.at_once} at once", replace(layout, at_once=1)
    yield "preload", replace(layout, preload=False)


def _gain(what: str, one: Placed, other: Placed, rule: Rule) -> Iterator[LayoutGain]:
    estimate = rule.against(one, other)
    if estimate.loss is None or estimate.low is None or estimate.high is None or not tells(estimate):
        return
    yield LayoutGain(
        what,
        one.point.label,
        other.point.label,
        gain=-estimate.loss,
        low=-estimate.high,
        high=-estimate.low,
        blocks=estimate.blocks,
    )
