"""What the evaluations so far say of every configuration: a Bayesian linear model of logarithms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay.tune.coding import Coding, Numbers
from assay.tune.known import Known
from assay.tune.space import Configs, Space

if TYPE_CHECKING:
    import numpy as np

ROUNDS_FIRST, ROUNDS = 12, 4
"""Steps of expectation and maximization; those of the evaluation before are gone on from."""
FREEDOM = 4.0
"""Degrees of freedom of the noise: an outlier counts little."""
PRIOR = 2.0
"""How many coefficients' worth the common scale counts against a group's own."""
NOISE, NOISE_WORTH = 0.02, 4.0
DRIFT, DRIFT_WORTH, LASTING = 0.003, 6.0, 0.9
"""What noise and drift are taken to be before anything is known, and for how many values that counts."""
MOST_SPANS = 100
"""Columns of the drift; of more evaluations some share one."""
MAIN, PAIR = 0.05, 0.01
WORTH = 2.0
"""What effects of factors and of pairs are taken to be at first, and for how many of them that counts
afterwards: without it, what was once taken for nothing would stay so.
"""
LEAST, MOST = 1e-4, 1.0
LEVEL, TREND = 2, 0.1
"""The first columns are the common level and its trend, of this standard deviation over half of the time."""
WIDE = 100.0
"""Standard deviation of what nothing is known of: the common level."""


@dataclass(frozen=True)
class Evaluations:
    """What was evaluated, in the order of time.

    Attributes:
        configs: One row each.
        values: Logarithm of each value; lower is better.
        fidelities: Number of the fidelity of each; 0 is the full one.
    """

    configs: Configs
    values: Numbers
    fidelities: np.ndarray

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class Scales:
    """Standard deviations, by which little is taken for nothing.

    Attributes:
        groups: Of the coefficients of each group.
        low: Of those of low fidelities.
        drift: Of what lasts for a while.
        noise: Of a value.
    """

    groups: Numbers
    low: float
    drift: float
    noise: float


@dataclass(frozen=True)
class Posterior(Known):
    """What is known of the coefficients of a linear model.

    Attributes:
        coding: How configurations are coded.
        mean: Of each coefficient.
        covariances: Of them.
        scales: The scales that were found.
    """

    coding: Coding
    mean: Numbers
    covariances: Numbers
    scales: Scales

    @property
    def space(self) -> Space:
        """Return the space of configurations."""
        return self.coding.space

    @property
    def noise(self) -> float:
        """Return the standard deviation of a single value."""
        return self.scales.noise

    def expected(self, configs: Configs) -> Numbers:
        """Return the expected logarithm of each configuration."""
        return self.coding.columns(configs) @ self.mean

    def spread(self, configs: Configs) -> Numbers:
        """Return the variance of what is known of each configuration."""
        columns = self.coding.columns(configs)
        found: Numbers = ((columns @ self.covariances) * columns).sum(axis=1)
        return found

    def covariance(self, ones: Configs, others: Configs) -> Numbers:
        """Return the covariance of what is known of each configuration with each other."""
        return self.coding.columns(ones) @ self.covariances @ self.coding.columns(others).T

    def draws(self, configs: Configs, count: int, rng: np.random.Generator) -> Numbers:
        """Return so many rows of logarithms of the configurations as they may be together."""
        import numpy as np

        spread, directions = np.linalg.eigh(self.covariances)
        drawn = rng.standard_normal((count, len(self.mean))) * np.sqrt(np.maximum(spread, 0.0))
        rows: Numbers = (self.mean + drawn @ directions.T) @ self.coding.columns(configs).T
        return rows


def nothing_known(coding: Coding) -> Posterior:
    """Return what is known before anything was evaluated."""
    import numpy as np

    scales = _at_first(coding)
    spread = scales.groups[np.array(coding.group_of)]
    return Posterior(coding, np.zeros(len(spread)), np.diag(spread**2), scales)


def fit(coding: Coding, told: Evaluations, start: Scales | None = None, *, learn: bool = True) -> Posterior:
    """Return what evaluations say.

    The logarithm of a value is a common level with its trend, effects of factors and of pairs, what a low
    fidelity adds to them, a drift that lasts, and noise with heavy tails. How large effects are is learned
    from all of them: a factor, a pair that does nothing is taken for nothing.

    Args:
        coding: How configurations are coded.
        told: The evaluations, one at least.
        start: The scales of a former fit, from which it is gone on.
        learn: Learn the scales; otherwise they are as at first.

    Source:
        D. J. C. MacKay, "Bayesian interpolation", Neural Computation 4 (1992) 415-447; M. E. Tipping,
        "Sparse Bayesian learning and the relevance vector machine", JMLR 1 (2001) 211-244; K. L. Lange,
        R. J. A. Little, J. M. G. Taylor, "Robust statistical modeling using the t distribution", JASA 84
        (1989) 881-896.

    Limits:
        Effects of three factors at once are noise to it. Scales are the likeliest ones, their own
        uncertainty is left out: intervals are a little narrow.
    """
    design = _design(coding, told)
    scales = start or _at_first(coding)
    weights = design.weights
    for _ in range((ROUNDS if start else ROUNDS_FIRST) if learn else 0):
        mean, covariance = _solve(design, told.values, scales, weights)
        scales, weights = _again(design, told.values, scales, weights, mean, covariance)
    mean, covariance = _solve(design, told.values, scales, weights)
    wanted = slice(LEVEL, LEVEL + len(coding.group_of))
    return Posterior(coding, mean[wanted], covariance[wanted, wanted], scales)


@dataclass(frozen=True)
class _Design:
    """The columns of all that is estimated: the common level and its trend, effects, low fidelities, drift.

    Attributes:
        columns: One row an evaluation.
        group_of: Group of each column of effects.
        mains: The first so many groups are of factors alone.
        low: Where the columns of low fidelities lie.
        drift: Where those of the drift lie.
        weights: What each value counts at first.
    """

    columns: Numbers
    group_of: np.ndarray
    mains: int
    low: slice
    drift: slice
    weights: Numbers


def _design(coding: Coding, told: Evaluations) -> _Design:
    import numpy as np

    count = len(told)
    effects = coding.columns(told.configs)
    low = _low(effects[:, : coding.mains], told.fidelities)
    drift = _lasting(count)
    level = np.stack([np.ones(count), np.linspace(-1, 1, count)], axis=1)
    columns = np.concatenate([level, effects, low, drift], axis=1)
    ends = np.cumsum([LEVEL + effects.shape[1], low.shape[1], drift.shape[1]])
    return _Design(
        columns,
        np.array(coding.group_of),
        len(coding.space.factors),
        slice(ends[0], ends[1]),
        slice(ends[1], ends[2]),
        np.ones(count),
    )


def _lasting(count: int) -> Numbers:
    """Return the columns of a drift that lasts: one an evaluation, of many one for some together."""
    import numpy as np

    together = -(-count // MOST_SPANS)
    spans = np.arange(-(-count // together))
    apart = np.abs(np.subtract.outer(spans, spans))
    lower = np.linalg.cholesky(LASTING ** (together * apart) + 1e-9 * np.eye(len(spans)))
    columns: Numbers = np.asarray(lower[np.arange(count) // together], dtype=np.float64)
    return columns


def _low(mains: Numbers, fidelities: np.ndarray) -> Numbers:
    """Return the columns of what low fidelities add: to the level, and to each factor's effect."""
    import numpy as np

    parts = [np.zeros((len(mains), 0))]
    for which in np.unique(fidelities[fidelities > 0]):
        there = (fidelities == which).astype(np.float64)[:, None]
        parts += [there * WIDE, there * mains]
    return np.concatenate(parts, axis=1)


