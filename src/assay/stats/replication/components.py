"""Where the scatter of blocks comes from: what the blocks of a session share, and the rest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain

from assay.stats.centre import Values, mean_of, squares_about
from assay.stats.groups import Keys, grouped
from assay.stats.mean import t_quantile


@dataclass(frozen=True)
class Components:
    """Standard deviations of the log slowdown of a block, by level.

    Attributes:
        sessions: Number of sessions.
        session: Of what the blocks of a session share; ``None`` with one session or one block in each.
        block: Of the blocks of one session; ``None`` with one block in each.
        chance: Chance of so different sessions where they are all alike (F test); ``None`` as above.
        between: Mean square between sessions; ``None`` as above.
        size: Blocks of a session by which the mean square between grows with its variance; ``None`` as above.
    """

    sessions: int
    session: float | None
    block: float | None
    chance: float | None
    between: float | None = None
    size: float | None = None


def components(values: Values, sessions: Keys) -> Components:
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
    groups = grouped(values, sessions)
    means = [(len(group), mean_of(group)) for group in groups]
    of_groups = (squares_about(mean, group) for group, (_, mean) in zip(groups, means, strict=True))
    within = math.fsum(chain.from_iterable(of_groups))
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
    chance = chance_of(between, block, outer, inner)
    return Components(len(groups), session, math.sqrt(block), chance, between, size)


def chance_of(between: float, within: float, outer: int, inner: int) -> float:
    """Return the chance of so large a ratio of mean squares where both are of the same scatter (F test)."""
    from scipy.special import fdtrc

    if within == 0:
        return 0.0 if between > 0 else 1.0
    return float(fdtrc(outer, inner, between / within))


@dataclass(frozen=True)
class Floor:
    """What an arm has in one session and not in another, as the site's A/A history knows it.

    Attributes:
        sigma: Its standard deviation, log units; two arms differ by sqrt(2) of it.
        freedom: Degrees of freedom with which it is known; infinite where it is known exactly.
    """

    sigma: float
    freedom: float = math.inf

    def half(self, sessions: float, *, confidence: float = 0.95) -> float:
        """Return the half-width by which it widens an interval over sessions, log units.

        Args:
            sessions: Sessions of the result, S >= 1; of sessions of different sizes as many of equal size as
                average as much (``sessions.effective``).
            confidence: Coverage of the interval.

        Returns:
            t(freedom) sqrt(2 / S) sigma.
        """
        return t_quantile(confidence, self.freedom) * math.sqrt(2 / max(1, sessions)) * self.sigma


PRIOR_SHARE, PRIOR_FREEDOM = 0.1, 3
"""What an arm has in a session, as a share of the scatter of blocks, before there is a history; and what that
weighs.
"""


def floor_of(session: float, block: float, sessions: int) -> Floor:
    """Return the floor that a history tells of: shrunk towards what sites have while it is short.

    Args:
        session: Of what an arm has in a session, standard deviation by the history, log units.
        block: Of the blocks of one session, likewise.
        sessions: Sessions of the history, at least two.

    Source:
        The scaled inverse chi-squared prior: A. Gelman et al., "Bayesian Data Analysis", 3rd ed. (2013),
        section 2.6.
    """
    freedom = PRIOR_FREEDOM + sessions - 1
    variance = (PRIOR_FREEDOM * (PRIOR_SHARE * block) ** 2 + (sessions - 1) * session**2) / freedom
    return Floor(math.sqrt(variance), freedom)
