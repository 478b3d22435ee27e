"""Where the scatter of blocks comes from: what the blocks of a session share, and the rest."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from assay.stats.centre import mean_of
from assay.stats.mean import t_quantile


@dataclass(frozen=True)
class Components:
    """Standard deviations of the log slowdown of a block, by level.

    Attributes:
        sessions: Number of sessions.
        session: Of what the blocks of a session share; ``None`` with one session or one block in each.
        block: Of the blocks of one session; ``None`` with one block in each.
        chance: Chance of so different sessions where they are all alike (F test); ``None`` as above.
    """

    sessions: int
    session: float | None
    block: float | None
    chance: float | None


def components(values: Sequence[float], sessions: Sequence[Hashable]) -> Components:
    """Return the variance components of a one-way random layout.

    Args:
        values: Log slowdown of each block.
        sessions: The session of each block.

    Raises:
        ValueError: Not one session for each value.

    Source:
        S. R. Searle, G. Casella, C. E. McCulloch, "Variance Components" (1992), chapter 3 (the ANOVA
        estimator for unbalanced data).

    Limits:
        A negative estimate is given as 0. With few sessions the estimate is itself uncertain.
    """
    if len(values) != len(sessions):
        msg = f"expected a session for each value, got {len(sessions)} for {len(values)}"
        raise ValueError(msg)
    groups: dict[Hashable, list[float]] = {}
    for value, session in zip(values, sessions, strict=True):
        groups.setdefault(session, []).append(value)
    means = [(len(group), mean_of(group)) for group in groups.values()]
    within = math.fsum((v - mean_of(group)) ** 2 for group in groups.values() for v in group)
    inner, outer = len(values) - len(groups), len(groups) - 1
    if inner < 1:
        return Components(len(groups), None, None, None)
    block = within / inner
    if outer < 1:
        return Components(1, None, math.sqrt(block), None)
    all_mean = mean_of(values)
    between = math.fsum(size * (mean - all_mean) ** 2 for size, mean in means) / outer
    size = (len(values) - sum(n * n for n, _ in means) / len(values)) / outer
    session = math.sqrt(max(0.0, between - block) / size)
    return Components(len(groups), session, math.sqrt(block), _chance(between, block, outer, inner))


def _chance(between: float, within: float, outer: int, inner: int) -> float:
    from scipy.special import fdtrc

    if within == 0:
        return 0.0 if between > 0 else 1.0
    return float(fdtrc(outer, inner, between / within))


def floor_half(sigma: float, sessions: int, *, confidence: float = 0.95) -> float:
    """Return the half-width by which a site's A/A floor widens an interval over several sessions.

    Args:
        sigma: Standard deviation of what an arm has in one session and not in another, log units; two
            arms differ by sqrt(2) of it.
        sessions: Sessions of the result, S.
        confidence: Coverage of the interval.

    Returns:
        t(S - 1) sqrt(2) sigma / sqrt(S); 0 for one session, whose interval holds for that session alone.
    """
    if sessions < 2:
        return 0.0
    return t_quantile(confidence, sessions - 1) * math.sqrt(2 / sessions) * sigma