def _at_first(coding: Coding) -> Scales:
    import numpy as np

    groups = np.array([MAIN if len(group) == 1 else PAIR for group in coding.groups])
    return Scales(groups, MAIN, DRIFT, NOISE)


def _solve(design: _Design, values: Numbers, scales: Scales, weights: Numbers) -> tuple[Numbers, Numbers]:
    import numpy as np
    from scipy.linalg import cho_factor, cho_solve

    prior = np.empty(design.columns.shape[1])
    prior[:LEVEL] = WIDE, TREND
    prior[LEVEL : design.low.start] = scales.groups[design.group_of]
    prior[design.low] = scales.low
    prior[design.drift] = scales.drift
    weighted = design.columns * (weights / scales.noise**2)[:, None]
    precision = weighted.T @ design.columns
    precision[np.diag_indices_from(precision)] += prior**-2.0
    covariance = cho_solve(cho_factor(precision), np.eye(len(prior)))
    return covariance @ (weighted.T @ values), covariance


def _again(
    design: _Design, values: Numbers, scales: Scales, weights: Numbers, mean: Numbers, covariance: Numbers
) -> tuple[Scales, Numbers]:
    """Return the likeliest scales for what was found, and what each value then counts."""
    import numpy as np

    squares = mean**2 + np.diag(covariance)
    effects = squares[LEVEL : design.low.start]
    of_group = np.bincount(design.group_of, weights=effects)
    width = np.bincount(design.group_of)
    groups = np.empty(len(width))
    for part, first in ((slice(0, design.mains), MAIN), (slice(design.mains, None), PAIR)):
        common = (WORTH * first**2 + of_group[part].sum()) / (WORTH + width[part].sum())
        groups[part] = np.sqrt((PRIOR * common + of_group[part]) / (PRIOR + width[part]))
    low, drift = squares[design.low], squares[design.drift]
    misses = (values - design.columns @ mean) ** 2
    misses += ((design.columns @ covariance) * design.columns).sum(axis=1)
    noise = (NOISE_WORTH * NOISE**2 + np.sum(weights * misses)) / (NOISE_WORTH + len(values))
    found = replace(
        scales,
        groups=np.clip(groups, LEAST, MOST),
        low=float(np.clip(np.sqrt(low.mean()), LEAST, MOST)) if len(low) else scales.low,
        drift=_drift(drift),
        noise=float(np.clip(np.sqrt(noise), LEAST, MOST)),
    )
    return found, (FREEDOM + 1) / (FREEDOM + misses / found.noise**2)


def _drift(squares: Numbers) -> float:
    import numpy as np

    held = (DRIFT_WORTH * DRIFT**2 + squares.sum()) / (DRIFT_WORTH + len(squares))
    return float(np.clip(np.sqrt(held), LEAST, MOST))
