"""The loss of a treatment over its baseline, paired by block."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from assay.model.doubt import Raised, raised
from assay.model.figures.estimate import Estimate, Looks, Mean, Verdict
from assay.model.metric import Direction
from assay.stats import mean as means
from assay.stats.centre import Centre, Values, check_finite, listed, mean_of, scatters
from assay.stats.mean import student
from assay.stats.rank import hodges_lehmann, interval_rank
from assay.stats.verdicts import sequence
from assay.stats.verdicts.verdict import blocks_more, verdict_of

ONCE = "verdict taken once from it, at the declared number of blocks"
OPEN = "no verdict yet from a look after every block"
TYPICAL_FROM = 6
"""Blocks from which the headline is Hodges-Lehmann's centre: there its interval of 95 % is finite."""
CENTRES = {True: "Hodges-Lehmann", False: "mean"}
"""Whether there are so many, and what the centre of a confidence sequence is then."""
LARGEST = 460.0
"""Its exponential, 1e200, is far from the end of doubles; gains beyond come from intervals that
say nothing.
"""
TAIL_SHARE = 0.5
"""Centres that lie further apart than this share of the half-width, and than the mean's own, tell of outliers
on one side.
"""


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


def paired_loss(  # noqa: PLR0913 - what enters an interval, each by its name
    log_slowdowns: Values,
    *,
    confidence: float = 0.95,
    margin: float = 0.0,
    floor: float = 0.0,
    rounding: float = 0.0,
    looks: Looks = Looks.ONCE,
    strictest: float | None = None,
    alone: bool = False,
) -> Estimate:
    """Estimate the loss from one log slowdown a block, and draw the verdict from the interval shown.

    Looked at once, the interval is Hodges-Lehmann's exact one from 6 blocks on (at 95 %) and the mean's with
    Student's t below. Looked at after every block it is a confidence sequence; where that is not finite yet
    (below 5 blocks at 95 %) Student's is shown and there is no verdict. Blocks without any scatter know
    nothing of their noise: they bring no verdict. All intervals are carried to the loss by the monotone 1 -
    exp(-d).

    Args:
        log_slowdowns: d of each complete block, in the order in which they were measured.
        confidence: Coverage of the two-sided interval, 0 < confidence < 1.
        margin: Loss that does not matter to the reader, a ratio from 0 to below 1: a whole interval within
            [-margin, margin] that holds zero is equivalence.
        floor: Half-width of what blocks of a session share (``stats.replication.components.Floor``), in log
            units, >= 0; it enters in quadrature.
        rounding: Half-width of what rounding does to these blocks, likewise; further blocks make it smaller.
        looks: When verdicts may be drawn.
        strictest: Confidence at which ranks must have an interval to be taken, else Student's t is;
            ``confidence`` where ``None``.
        alone: Only the loss and its interval are wanted: there is no mean beside it, so that no tail is seen,
            and blocks that are missing are not counted.

    Raises:
        ValueError: A value is infinite or not a number.

    Source:
        ``stats.rank``, ``stats.mean`` and ``stats.verdicts.sequence``; equivalence by interval inclusion:
        Schuirmann, J. Pharmacokinet. Biopharm. 15 (1987) 657-680.

    Limits:
        Blocks must be independent. Without a floor it speaks of the sessions in which it was measured.
        Below two blocks there is no interval.
    """
    check_finite(log_slowdowns)
    n = len(log_slowdowns)
    if n == 0:
        return Estimate(0, None, None, None, confidence, None, Verdict.NOT_MEASURED, None, means.METHOD)
    if n == 1:
        headline = student(log_slowdowns, confidence)
    else:
        headline = look_at(log_slowdowns, confidence=confidence, looks=looks, strictest=strictest)
    entering = math.hypot(floor, rounding)
    wide = headline.widened(entering)
    verdict = Verdict.INCONCLUSIVE
    if n > 1 and not headline.method.endswith(OPEN) and scatters(log_slowdowns):
        verdict = verdict_of(loss_of(wide.low), loss_of(wide.high), margin)
    mean = more = None
    if not alone:
        mean = student(log_slowdowns, confidence).widened(entering)
    if n > 1 and verdict is Verdict.INCONCLUSIVE and not alone:
        more = blocks_more(listed(log_slowdowns), headline, confidence=confidence, margin=margin, floor=floor)
    estimate = estimate_of(n, wide, mean, confidence=confidence, verdict=verdict, more=more)
    return replace(estimate, doubts=(*estimate.doubts, *_no_scatter(log_slowdowns)))


def look_at(
    values: Values, *, confidence: float, looks: Looks = Looks.ONCE, strictest: float | None = None
) -> Centre:
    """Return the headline of two or more log slowdowns with the interval from which a verdict is drawn."""
    if looks is Looks.ONCE:
        typical = interval_rank(len(values), strictest or confidence)[0]
        centre = hodges_lehmann(values, confidence) if typical else student(values, confidence)
        return replace(centre, method=f"{centre.method}; {ONCE}")
    low, high = sequence.confidence_sequence(listed(values), confidence)
    if not math.isfinite(high - low):
        mean = student(values, confidence)
        return replace(mean, method=f"{mean.method}; {OPEN}")
    value = middle_of(values)
    return Centre(
        value, min(low, value), max(high, value), f"{CENTRES[len(values) >= TYPICAL_FROM]}; {sequence.METHOD}"
    )


def estimate_of(
    n: int,
    headline: Centre,
    mean: Centre | None,
    *,
    confidence: float,
    verdict: Verdict,
    more: int | None = None,
) -> Estimate:
    """Return the loss of a headline, with the mean beside it, both in log units."""
    low, high = _ends(headline)
    doubts = () if mean is None else tuple(_tails(headline, mean))
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
        mean=None if mean is None else Mean(loss_of(mean.value), *_ends(mean)),
        doubts=doubts,
    )


def _ends(centre: Centre) -> tuple[float | None, float | None]:
    return (loss_of(centre.low), loss_of(centre.high)) if centre.finite else (None, None)


def _tails(headline: Centre, mean: Centre) -> list[Raised]:
    """Say so where the mean and the typical loss part by more than chance parts them: one arm has the worse
    outliers.

    Limits:
        Outliers that both arms have alike make the mean uncertain, too: what it does not know of itself tells
        of no arm.
    """
    apart = mean.value - headline.value
    if not (headline.finite and mean.finite) or abs(apart) <= max(TAIL_SHARE * headline.half, mean.half):
        return []
    doubt = raised(
        "tail-loss",
        arm="treatment" if apart > 0 else "baseline",
        mean=loss_of(mean.value),
        typical=loss_of(headline.value),
        half=(loss_of(headline.high) - loss_of(headline.low)) / 2,
    )
    return [doubt]


def _no_scatter(values: Values) -> Iterator[Raised]:
    """Yield that blocks which agree to the last digit know nothing of their noise."""
    if len(values) > 1 and not scatters(values):
        yield raised("no-scatter", slowdowns=len(values))


def middle_of(values: Values) -> float:
    """Return the centre of one or more log slowdowns as the headline takes it, without an interval."""
    return hodges_lehmann(values).value if len(values) >= TYPICAL_FROM else mean_of(values)
