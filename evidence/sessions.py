"""What the blocks of a session share: coverage of the interval of several sessions, with and without the
site's floor.
"""

from __future__ import annotations

import math

import numpy as np

from assay.stats.mean import t_quantile
from assay.stats.replication.components import Floor
from assay.stats.replication.sessions import BEYOND_FLOOR, SESSIONS_DIFFER
from assay.stats.verdicts.sequence import Evidence
from evidence import many
from evidence.noise import Array
from evidence.page import Figures, Page

SEED = 32
CAMPAIGNS = 4000
PLANS = ((2, 10), (3, 5), (4, 5), (4, 10), (8, 5))
SHARED = (0.0, 0.1, 0.3, 1.0, 2.0)
"""Standard deviation of what a session's blocks share, in that of single blocks."""
WITHIN = (0.92, 0.985)
ROWS = 10
LOOKED, FEWEST = 400, 3
LEVEL = 1 - 0.05 / ROWS


def page() -> Page:
    """All plans, for sessions that share nothing up to twice what blocks scatter."""
    rows = [_row(*plan, shared) for plan in PLANS for shared in SHARED]
    enough = [row for row in rows if row["sessions"] >= 3]
    held = {
        f"from 3 sessions on the coverage is within [{WITHIN[0]}, {WITHIN[1]}], whatever they share": all(
            WITHIN[0] <= row["rule"] <= WITHIN[1] for row in enough
        ),
        "with the site's floor it is at least 0.94, whatever they share, from 2 sessions on": all(
            row["floor"] >= 0.94 for row in rows
        ),
        "with a floor that is a tenth of what it should be it is at least 0.7 from 3 sessions on": all(
            row["small"] >= 0.7 for row in enough
        ),
        f"of {ROWS} rows judged together each is falsely called in at most 0.7 % from 3 sessions on": all(
            row["together"] >= 0.993 for row in enough
        ),
    }
    text = f"""
{CAMPAIGNS} campaigns a row of normal blocks, seed {SEED}; what the blocks of a session share has a standard deviation in
units of that of single blocks. *Over blocks*: the exact interval of all blocks, as if sessions were alike. *F test*: over
sessions only where they differ at 5 %, as it was before. *Rule*: from three sessions on the larger of the mean squares
between and within, with its degrees of freedom; with two it is that over blocks, and a doubt where they differ. *Floor*:
the site's A/A floor is known, and in the interval over blocks; sessions count beyond it alone. *Too small*: that floor is a
tenth of what sessions share, as where guests share more than the host that it was measured on. *Together*: the rule at the confidence of one of {ROWS}
rows that are judged together, {LEVEL:.2%}: the interval of three sessions and more is always over sessions. *False at
looks*: a difference is called at any of the looks after each session, from the third on, of an activity that goes on, where
there is none ({LOOKED} campaigns). Half-widths are medians, in units of the scatter of blocks.
"""  # noqa: E501
    shown = {
        "sessions": ("sessions", "d"),
        "blocks": ("blocks in each", "d"),
        "shared": ("shared", ".1f"),
        "plain": ("over blocks", ".3f"),
        "tested": ("F test", ".3f"),
        "rule": ("rule", ".3f"),
        "floor": ("floor", ".3f"),
        "small": ("too small", ".3f"),
        "together": ("together", ".4f"),
        "looks": ("false at looks", ".3f"),
        "plain_half": ("half-width over blocks", ".2f"),
        "rule_half": ("by the rule", ".2f"),
        "floor_half": ("with the floor", ".2f"),
    }
    held[
        (
            "looked at after each session from the third to the eighth, at most 5 % call a "
            "difference where none is"
        )
    ] = all(row["looks"] <= 0.05 for row in rows if row["looks"] is not None)
    return Page("sessions", "Several sessions", text, rows, shown, held)


