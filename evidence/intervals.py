"""Does a 95 % interval hold the truth in 95 % of campaigns, whatever the number of pairs?"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from evidence import many
from evidence.noise import PRESETS, Array, Campaigns, simulate
from evidence.page import Figures, Page

SEED = 22
CAMPAIGNS = 8000
LOSS = 0.03
PAIRS = (5, 10, 20, 40)
TYPICAL_FROM = 6


def page() -> Page:
    """All methods at all numbers of pairs."""
    rows = [row for n in PAIRS for row in _rows(n)]
    held = {"every coverage within [0.94, 0.975]": all(0.94 <= row["coverage"] <= 0.975 for row in rows)}
    text = f"""
{CAMPAIGNS} campaigns a row of pairs in random order within one session, with the *typical* noise
([noise](README.md#noise)) but no effect of the day on one arm alone, a loss of 3 %, and seed {SEED}.
The standard error of a coverage is {math.sqrt(0.95 * 0.05 / CAMPAIGNS):.4f}. Half-widths are in percentage points.
Below 6 pairs no rank interval of 95 % exists.
"""  # noqa: E501
    shown = {
        "method": ("interval", ""),
        "pairs": ("pairs", "d"),
        "coverage": ("coverage", ".3f"),
        "half_width": ("half-width", ".2f"),
    }
    return Page("intervals", "Coverage of the intervals", text, rows, shown, held)


def _rows(pairs: int) -> list[Figures]:
    draw = np.random.default_rng([SEED, pairs])
    noise = replace(PRESETS["typical"], arm_day=0.0)
    campaigns = simulate(noise, draw, campaigns=CAMPAIGNS, blocks=pairs, loss=LOSS)
    rows: list[Figures] = [_row("t on log slowdowns", pairs, *_ends(many.student(campaigns.d)))]
    rows.append(_row("Fieller, ratio of totals", pairs, *_ratio(campaigns)))
    if pairs >= TYPICAL_FROM:
        rows.append(_row("Hodges–Lehmann, exact", pairs, *_ends(many.typical(campaigns.d))))
    return rows


def _ends(centre: tuple[Array, Array, Array]) -> tuple[Array, Array]:
    return many.losses(centre[1]), many.losses(centre[2])


def _ratio(campaigns: Campaigns) -> tuple[Array, Array]:
    _, low, high = many.fieller(np.exp(campaigns.treatment), np.exp(campaigns.baseline))
    return 1 - 1 / low, 1 - 1 / high


def _row(method: str, pairs: int, low: Array, high: Array) -> Figures:
    inside = (low <= LOSS) & (high >= LOSS)
    half = 50 * float(np.median(high - low))
    return {"method": method, "pairs": pairs, "coverage": float(inside.mean()), "half_width": half}
