"""The shape of a block, from what a switch between the arms costs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.model.goal import Shape

MOST_RUNS = 20
"""More runs in one boot tell next to nothing more about boots."""
USUAL_RATIO = 0.7 / 0.3
"""Scatter between runs of one boot over that between boots, where it was not measured: that of an ordinary
site.

Source: the noise model of ``docs/evidence``.
"""


@dataclass(frozen=True)
class SwitchCost:
    """What the visits of an activity cost.

    Attributes:
        run_s: Time of all workloads of one visit, once.
        switch_s: Time from the end of one arm's trials to the begin of the other's, a boot contained.
        measured: By an earlier activity; otherwise these are guesses.
        ratio: Scatter between runs of one boot over that between boots.
    """

    run_s: float
    switch_s: float
    measured: bool = False
    ratio: float = USUAL_RATIO


def choose_shape(cost: SwitchCost) -> tuple[Shape, int]:
    """Return pairs with one run; where a switch costs a run or more, chained pairs, of long switches several.

    A boot of chained blocks holds the runs of two of them.

    Source:
        Simulation (``docs/evidence/shapes.md``): pairs hold their coverage best; chaining saves every second
        switch at the price of a weak correlation between neighbours (+0.02), which costs 0.015 of it.
    """
    if cost.switch_s < cost.run_s:
        return Shape.PAIRS, 1
    return Shape.CHAINED, max(1, runs_per_boot(cost) // 2)


def runs_per_boot(cost: SwitchCost) -> int:
    """Return the runs in one boot that give the smallest variance for the time spent.

    Source:
        T. Kalibera, R. Jones, "Rigorous benchmarking in reasonable time", ISMM 2013, section 4:
        k = sqrt(c_boot / c_run * var_run / var_boot).
    """
    if cost.run_s <= 0:
        return 1
    return max(1, min(MOST_RUNS, round(math.sqrt(cost.switch_s / cost.run_s) * cost.ratio)))
