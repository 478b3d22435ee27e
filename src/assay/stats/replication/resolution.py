"""How finely values were told: a coarse clock hides what is smaller than its tick."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.stats.centre import Values, ends_of, listed, mean_of, spread_of
from assay.stats.mean import t_quantile

SAME = 1e-9
"""Values that differ by no more than this share of themselves are one."""
FEWEST_ALIKE = 5
"""So many values of one arm, all the same, are so by a tick where the other arm's are not."""


@dataclass(frozen=True)
class Resolution:
    """What rounding does to log slowdowns.

    Attributes:
        scatter: Standard deviation that it adds to the log slowdown of a block.
        shift: Largest shift of all of them together, where values scatter too little to average it out; else
            0.
        hidden: One arm's values are all the same and the other's are not: a tick has shifted them by nobody
            knows how much.
    """

    scatter: float
    shift: float
    hidden: bool = False

    def fading(self, blocks: int, *, confidence: float = 0.95) -> float:
        """Return the half-width by which its scatter widens an interval over two or more blocks,
        log units.
        """
        return t_quantile(confidence, blocks - 1) * self.scatter / math.sqrt(blocks)


def resolution_of(
    baseline: Values, treatment: Values, middles: Sequence[float] | None = None
) -> Resolution | None:
    """Return the resolution of two arms' values, by the smallest step in an arm where values come twice.

    Args:
        baseline: Values of the baseline, > 0.
        treatment: Values of the treatment in the same unit, > 0.
        middles: The geometric mean of either, where it is known already.

    Returns:
        ``None`` where no arm has values that come twice beside others: nothing tells of a tick then. Where
        one arm has one value over and over (``FEWEST_ALIKE``) and the other does not, its tick is hidden.

    Limits:
        A tick is seen by values that come twice; of few values it may be missed.
    """
    if _is_hidden(baseline, treatment):
        return Resolution(0.0, 0.0, hidden=True)
    steps = [step for arm in (baseline, treatment) if (step := _step(arm)) is not None]
    if not steps:
        return None
    tick = min(steps)
    if middles is None:
        middles = [math.exp(mean_of([math.log(v) for v in listed(arm)])) for arm in (baseline, treatment)]
    scatter = tick / math.sqrt(12) * math.hypot(*(1 / middle for middle in middles))
    coarse = [
        middle
        for arm, middle in zip((baseline, treatment), middles, strict=True)
        if _scatters_less(arm, tick / 2)
    ]
    return Resolution(scatter, sum(tick / 2 / middle for middle in coarse))


def _step(values: Values) -> float | None:
    """Return the smallest step between values of an arm; ``None`` where none comes twice, or all are one."""
    import numpy as np

    held = np.unique(np.asarray(values, dtype=np.float64))
    steps = np.diff(held)
    steps = steps[steps > SAME * held[1:]]
    return float(steps.min()) if len(held) < len(values) and len(steps) else None


def _is_hidden(*arms: Values) -> bool:
    """Tell whether one arm alone has a single value: by a clock that is coarser than what it was to tell."""
    constant = [len(arm) >= FEWEST_ALIKE and _are_one(arm) for arm in arms]
    return sorted(constant) == [False, True]


def _are_one(values: Values) -> bool:
    low, high = ends_of(values)
    return high - low <= SAME * high


def _scatters_less(values: Values, than: float) -> bool:
    """Tell whether the standard deviation of values is below a limit."""
    low, high = ends_of(values)
    if high - low > 2 * math.sqrt(len(values)) * than:  # the ends alone make it more than half of that
        return False
    return len(values) < 2 or spread_of(values) < than
