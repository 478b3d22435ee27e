"""The loss of a treatment over its baseline, paired by block."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from assay.model.doubt import Doubt
from assay.model.estimate import Estimate, Mean, Verdict
from assay.model.metric import Direction
from assay.model.units import format_share
from assay.stats import mean as means
from assay.stats import sequence
from assay.stats.centre import Centre, check_finite, mean_of
from assay.stats.mean import student
from assay.stats.rank import hodges_lehmann
from assay.stats.verdict import Look, blocks_more, verdict_of

ONCE = "verdict taken once from it, at the declared number of blocks"
LARGEST = 460.0
"""Its exponential, 1e200, is far from the end of doubles; gains beyond come from intervals that say nothing."""
TAIL_SHARE = 0.5
"""Centres that lie further apart than this share of the half-width tell of outliers on one side."""


def log_slowdown(baseline: Sequence[float], treatment: float, direction: Direction) -> float:
    """Return the log of t_treatment / t_baseline of one block, for a time or for a rate.

    Args:
        baseline: One or more values of the baseline in the block, all > 0; their geometric mean counts.
        treatment: The treatment's value, > 0.
        direction: ``LOWER`` for times, ``HIGHER`` for rates (slowdown = rate_baseline / rate_treatment).

    Raises:
        ValueError: A value is not finite or not above zero, or there is no baseline value.
    """
    if not baseline or any(not math.isfinite(v) or v <= 0 for v in (*baseline, treatment)):
        msg = f"a slowdown needs finite values above zero, got {list(baseline)} and {treatment}"
        raise ValueError(msg)
    difference = math.log(treatment) - fmean(math.log(value) for value in baseline)
    return difference if direction is Direction.LOWER else -difference


def loss_of(log_slowdown: float) -> float:
    """Return the loss 1 - 1/slowdown of a log slowdown; negative is a gain, at most 1e200."""
    return -math.expm1(min(-log_slowdown, LARGEST))


def paired_loss(
    log_slowdowns: Sequence[float], *, confidence: float = 0.95, margin: float = 0.0, floor: float = 0.0
) -> Estimate:
    """Estimate the loss from one log slowdown a block, and draw the verdict.

    From 6 blocks on (at 95 %) the headline is Hodges-Lehmann's centre with its exact interval, and the
    verdict comes from a confidence sequence, so that it may be asked for after every block. With fewer,
    where neither is finite, both are the mean's with Student's t, and the verdict may be taken once. All
    intervals are carried to the loss by the monotone 1 - exp(-d).

    Args:
        log_slowdowns: d of each complete block.
        confidence: Coverage of the two-sided interval, 0 < confidence < 1.
        margin: Loss that does not matter to the reader, a ratio >= 0: a whole interval within
            [-margin, margin] that holds zero is equivalence.
        floor: Half-width of what blocks of a session share (``stats.components.floor_half``), in log
            units, >= 0; it enters in quadrature.

    Raises:
        ValueError: A value is infinite or not a number.

    Source:
        ``stats.rank``, ``stats.mean`` and ``stats.sequence``; equivalence by interval inclusion:
        Schuirmann, J. Pharmacokinet. Biopharm. 15 (1987) 657-680.

    Limits:
        Blocks must be independent. Without a floor it speaks of the sessions in which it was measured.
        Below two blocks there is no interval.
    """
    check_finite(log_slowdowns)
    n = len(log_slowdowns)
    if n == 0:
        return Estimate(0, None, None, None, confidence, None, Verdict.NOT_MEASURED, None, means.METHOD)
    mean = student(log_slowdowns, confidence).widened(floor)
    if n == 1:
        return _estimate(n, mean, mean, confidence=confidence, verdict=Verdict.INCONCLUSIVE)
    headline, look = look_at(log_slowdowns, confidence=confidence, floor=floor)
    verdict = verdict_of(loss_of(look.low), loss_of(look.high), margin)
    more = blocks_more(look, confidence, margin=margin) if verdict is Verdict.INCONCLUSIVE else None
    found = _estimate(n, headline, mean, confidence=confidence, verdict=verdict, more=more)
    return replace(found, doubts=(*found.doubts, *_no_scatter(log_slowdowns)))


def look_at(values: Sequence[float], *, confidence: float, floor: float = 0.0) -> tuple[Centre, Look]:
    """Return the headline of two or more log slowdowns, and the interval from which a verdict is taken."""
    typical = hodges_lehmann(values, confidence)
    low, high = sequence.confidence_sequence(values, confidence)
    if typical.finite and math.isfinite(high - low):
        headline = Centre(typical.value, typical.low, typical.high, f"{typical.method}; {sequence.METHOD}")
        return headline.widened(floor), Look.of(values, low, high, floor=floor)
    mean = student(values, confidence)
    headline = Centre(mean.value, mean.low, mean.high, f"{mean.method}; {ONCE}")
    return headline.widened(floor), Look.of(values, mean.low, mean.high, floor=floor)


def _estimate(
    n: int,
    headline: Centre,
    mean: Centre,
    *,
    confidence: float,
    verdict: Verdict,
    more: int | None = None,
) -> Estimate:
    low, high = _ends(headline)
    doubts = tuple(_tails(headline, mean))
    return Estimate(
        blocks=n,
        loss=loss_of(headline.value),
        low=low,
        high=high,
        confidence=confidence,
        slowdown=math.exp(headline.value),
        verdict=verdict,
        blocks_more=more,
        method=headline.method,
        mean=Mean(loss_of(mean.value), *_ends(mean)),
        doubts=doubts,
    )


def _ends(centre: Centre) -> tuple[float | None, float | None]:
    return (loss_of(centre.low), loss_of(centre.high)) if centre.finite else (None, None)


def _tails(headline: Centre, mean: Centre) -> list[Doubt]:
    """Say so where the mean and the typical loss part: one arm has the worse outliers."""
    apart = mean.value - headline.value
    if not headline.finite or abs(apart) <= TAIL_SHARE * headline.half:
        return []
    whose = "treatment" if apart > 0 else "baseline"
    half = (loss_of(headline.high) - loss_of(headline.low)) / 2
    told = [format_share(loss_of(centre.value), half) for centre in (mean, headline)]
    sentence = (
        f"Tail loss: the mean loss ({told[0]}) and the typical loss ({told[1]}) "
        f"part by more than half the interval's half-width: the {whose} has the slower outliers."
    )
    return [Doubt("tail-loss", sentence, "Look at the slowest trials one by one: what else ran then?")]


def _no_scatter(values: Sequence[float]) -> Iterator[Doubt]:
    """Yield that blocks which agree to the last digit know nothing of their noise."""
    if min(values) == max(values):
        sentence = (
            f"All {len(values)} slowdowns are exactly the same: their noise is not seen, and what rounded or copied "
            "values hide is in no interval."
        )
        step = (
            "Look whether the timer rounds or values were copied; measure longer runs, with all their digits."
        )
        yield Doubt("no-scatter", sentence, step)


def middle_of(values: Sequence[float]) -> float:
    """Return the centre of one or more log slowdowns as the headline takes it, without an interval."""
    return hodges_lehmann(values).value if len(values) >= 6 else mean_of(values)
