"""The smallest change-set: of the best configuration, what does not pay stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from assay.tune.known import Known
from assay.tune.outcome import both, without
from assay.tune.space import Configs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEAST, SURE = 0.003, 0.5
"""A change pays where it is thought to bring so much (of the logarithm), and so many standard errors."""
NEAR = 0.005
"""What costs less to change is taken where it may be as good, and is thought to be no worse than this."""


def smallest(
    known: Known,
    pool: Configs,
    may_be: Callable[[Configs], NDArray[np.bool_]],
    must: Collection[int] = (),
) -> tuple[int, ...]:
    """Return the best configuration by what is known, without the changes that do not pay.

    Changes are taken back one by one, the one that brings least first, as long as there is one that brings
    too little beside the others; of several that bring as little the dearest. On the way there may be
    configurations that may not be chosen, where there is no other.

    Args:
        known: What is known.
        pool: Configurations that may be chosen; of a large space not all.
        may_be: Tells of any configuration whether it may be chosen.
        must: Numbers of the factors that are never taken back to their default.
    """
    import numpy as np

    space = known.space
    best = found = _cheapest(known, pool)
    while True:
        changed = [at for at, level in enumerate(best) if level != space.factors[at].default]
        changed = [at for at in changed if at not in must]
        gains = {at: known.contrast(*both(without(known, best, at), best)) for at in changed}
        poor = [at for at, (gain, error) in gains.items() if gain < max(LEAST, SURE * error)]
        if not poor:
            return found
        good = [at for at in poor if may_be(np.array([without(known, best, at)], dtype=np.int16))[0]]
        least = min(good or poor, key=lambda at: (round(gains[at][0], 3), -space.factors[at].cost))
        best = without(known, best, least)
        found = best if good else found


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
