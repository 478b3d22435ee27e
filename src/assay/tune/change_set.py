"""The smallest change-set: of the best configuration, what does not pay stays as it is."""

from __future__ import annotations

from collections.abc import Collection

from assay.tune.known import Known
from assay.tune.outcome import both, without
from assay.tune.space import Configs, Space

LEAST, SURE = 0.003, 0.5
"""A change pays where it is thought to bring so much (of the logarithm), and so many standard errors."""
NEAR = 0.005
"""What costs less to change is taken where it may be as good, and is thought to be no worse than this."""


def smallest(known: Known, pool: Configs, must: Collection[int] = ()) -> tuple[int, ...]:
    """Return the best configuration by what is known, without the changes that do not pay.

    Changes are taken back one by one, the one that brings least first, as long as there is one that brings
    too little beside the others; of several that bring as little the dearest.

    Args:
        known: What is known.
        pool: The configurations that may be chosen.
        must: Numbers of the factors that are never taken back to their default.
    """
    space = known.space
    best = _cheapest(known, pool)
    while True:
        changed = [at for at, level in enumerate(best) if level != space.factors[at].default]
        changed = [at for at in changed if at not in must]
        gains = {at: known.contrast(*both(without(known, best, at), best)) for at in changed}
        poor = [at for at, (gain, error) in gains.items() if gain < max(LEAST, SURE * error)]
        poor = [at for at in poor if _may_be(space, without(known, best, at))]
        if not poor:
            return best
        least = min(poor, key=lambda at: (round(gains[at][0], 3), -space.factors[at].cost))
        best = without(known, best, least)


def _cheapest(known: Known, pool: Configs) -> tuple[int, ...]:
    """Return the best configuration, or the one of least cost of those that are not known to be worse."""
    import numpy as np

    factors, expected = known.space.factors, known.expected(pool)
    best = int(expected.argmin())
    costs = ((pool != known.space.default) * [factor.cost for factor in factors]).sum(axis=1)
    near = np.flatnonzero((expected <= expected[best] + NEAR) & (costs < costs[best]))
    if len(near):
        errors = known.errors(pool[near], pool[best : best + 1])
        near = near[expected[near] - expected[best] <= SURE * errors]
        best = min((best, *near), key=lambda at: (costs[at], expected[at]))
    return tuple(int(level) for level in pool[best])


def _may_be(space: Space, config: tuple[int, ...]) -> bool:
    import numpy as np

    return bool(space.allowed(np.array([config], dtype=np.int16))[0])
