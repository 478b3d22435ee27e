"""The shape of a block, from what a switch between the arms costs."""

from __future__ import annotations

import math

from assay.model.goal import Shape

MOST_RUNS = 20
"""More runs in one boot tell next to nothing more about boots."""


def choose_shape(*, run_s: float, switch_s: float) -> Shape:
    """Return pairs, or chained pairs where a switch costs as much as a run or more.

    Args:
        run_s: Time of one visit's trials.
        switch_s: Time from the end of one arm's trials to the begin of the other's, a boot contained.

    Source:
        Simulation (``docs/evidence``): pairs need the fewest runs; chaining saves every second switch at the
        price of a weak correlation between neighbours (+0.02).
    """
    return Shape.CHAINED if switch_s >= run_s else Shape.PAIRS


def runs_per_boot(*, run_s: float, boot_s: float, run_spread: float, boot_spread: float) -> int:
    """Return the runs in one boot that give the smallest variance for the time spent.

    Args:
        run_s: Time of one run.
        boot_s: Time of one boot.
        run_spread: Standard deviation between runs of one boot, log units.
        boot_spread: Standard deviation between boots, log units.

    Source:
        T. Kalibera, R. Jones, "Rigorous benchmarking in reasonable time", ISMM 2013, section 4:
        k = sqrt(c_boot / c_run * var_run / var_boot).
    """
    if run_s <= 0 or boot_spread <= 0:
        return MOST_RUNS if boot_s > 0 and run_spread > 0 else 1
    best = math.sqrt(boot_s / run_s) * run_spread / boot_spread
    return max(1, min(MOST_RUNS, round(best)))
