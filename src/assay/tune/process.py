"""What the evaluations so far say of every configuration of a large space: a Gaussian process of logarithms.

Configurations are alike where they differ in few factors of weight (Hamming distance): what factors do
together needs no coefficient of its own, of which a large space has more than any budget tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.tune.coding import Numbers
from assay.tune.known import Known
from assay.tune.model import DRIFT, FREEDOM, LASTING, NOISE, TREND, Evaluations
from assay.tune.space import Configs, Space

if TYPE_CHECKING:
    import numpy as np

STEPS_FIRST, STEPS = 30, 4
"""Steps of the likeliest scales; those of the evaluation before are gone on from."""
ROUNDS = 2
"""How often scales are found again once outliers count less."""
MOST_TOLD = 400
"""Of more evaluations the newest count: a step stays below a second."""
MOST_DRAWN = 400
"""Configurations that are drawn together: the others are surely none of the best."""
WEIGHT, SIZE, LOW = 0.05, 0.1, 0.05
"""What a factor's weight, the effects of all settings and of low fidelities are taken to be at first."""
UNSURE, SURE = 2.0, 1.0
"""Standard deviations of the logarithms of these, of noise and of drift."""
TINY = 1e-9
WIDE = 10.0
"""Standard deviation of what nothing is known of: the common level of values less their mean, of low ones."""


@dataclass(frozen=True)
class ProcessScales:
    """Standard deviations, and the weights of factors.

    Attributes:
        weights: How much less alike two configurations are that differ in a factor, one number a factor.
        size: Of the effects of all settings.
        noise: Of a value.
        drift: Of what lasts for a while.
        low: Of what low fidelities add.
    """

    weights: Numbers
    size: float
    noise: float
    drift: float
    low: float

    def logs(self) -> Numbers:
        """Return the logarithms of all, weights first."""
        import numpy as np

        found: Numbers = np.log(np.concatenate([self.weights, [self.size, self.noise, self.drift, self.low]]))
        return found


def _scales(logs: Numbers) -> ProcessScales:
    import numpy as np

    size, noise, drift, low = (float(one) for one in np.exp(logs[-4:]))
    return ProcessScales(np.exp(logs[:-4]), size, noise, drift, low)


def _at_first(factors: int) -> ProcessScales:
    import numpy as np

    return ProcessScales(np.full(factors, WEIGHT), SIZE, NOISE, DRIFT, LOW)


class Process(Known):
    """A Gaussian process of a space, given evaluations.

    Args:
        space: The space.
        scales: Its scales.
        told: The configurations that were evaluated, one row each.
        solved: The inverse of their values' covariance times the values.
        inverse: That inverse.
    """

    def __init__(
        self, space: Space, scales: ProcessScales, told: Configs, solved: Numbers, inverse: Numbers
    ) -> None:
        self._space, self.scales = space, scales
        self._told, self._solved, self._inverse = told, solved, inverse

    @property
    def space(self) -> Space:
        """Return the space of configurations."""
        return self._space

    @property
    def noise(self) -> float:
        """Return the standard deviation of a single value."""
        return self.scales.noise

    def expected(self, configs: Configs) -> Numbers:
        """Return the expected logarithm of each configuration."""
        found: Numbers = self._alike(configs, self._told) @ self._solved
        return found

    def spread(self, configs: Configs) -> Numbers:
        """Return the variance of what is known of each configuration."""
        import numpy as np

        to_told = self._alike(configs, self._told)
        told = ((to_told @ self._inverse) * to_told).sum(axis=1)
        found: Numbers = np.maximum(self.scales.size**2 - told, 0.0)
        return found

    def covariance(self, ones: Configs, others: Configs) -> Numbers:
        """Return the covariance of what is known of each configuration with each other."""
        to_told = self._alike(ones, self._told)
        told = to_told @ self._inverse @ self._alike(others, self._told).T
        found: Numbers = self._alike(ones, others) - told
        return found

    def draws(self, configs: Configs, count: int, rng: np.random.Generator) -> Numbers:
        """Return so many rows of logarithms as they may be; those that are surely none of the best are
        infinite.
        """
        import numpy as np

        expected = self.expected(configs)
        hoped = np.argsort(expected - 2 * np.sqrt(self.spread(configs)), kind="stable")[:MOST_DRAWN]
        rows = np.union1d(hoped, [int(np.argmin(expected))])
        spread, directions = np.linalg.eigh(self.covariance(configs[rows], configs[rows]))
        drawn = rng.standard_normal((count, len(rows))) * np.sqrt(np.maximum(spread, 0.0))
        found = np.full((count, len(configs)), np.inf)
        found[:, rows] = expected[rows] + drawn @ directions.T
        return found

    def _alike(self, ones: Configs, others: Configs) -> Numbers:
        return self.scales.size**2 * _alike(self._space, self.scales.weights, ones, others)


