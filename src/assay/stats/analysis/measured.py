"""The whole analysis of one treatment that was measured elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from assay.model.doubt import Raised, raised
from assay.model.figures.estimate import Estimate
from assay.model.figures.measured import MeasuredRun, ValueKind
from assay.model.figures.scan import Point, Scan
from assay.stats.analysis.confounded import order_doubts
from assay.stats.analysis.headline import choose
from assay.stats.centre import Centre
from assay.stats.fieller import ratio_of_totals
from assay.stats.lines.scan import scan
from assay.stats.replication.blocks import Key, PairedRuns, key_of, natural, pair_runs
from assay.stats.replication.levels import BlockLoss, Level, LevelLoss, level_loss
from assay.stats.replication.neighbours import neighbour_doubts
from assay.stats.replication.resolution import resolution_of


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


def measured_loss(runs: Sequence[MeasuredRun], question: Question) -> MeasuredLoss:
    """Estimate the loss of one treatment from runs that were measured elsewhere.

    Where runs tell event numbers, the headline is the total at the largest one that blocks enough hold on
    both arms (``stats.analysis.headline``), or at each block's own where they vary; fixed cost and slope come
    from all.

    Args:
        runs: Runs of any arms in any order; values > 0, and event numbers > 0 where values are rates.
        question: What is asked; both of its arms have runs.

    Source:
        ``stats.replication.levels``, ``stats.lines.scan``, ``stats.fieller``.

    Limits:
        No noise floor of the site enters: what all blocks of a session share is in no interval over blocks.
        The scan's intervals are over blocks whatever the level of the headline.
    """
    baseline, treatment = question.baseline, question.treatment
    reported = any(run.events is not None for run in runs)
    chosen = choose(runs, baseline=baseline, treatment=treatment)
    pairing = pair_runs(chosen.runs, baseline=baseline, treatment=treatment, kind=question.kind)
    pairing = replace(pairing, incomplete=pairing.incomplete + chosen.unpaired)
    values = [[run.value for run in chosen.runs if run.arm == arm] for arm in (baseline, treatment)]
    seen = resolution_of(*values) if all(values) else None
    loss = level_loss(pairing.blocks, confidence=question.confidence, margin=question.margin, resolution=seen)
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


def _totals(pairing: PairedRuns, loss: LevelLoss, question: Question) -> Centre | None:
    """Return the ratio of the total times of equal work, one total a unit of the level; a rate's time is its
    inverse.
    """
    if not pairing.blocks:
        return None
    units = [_unit(block, loss.level) for block in pairing.blocks]
    over, under = (
        _sums(arm if question.kind is ValueKind.TIME else [1 / value for value in arm], units)
        for arm in (pairing.treatment, pairing.baseline)
    )
    return ratio_of_totals(over, under, question.confidence)


def _neighbours(pairing: PairedRuns, runs: Iterable[MeasuredRun], shown: Estimate) -> Iterator[Raised]:
    """Look at the blocks in their order in time; in that of their names where the data do not tell it."""
    begun = _begun(runs)
    blocks = sorted(pairing.blocks, key=lambda one: begun.get((one.machine, one.session, one.block), 0.0))
    blocks = sorted(blocks, key=lambda one: natural([one.machine, one.session]))
    labels = [(block.machine, block.session) for block in blocks]
    return neighbour_doubts([block.d for block in blocks], labels, shown)


def _begun(runs: Iterable[MeasuredRun]) -> dict[Key, float]:
    """Return when each block began, of those whose runs tell their order."""
    starts: dict[Key, float] = {}
    for run in runs:
        if run.order is not None:
            starts[key_of(run)] = min(run.order, starts.get(key_of(run), math.inf))
    return starts


def _unit(block: BlockLoss, level: Level) -> Key:
    if level is Level.MACHINE:
        return block.machine, "", ""
    return block.machine, block.session, block.block if level is Level.BLOCK else ""


def _sums(values: Sequence[float], units: Sequence[Key]) -> list[float]:
    held: dict[Key, list[float]] = {}
    for value, unit in zip(values, units, strict=True):
        held.setdefault(unit, []).append(value)
    return [math.fsum(of_unit) for of_unit in held.values()]


def _scan(runs: Iterable[MeasuredRun], question: Question) -> Scan:
    held = [run for run in runs if run.arm in {question.baseline, question.treatment}]
    keys = sorted({(run.machine, run.session, run.block) for run in held}, key=natural)
    places = {key: at for at, key in enumerate(keys)}
    arms: dict[str, list[Point]] = {question.baseline: [], question.treatment: []}
    for run in held:
        place = places[run.machine, run.session, run.block]
        arms[run.arm].append(Point(place, run.events or 0, _seconds(run, question.kind)))
    return scan(
        arms[question.baseline],
        arms[question.treatment],
        confidence=question.confidence,
        margin=question.margin,
    )


def _seconds(run: MeasuredRun, kind: ValueKind) -> float:
    return run.value if kind is ValueKind.TIME else (run.events or 0) / run.value


def _doubts(pairing: PairedRuns, loss: LevelLoss, scanned: Scan | None) -> Iterator[Raised]:
    if pairing.incomplete:
        yield raised("incomplete-blocks", blocks=pairing.incomplete)
    if len(pairing.blocks) == 1:
        yield raised("one-block")
    if scanned is not None and loss.machines > 1:
        yield raised("scan-over-machines")
    if scanned is not None and scanned.fixed_cost_s is not None and loss.level is Level.SESSION:
        yield raised("scan-over-sessions")
