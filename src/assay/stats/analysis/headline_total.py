"""The loss of the total: how much longer all blocks together took, not the typical one."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace

from assay.model.figures.estimate import Estimate, Looks, Verdict
from assay.stats.centre import Centre, scatters
from assay.stats.fieller import ratio_of_totals
from assay.stats.replication.paired import ONCE, OPEN, estimate_of, loss_of
from assay.stats.replication.sessions import Asked, effective, session_loss, unless_hidden
from assay.stats.verdicts.verdict import verdict_of

Times = tuple[float, float]
"""Baseline's and treatment's time for the same work in one block; of rates their inverses."""


def total_loss(times: Sequence[Times], sessions: Sequence[Hashable], asked: Asked) -> Estimate:
    """Estimate the loss of the total of all blocks: slow outliers count with all that they cost.

    Where the loss of the typical run is over sessions (``session_loss``), totals of sessions are compared,
    else those of blocks; the site's floor and the resolution of a clock enter as they do there.

    Args:
        times: Of each complete block, > 0, in the order in which they were measured.
        sessions: The session of each.
        asked: How the loss is asked for.

    Source:
        ``stats.fieller``.

    Limits:
        The interval is for a number of blocks that was declared: looked at after every block, there is no
        verdict. With heavy tails it is wide, and of few blocks it covers less than it says.
    """
    logs = [math.log(treatment / baseline) for baseline, treatment in times]
    typical = session_loss(logs, sessions, asked)
    if len(times) < 2 or not scatters(logs):
        return typical.estimate
    units: Sequence[Hashable] = sessions if typical.over_sessions else range(len(times))
    ratio = _ratio(times, units, asked.confidence)
    blocks = len(times)
    entering = math.hypot(asked.lasting(effective(sessions)), asked.fading(blocks))
    centre = _of_logs(ratio).widened(asked.shift if typical.over_sessions else entering)
    open_ = asked.looks is Looks.EVERY or not centre.finite
    verdict = (
        Verdict.INCONCLUSIVE if open_ else verdict_of(loss_of(centre.low), loss_of(centre.high), asked.margin)
    )
    method = f"{'over sessions: ' if typical.over_sessions else ''}{ratio.method}; {OPEN if open_ else ONCE}"
    made = estimate_of(blocks, centre, centre, confidence=asked.confidence, verdict=verdict)
    doubts = tuple(doubt for doubt in typical.estimate.doubts if doubt.code != "tail-loss")
    made = replace(made, method=method, mean=typical.estimate.mean, doubts=doubts)
    return unless_hidden(made, asked.resolution)


def _ratio(times: Sequence[Times], units: Sequence[Hashable], confidence: float) -> Centre:
    """Return the ratio of the totals, each unit counting once in its interval."""
    sums: dict[Hashable, list[float]] = {}
    for unit, (baseline, treatment) in zip(units, times, strict=True):
        held = sums.setdefault(unit, [0.0, 0.0])
        held[0] += baseline
        held[1] += treatment
    return ratio_of_totals(
        [treatment for _, treatment in sums.values()], [baseline for baseline, _ in sums.values()], confidence
    )


def _of_logs(ratio: Centre) -> Centre:
    low = math.log(ratio.low) if ratio.low > 0 else -math.inf
    return Centre(
        math.log(ratio.value),
        low,
        math.log(ratio.high) if math.isfinite(ratio.high) else math.inf,
        ratio.method,
    )
