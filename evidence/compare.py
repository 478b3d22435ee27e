"""Did the loss change? Coverage of the difference of two results, and how often a change is called, by family
of noise.
"""

from __future__ import annotations

import numpy as np

from assay.stats.replication.components import Floor
from evidence import many
from evidence.families import FAMILIES, draw_family
from evidence.noise import PRESETS, Array
from evidence.page import Figures, Page

SEED = 31
CAMPAIGNS = 4000
BLOCKS = (6, 20)
BEFORE, AFTER = 0.03, 0.05
CALLED = 0.8
DEPENDENT = "correlated"
DAYS = {name: PRESETS[name].arm_day for name in ("typical", "quiet")}
"""The site's floor where an arm has something on one day only."""


def page() -> Page:
    """All families, with a change and without one."""
    rows = [_row(name, blocks, after) for name in FAMILIES for blocks in BLOCKS for after in (BEFORE, AFTER)]
    sound = [row for row in rows if row["family"] != DEPENDENT]
    power = next(r for r in rows if (r["family"], r["blocks"], r["after"]) == ("outliers 5 %", 20, AFTER))
    held = {
        "coverage at least 0.94, all families of independent blocks": min(r["coverage"] for r in sound)
        >= 0.94,
        f"a change from 3 to 5 % is called in at least {100 * CALLED:.0f} % of 20 blocks with 5 % outliers": (
            power["called"] >= CALLED
        ),
    }
    text = f"""
{CAMPAIGNS} pairs of results a row, each of as many blocks in one session, seed {SEED} ([families](verdicts.md)): the true
loss of A is {100 * BEFORE:.0f} %, that of B as shown. The difference is that of the two losses shown, its interval by the
method of variance estimates recovery from their intervals (*MOVER*); beside it the difference of means by Welch, which
outliers make wide. *Called*: the interval leaves zero out; where nothing changed that is false. What an arm has on one
day only (*typical*, *quiet*) is in the intervals as the site's A/A floor, and not in the means'.
"""  # noqa: E501
    shown = {
        "family": ("noise", ""),
        "blocks": ("blocks", "d"),
        "after": ("true loss of B", ".0%"),
        "coverage": ("coverage", ".3f"),
        "called": ("called", ".3f"),
        "half": ("half-width", ".2f"),
        "welch_called": ("called by means", ".3f"),
        "welch_half": ("half-width by means", ".2f"),
    }
    return Page("compare", "Did the loss change?", text, rows, shown, held)


def mover(a: Array, b: Array, floor: float = 0.0) -> tuple[Array, Array, Array]:
    """Return the difference of the losses of rows of log slowdowns with its interval; from 6 columns on.

    Args:
        a: Log slowdowns of A, results x blocks.
        b: Log slowdowns of B.
        floor: Half-width of the site's floor, log units.
    """
    one, other = ([many.losses(end) for end in _widened(many.typical(d), floor)] for d in (a, b))
    value = other[0] - one[0]
    below = np.hypot(other[0] - other[1], one[2] - one[0])
    above = np.hypot(other[2] - other[0], one[0] - one[1])
    return value, value - below, value + above


def _widened(centre: many.Ends, by: float) -> many.Ends:
    value, low, high = centre
    return value, value - np.hypot(value - low, by), value + np.hypot(high - value, by)


def _row(family: str, blocks: int, after: float) -> Figures:
    a = draw_family(family, seed=SEED, campaigns=CAMPAIGNS, blocks=blocks, loss=BEFORE).d
    b = draw_family(family, seed=SEED + 1, campaigns=CAMPAIGNS, blocks=blocks, loss=after).d
    _, low, high = mover(a, b, Floor(DAYS.get(family, 0.0)).half(1))
    by_means, half = _welch(a, b)
    truth = after - BEFORE
    return {
        "family": family,
        "blocks": blocks,
        "after": after,
        "coverage": float(((low <= truth) & (high >= truth)).mean()),
        "called": float(((low > 0) | (high < 0)).mean()),
        "half": 50 * float(np.median(high - low)),
        "welch_called": float((np.abs(by_means) > half).mean()),
        "welch_half": 100 * float(np.median(half)),
    }


def _welch(a: Array, b: Array) -> tuple[Array, Array]:
    """Return the difference of the losses of means, and the half of Welch's interval."""
    from scipy.special import stdtrit

    n = a.shape[1]
    terms = [np.exp(-2 * d.mean(axis=1)) * d.var(axis=1, ddof=1) / n for d in (a, b)]
    freedom = (terms[0] + terms[1]) ** 2 / ((terms[0] ** 2 + terms[1] ** 2) / (n - 1))
    half: Array = stdtrit(freedom, 0.975) * np.sqrt(terms[0] + terms[1])
    return many.losses(b.mean(axis=1)) - many.losses(a.mean(axis=1)), half
