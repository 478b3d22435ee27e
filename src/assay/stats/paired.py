"""The loss of a treatment over its baseline, paired by block."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev

from assay.model.estimate import Estimate, Verdict
from assay.model.metric import Direction

METHOD = "t interval on the blocks' mean log slowdown"
MOST_BLOCKS_MORE = 10_000
"""Beyond this many further blocks the honest answer is that more blocks do not help."""


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
    """Return the loss 1 - 1/slowdown of a log slowdown; negative is a gain."""
    return -math.expm1(-log_slowdown)


def paired_loss(log_slowdowns: Sequence[float], *, confidence: float = 0.95, margin: float = 0.0) -> Estimate:
    """Estimate the loss from one log slowdown a block.

    The interval is Student's t on the blocks' mean, carried to the loss by the monotone
    1 - exp(-d), so that it is exact for normal log slowdowns whatever the size of the loss.

    Args:
        log_slowdowns: d of each complete block.
        confidence: Coverage of the two-sided interval, 0 < confidence < 1.
        margin: Loss that does not matter to the reader, a ratio >= 0: a whole interval within
            [-margin, margin] that holds zero is equivalence.

    Source:
        Student, "The probable error of a mean", Biometrika 6 (1908) 1-25; equivalence by interval
        inclusion: Schuirmann, J. Pharmacokinet. Biopharm. 15 (1987) 657-680.

    Limits:
        Blocks must be independent. It speaks of this machine in this session: what differs from day to
        day or from machine to machine is not in it. Below two blocks there is no interval.
    """
    n = len(log_slowdowns)
    if n == 0:
        return Estimate(0, None, None, None, confidence, None, Verdict.NOT_MEASURED, None, METHOD)
    mean = fmean(log_slowdowns)
    if n == 1:
        alone = Verdict.INCONCLUSIVE
        return Estimate(1, loss_of(mean), None, None, confidence, math.exp(mean), alone, None, METHOD)
    spread = stdev(log_slowdowns)
    low, high = _interval(mean, spread, n, confidence)
    verdict = verdict_of(low, high, margin)
    more = _blocks_more(mean, spread, n, confidence, margin) if verdict is Verdict.INCONCLUSIVE else None
    return Estimate(n, loss_of(mean), low, high, confidence, math.exp(mean), verdict, more, METHOD)


def verdict_of(low: float, high: float, margin: float) -> Verdict:
    """Return what an interval of the loss says: a side of zero first, then the margin."""
    if low > 0:
        return Verdict.LOSS
    if high < 0:
        return Verdict.GAIN
    if -margin <= low and high <= margin:
        return Verdict.EQUIVALENT
    return Verdict.INCONCLUSIVE


def _interval(mean: float, spread: float, n: int, confidence: float) -> tuple[float, float]:
    half = t_quantile(confidence, n - 1) * spread / math.sqrt(n)
    return loss_of(mean - half), loss_of(mean + half)


def _blocks_more(mean: float, spread: float, n: int, confidence: float, margin: float) -> int | None:
    """Return the fewest further blocks that would bring a verdict if mean and spread stayed as they are."""

    def decided(blocks: int) -> bool:
        return verdict_of(*_interval(mean, spread, blocks, confidence), margin) is not Verdict.INCONCLUSIVE

    if not decided(n + MOST_BLOCKS_MORE):
        return None
    below, enough = n, n + MOST_BLOCKS_MORE
    while enough - below > 1:
        middle = (below + enough) // 2
        below, enough = (below, middle) if decided(middle) else (middle, enough)
    return enough - n


def t_quantile(confidence: float, freedom: float) -> float:
    """Return the half-width of a two-sided t interval in standard errors."""
    from scipy.special import stdtrit  # 0.1 s: only where an interval is wanted

    return float(stdtrit(freedom, 0.5 + confidence / 2))