def nothing_known_of(space: Space) -> Process:
    """Return what is known of a large space before anything was evaluated."""
    import numpy as np

    nothing = np.zeros((0, len(space.factors)), dtype=np.int16)
    return Process(space, _at_first(len(space.factors)), nothing, np.zeros(0), np.zeros((0, 0)))


def fit_process(
    space: Space, told: Evaluations, start: ProcessScales | None = None, *, learn: bool = True
) -> Process:
    """Return what evaluations say of a large space.

    The logarithm of a value is a common level with its trend, a function of the settings, what a low fidelity
    adds to it, a drift that lasts, and noise with heavy tails. The weight of each factor is learned.

    Args:
        space: The space.
        told: The evaluations, one at least; of very many the newest count.
        start: The scales of a former fit, from which it is gone on.
        learn: Learn the scales; otherwise they are as at first.

    Source:
        C. E. Rasmussen, C. K. I. Williams, "Gaussian processes for machine learning", MIT Press 2006, 5.4;
        for the distance F. Hutter, H. H. Hoos, K. Leyton-Brown, "Sequential model-based optimization for
        general algorithm configuration", LION 5 (2011) 507-523.

    Limits:
        Scales are the likeliest ones, their own uncertainty is left out: intervals are a little narrow.
    """
    import numpy as np

    newest = slice(max(0, len(told) - MOST_TOLD), None)
    values = told.values[newest] - told.values[newest].mean()
    parts = _Parts(space, told.configs[newest], told.fidelities[newest])
    scales, counts = start or _at_first(len(space.factors)), np.ones(len(values))
    for _ in range(ROUNDS if learn else 0):
        scales = _likeliest(parts, values, counts, scales, STEPS if start else STEPS_FIRST)
        counts = _counts(parts, values, counts, scales)
    inverse: Numbers = np.linalg.inv(parts.covariance(scales, counts)).astype(np.float64)
    return Process(space, scales, parts.configs, inverse @ values, inverse)


class _Parts:
    """What the covariance of evaluations is made of.

    Args:
        space: The space.
        configs: One row each, in the order of time.
        fidelities: Number of the fidelity of each.
    """

    def __init__(self, space: Space, configs: Configs, fidelities: np.ndarray) -> None:
        import numpy as np

        self.space, self.configs = space, configs
        count = len(configs)
        time = np.linspace(-1, 1, count)
        apart = np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
        self.lasting = LASTING**apart
        self.low = (np.equal.outer(fidelities, fidelities) & (fidelities > 0)).astype(np.float64)
        self.fixed = WIDE**2 * (1 + self.low) + TREND**2 * np.outer(time, time)
        self.levels = _levels(space, configs)

    def alike(self, scales: ProcessScales) -> Numbers:
        """Return how alike each two configurations are, 1 for the same."""
        return _alike(self.space, scales.weights, self.configs, self.configs)

    def covariance(self, scales: ProcessScales, counts: Numbers) -> Numbers:
        """Return the covariance of the values; noise is less where a value counts more."""
        import numpy as np

        of_settings = (scales.size**2 + scales.low**2 * self.low) * self.alike(scales)
        noise = np.diag(scales.noise**2 / counts + TINY)
        found: Numbers = self.fixed + of_settings + scales.drift**2 * self.lasting + noise
        return found