def ends_of(d: Array, sigma: float | None = None) -> tuple[Array, Array]:
    """Return the ends of the interval of each campaign, log units, by the product's rule.

    Args:
        d: Log slowdowns, campaigns x sessions x blocks.
        sigma: The site's floor; ``None`` where it is not known.
    """
    _, sessions, blocks = d.shape
    value, low, high = many.typical(d.reshape(len(d), -1))
    half = Floor(sigma or 0.0).half(sessions)
    low, high = value - np.hypot(value - low, half), value + np.hypot(high - value, half)
    between, within = squares(d)
    over = between > within
    if sigma is not None:
        over = _chances(between, within + blocks * 2 * sigma**2, d.shape) < BEYOND_FLOOR
    if sessions < 3:
        return low, high
    mean, wide = d.mean(axis=(1, 2)), _over_sessions(d)
    return np.where(over, mean - wide, low), np.where(over, mean + wide, high)


def squares(d: Array) -> tuple[Array, Array]:
    """Return the mean squares between the sessions of each campaign, and between the blocks of one."""
    return d.shape[2] * d.mean(axis=2).var(axis=1, ddof=1), d.var(axis=2, ddof=1).mean(axis=1)


def _over_sessions(d: Array, level: float = 0.95) -> Array:
    wide: Array = t_quantile(level, d.shape[1] - 1) * np.sqrt(squares(d)[0] / (d.shape[1] * d.shape[2]))
    return wide


def _chances(between: Array, within: Array, shape: tuple[int, ...]) -> Array:
    from scipy.special import fdtrc

    found: Array = fdtrc(shape[1] - 1, shape[1] * (shape[2] - 1), between / within)
    return found


def _row(sessions: int, blocks: int, shared: float) -> Figures:
    draw = np.random.default_rng([SEED, sessions, blocks, round(10 * shared)])
    d = draw.normal(0, 1, (CAMPAIGNS, sessions, blocks)) + draw.normal(0, shared, (CAMPAIGNS, sessions, 1))
    _, *plain = many.typical(d.reshape(CAMPAIGNS, -1))
    apart = _chances(*squares(d), d.shape) < SESSIONS_DIFFER
    mean, wide = d.mean(axis=(1, 2)), _over_sessions(d)
    tested = np.where(apart, mean - wide, plain[0]), np.where(apart, mean + wide, plain[1])
    rule, floor, small = ends_of(d), ends_of(d, shared / math.sqrt(2)), ends_of(d, shared / math.sqrt(2) / 10)
    far = _over_sessions(d, LEVEL) if sessions > 2 else math.nan
    return {
        "sessions": sessions,
        "blocks": blocks,
        "shared": shared,
        "plain": _covered(plain[0], plain[1]),
        "tested": _covered(*tested),
        "rule": _covered(*rule),
        "floor": _covered(*floor),
        "small": _covered(*small),
        "together": _covered(mean - far, mean + far) if sessions > 2 else None,
        "looks": _false_at_looks(d[:LOOKED]) if sessions > 4 else None,
        "plain_half": float(np.median(plain[1] - plain[0]) / 2),
        "rule_half": float(np.median(rule[1] - rule[0]) / 2),
        "floor_half": float(np.median(floor[1] - floor[0]) / 2),
    }


def _covered(low: Array, high: Array) -> float:
    return float(((low <= 0) & (high >= 0)).mean())


def _false_at_looks(d: Array) -> float:
    """Return the share of campaigns that are called at a look after a session.

    By the evidence of blocks, and where sessions scatter more than these by that of sessions, too.
    """
    return float(np.mean([any(_called(one, count) for count in range(FEWEST, len(one) + 1)) for one in d]))


def _called(one: Array, count: int) -> bool:
    seen = one[None, :count]
    between, within = squares(seen)
    series = [one[:count].ravel()] + ([one[:count].mean(axis=1)] if between[0] > within[0] else [])
    return all(Evidence(list(values)).at(0.0) >= Evidence(list(values)).wanted for values in series)
