"""The whole analysis of one treatment that was measured elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay.model.doubt import Raised, raised
from assay.model.figures.estimate import Estimate
from assay.model.figures.measured import MeasuredRuns, ValueKind
from assay.model.figures.scan import Point, Scan
from assay.stats.analysis.confounded import order_doubts
from assay.stats.analysis.headline import choose
from assay.stats.centre import Centre, Values
from assay.stats.fieller import ratio_of_totals
from assay.stats.groups import grouped
from assay.stats.lines.scan import scan
from assay.stats.replication.blocks import PairedRuns, pair_runs
from assay.stats.replication.levels import Level, LevelLoss, level_loss
from assay.stats.replication.neighbours import neighbour_doubts
from assay.stats.replication.resolution import resolution_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Places = NDArray[np.intp]


@dataclass(frozen=True)
class Question:
    """What is asked of the runs.

    Attributes:
        baseline: Arm that losses are measured against.
        treatment: Arm whose loss is measured.
        kind: What the values are.
        confidence: Coverage of intervals, 0 < confidence < 1.
        margin: Loss that does not matter, a ratio >= 0.
    """

    baseline: str
    treatment: str
    kind: ValueKind
    confidence: float
    margin: float


@dataclass(frozen=True)
class MeasuredLoss:
    """What the runs answer.

    Attributes:
        question: What was asked.
        pairing: The blocks of the headline.
        loss: The headline, at the level that the data support.
        events: Event number of the headline; ``None`` where the data tell none, or each block has its own.
        totals: Slowdown as a ratio of totals of the level's units; ``None`` without a complete block.
        scan: Fixed cost and cost per event; ``None`` where the data tell no event numbers.
        doubts: What speaks against the figures.
    """

    question: Question
    pairing: PairedRuns
    loss: LevelLoss
    events: int | None
    totals: Centre | None
    scan: Scan | None
    doubts: tuple[Raised, ...]


def measured_loss(runs: MeasuredRuns, question: Question) -> MeasuredLoss:
    """Estimate the loss of one treatment from runs that were measured elsewhere.

    Where runs tell event numbers, the headline is the total at the largest one that blocks enough hold on
    both arms (``stats.analysis.headline``), or at each block's own where they vary; fixed cost and slope come
    from all.

    Args:
        runs: Runs of any arms in any order; event numbers > 0 where values are rates.
        question: What is asked; both of its arms have runs.

    Source:
        ``stats.replication.levels``, ``stats.lines.scan``, ``stats.fieller``.

    Limits:
        No noise floor of the site enters: what all blocks of a session share is in no interval over blocks.
        The scan's intervals are over blocks whatever the level of the headline.
    """
    import numpy as np

    baseline, treatment = question.baseline, question.treatment
    reported = not np.isnan(runs.events).all()
    chosen = choose(runs, baseline=baseline, treatment=treatment)
    pairing = pair_runs(chosen.runs, baseline=baseline, treatment=treatment, kind=question.kind)
    pairing = replace(pairing, incomplete=pairing.incomplete + chosen.unpaired)
    values = [chosen.runs.value[chosen.runs.arm.equal(arm)] for arm in (baseline, treatment)]
    whole = all(map(len, values))
    seen = resolution_of(values[0], values[1], _middles(values, pairing)) if whole else None
    loss = level_loss(pairing.losses, confidence=question.confidence, margin=question.margin, resolution=seen)
    scanned = _scan(runs, question) if reported else None
    scan_doubts = scanned.doubts if scanned else ()
    doubts = (
        *loss.estimate.doubts,
        *chosen.doubts,
        *_doubts(pairing, loss, scanned),
        *_neighbours(pairing, chosen.runs, loss.estimate),
        *order_doubts(chosen.runs, baseline=baseline, treatment=treatment),
        *scan_doubts,
    )
    totals = _totals(pairing, loss, question)
    return MeasuredLoss(question, pairing, loss, chosen.events, totals, scanned, doubts)


def _middles(values: Sequence[Numbers], pairing: PairedRuns) -> Sequence[float] | None:
    """Return the geometric mean of either arm's values where each value is a block's own."""
    known = [one for one in pairing.typical if one is not None]
    alone = all(len(arm) == len(pairing.places) > 1 for arm in values)
    return known if alone and len(known) == len(values) else None


def _totals(pairing: PairedRuns, loss: LevelLoss, question: Question) -> Centre | None:
    """Return the ratio of the total times of equal work, one total a unit of the level; a rate's time is its
    inverse.
    """
    if not len(pairing.places):
        return None
    over, under = (
        _sums(arm if question.kind is ValueKind.TIME else 1 / arm, pairing, loss.level)
        for arm in (pairing.treatment, pairing.baseline)
    )
    return ratio_of_totals(over, under, question.confidence)


def _neighbours(pairing: PairedRuns, runs: MeasuredRuns, shown: Estimate) -> Iterator[Raised]:
    """Look at the blocks in their order in time; in that of their names where the data do not tell it."""
    import numpy as np

    begun = _begun(runs)[pairing.places]
    in_time = np.lexsort((begun, pairing.losses.session))  # in the order of names where both are equal
    d, sessions = pairing.losses.d[in_time], pairing.losses.session[in_time]
    return neighbour_doubts(d, sessions, shown)


def _begun(runs: MeasuredRuns) -> Numbers:
    """Return when each block began; 0 where no run of it tells its order."""
    import numpy as np

    told = ~np.isnan(runs.order)
    starts = np.full(len(runs.blocks), np.inf)
    np.minimum.at(starts, runs.block[told], runs.order[told])
    return np.where(np.isinf(starts), 0.0, starts)


def _sums(values: Numbers, pairing: PairedRuns, level: Level) -> Values:
    """Return the total of each unit of a level."""
    if level is Level.BLOCK:
        return values
    units = pairing.losses.machine if level is Level.MACHINE else pairing.losses.session
    return [math.fsum(of_unit) for of_unit in grouped(values, units)]


def _scan(runs: MeasuredRuns, question: Question) -> Scan:
    import numpy as np

    events = np.nan_to_num(runs.events)
    seconds = runs.value if question.kind is ValueKind.TIME else events / runs.value

    def points(arm: str) -> list[Point]:
        rows = runs.arm.equal(arm)
        held = (column[rows].tolist() for column in (runs.block, events.astype(np.int64), seconds))
        return list(map(Point, *held))

    return scan(
        points(question.baseline),
        points(question.treatment),
        confidence=question.confidence,
        margin=question.margin,
    )


def _doubts(pairing: PairedRuns, loss: LevelLoss, scanned: Scan | None) -> Iterator[Raised]:
    if pairing.incomplete:
        yield raised("incomplete-blocks", blocks=pairing.incomplete)
    if len(pairing.places) == 1:
        yield raised("one-block")
    if scanned is not None and loss.machines > 1:
        yield raised("scan-over-machines")
    if scanned is not None and scanned.fixed_cost_s is not None and loss.level is Level.SESSION:
        yield raised("scan-over-sessions")