def _likeliest(
    parts: _Parts, values: Numbers, counts: Numbers, start: ProcessScales, steps: int
) -> ProcessScales:
    """Return likelier scales, some steps from where it starts."""
    from scipy.optimize import minimize

    found = minimize(
        _unlikely,
        start.logs(),
        args=(parts, values, counts),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": steps},
    )
    return _scales(found.x)


def _unlikely(logs: Numbers, parts: _Parts, values: Numbers, counts: Numbers) -> tuple[float, Numbers]:
    """Return the negative logarithm of how likely scales are, and its slope."""
    import numpy as np

    scales, factors = _scales(logs), len(parts.space.factors)
    inverse = np.linalg.inv(parts.covariance(scales, counts))
    solved = inverse @ values
    _, size = np.linalg.slogdet(inverse)
    # by the derivative of the covariance with each logarithm
    slope = 0.5 * (np.outer(solved, solved) - inverse)
    of_settings = slope * parts.alike(scales)
    both = (scales.size**2 + scales.low**2 * parts.low) * of_settings
    same = np.add.reduceat((parts.levels * (both @ parts.levels)).sum(axis=0), _firsts(parts.space))
    by_log = np.empty_like(logs)
    by_log[:factors] = scales.weights * (both.sum() - same)
    by_log[-4] = -2 * scales.size**2 * of_settings.sum()
    by_log[-3] = -2 * scales.noise**2 * (np.diag(slope) / counts).sum()
    by_log[-2] = -2 * scales.drift**2 * (slope * parts.lasting).sum()
    by_log[-1] = -2 * scales.low**2 * (of_settings * parts.low).sum()
    off = (logs - _at_first(factors).logs()) / _unsure(factors)
    likely = -0.5 * values @ solved + 0.5 * size - 0.5 * off @ off
    return -float(likely), by_log + off / _unsure(factors)


def _unsure(factors: int) -> Numbers:
    import numpy as np

    return np.array([UNSURE] * (factors + 1) + [SURE] * 3)


def _counts(parts: _Parts, values: Numbers, counts: Numbers, scales: ProcessScales) -> Numbers:
    """Return what each value counts: an outlier little.

    Source:
        K. L. Lange, R. J. A. Little, J. M. G. Taylor, "Robust statistical modeling using the t distribution",
        JASA 84 (1989) 881-896.
    """
    import numpy as np

    noise = scales.noise**2 / counts
    inverse = np.linalg.inv(parts.covariance(scales, counts))
    misses = (noise * (inverse @ values)) ** 2 + noise - noise**2 * np.diag(inverse)
    found: Numbers = (FREEDOM + 1) / (FREEDOM + misses / scales.noise**2)
    return found


def _alike(space: Space, weights: Numbers, ones: Configs, others: Configs) -> Numbers:
    """Return how alike configurations are: 1 for the same, less by each factor in which they differ."""
    import numpy as np

    each = np.repeat(weights, space.counts)
    same = (_levels(space, ones) * each) @ _levels(space, others).T
    found: Numbers = np.exp(same - weights.sum())
    return found


def _levels(space: Space, configs: Configs) -> Numbers:
    """Return a column for each level of each factor: 1 where a configuration has it."""
    import numpy as np

    found = np.zeros((len(configs), sum(space.counts)))
    found[np.arange(len(configs))[:, None], configs + _firsts(space)] = 1.0
    return found


def _firsts(space: Space) -> np.ndarray:
    """Return the column of each factor's first level."""
    import numpy as np

    return np.concatenate([[0], np.cumsum(space.counts)[:-1]])
