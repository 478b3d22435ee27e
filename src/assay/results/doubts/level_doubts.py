"""Doubts that the blocks of a whole result raise: outliers, order, sessions, a goal that was not reached."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.design.advice import advice_of
from assay.design.blocks import Block, blocks_of, metrics_of, slowdowns
from assay.design.ending import comparisons_of, metered, metered_of, wanted_of
from assay.design.stopping import Metered, Standing, Wanted, each_of, judged
from assay.model.activity import ActivityPlan
from assay.model.doubt import Doubt, Raised, raised
from assay.model.goal import Headline
from assay.model.metric import Metric
from assay.model.trial import Arm, Trial
from assay.model.work.workload import Workload
from assay.report.doubts import named
from assay.results.doubts.disturbed import is_swamped
from assay.stats import loss_of
from assay.stats.replication.components import Components, components
from assay.stats.replication.neighbours import neighbour_doubts
from assay.stats.replication.order import order_effect
from assay.stats.replication.sessions import held_by

CHANCE = 0.01
"""Of an order effect in any metric, or of different sessions in one, by chance: there are many metrics to
look at.
"""
HAD = (Standing.REACHED, Standing.NO_SCATTER)
"""Standings of which nothing is said here."""
OLD_NS = 31 * 24 * 3600 * 10**9
"""A floor older than a month is of another kernel, another season, another load."""


def level_doubts(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[Doubt | Raised]:
    """Yield what the levels of a result say against it."""
    yield from _metric_doubts(plan, records)
    yield from _unreached(plan, records)
    if plan.floor is not None and plan.taken_up_ns - plan.floor.taken_ns > OLD_NS:
        days = (plan.taken_up_ns - plan.floor.taken_ns) // (24 * 3600 * 10**9)
        yield raised("floor-old", days=days)


def _metric_doubts(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[Doubt | Raised]:
    wanted = wanted_of(plan)
    looked_at = [(w, metric) for w in plan.workloads for metric in metrics_of(records, w)]
    for workload, metric in looked_at:
        planned = blocks_of(plan, records, workload, metric)
        blocks = [block for block in planned if block.whole]
        name, measured = f"{workload.name} {metric.name}", metered(plan, workload, metric, planned)
        yield from _order(plan, name, blocks, measured, chance=CHANCE / len(looked_at))
        yield from _sessions(name, blocks, measured, wanted)
        doubts = (*_of_blocks(measured, each_of(wanted, len(looked_at))), *_neighbours(measured, wanted))
        yield from named(name, doubts)


def _of_blocks(measured: Metered, wanted: Wanted) -> Iterator[Raised]:
    """Yield what the blocks of one of several metrics say, at the confidence of each before any is called."""
    typical = replace(measured, times=()) if measured.times else measured
    codes = ("no-scatter",) if wanted.goal.headline is Headline.TOTAL else ("no-scatter", "tail-loss")
    doubts = typical.estimate(wanted).doubts  # the total has its tails in it
    yield from (doubt for doubt in doubts if doubt.code in codes)


def _neighbours(measured: Metered, wanted: Wanted) -> Iterator[Raised]:
    """Say that neighbouring blocks are alike, and what the interval is when they count as one."""
    return neighbour_doubts(measured.slowdowns, measured.labels, measured.estimate(wanted))


def _order(
    plan: ActivityPlan, name: str, blocks: Sequence[Block], measured: Metered, *, chance: float
) -> Iterator[Raised]:
    """Compare blocks that the baseline began with those that the treatment began."""
    begun = {trial.block: trial.arm for trial in reversed(plan.trials)}  # the first of each block stays
    logs = list(zip(blocks, measured.slowdowns, strict=True))
    one, other = ([d for block, d in logs if begun[block.block] is arm] for arm in Arm)
    effect = order_effect(one, other, 1 - chance)
    if effect is not None and (effect.low > 0 or effect.high < 0):
        size = abs(loss_of(effect.value))
        yield raised("order-effect", metric=name, effect=size, baseline=plan.baseline.label)


def _sessions(name: str, blocks: Sequence[Block], measured: Metered, wanted: Wanted) -> Iterator[Raised]:
    parts = components(measured.slowdowns, [block.session for block in blocks]) if blocks else None
    if parts is None or parts.chance is None or parts.chance >= CHANCE:
        return
    over = measured.estimate(wanted).method.startswith("over ")
    yield raised(
        "sessions-differ",
        case="metric",
        metric=name,
        between=parts.session or 0,
        within=parts.block or 0,
        held_by=held_by(parts.sessions, measured.floor, over=over),
    )


def _unreached(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[Raised]:
    """Say what kept metrics from the precision that was wanted, and the cheapest cure.

    Of blocks without scatter another doubt says that their width is not known.
    """
    wanted = wanted_of(plan)
    if plan.goal.precision is None:
        return
    by_name = {(w.name, m.name): (w, m) for w in plan.workloads for m in metrics_of(records, w)}
    swamped = is_swamped(records)
    outcomes = [one for metrics in comparisons_of(plan, records) for one in judged(metrics, wanted)]
    for (workload, metric, _), one in zip(metered_of(plan, records), outcomes, strict=True):
        where, enough = one.standing, len(one.metered.slowdowns) >= plan.goal.minimum_blocks
        if where in HAD or not enough:
            continue
        advice = advice_of(one.metered, _parts(plan, records, *by_name[workload, metric]), one.wanted)
        yield raised(
            "floor-above-precision" if where is Standing.FLOOR else "precision-not-reached",
            precision=plan.goal.precision,
            metric=f"{workload} {metric}",
            advice=advice,
            swamped=swamped,
        )


def _parts(plan: ActivityPlan, records: Sequence[Trial], workload: Workload, metric: Metric) -> Components:
    blocks = [block for block in blocks_of(plan, records, workload, metric) if block.whole]
    return components(slowdowns(blocks, metric.direction), [block.session for block in blocks])
