"""Is a kink in the time over events found and placed, and none where there is none?"""

from __future__ import annotations

import numpy as np

from assay.model.figures.scan import Point
from assay.model.trial import Arm
from assay.stats.lines.scan import scan
from evidence.page import Figures, Page

SEED = 29
SCANS, BLOCKS, NOISE = 200, 5, 0.012
PLACE = 600
BASELINE, TREATMENT = (120.0, 0.85), (240.0, 0.875)
"""Seconds of initialization and of an event."""
SIZES = {5: (1, 300, 600, 1000, 2000), 8: (1, 200, 400, 600, 800, 1000, 1500, 2000)}
STEEPER = (0.0, 0.05, 0.1, 0.2)
"""How much more an event costs beyond the kink."""


def page() -> Page:
    """All kinks with few sizes and with many."""
    rows = [_row(steeper, count) for steeper in STEEPER for count in SIZES]
    straight = [row["false"] for row in rows] + [row["found"] for row in rows if row["steeper"] == 0]
    steep = [row["placed"] for row in rows if row["steeper"] >= 0.1]
    held = {
        "at most 5 % of straight arms called bent": max(straight) <= 0.05,
        "10 % and more are found and placed in at least 9 of 10 scans": min(steep) >= 0.9,
    }
    text = f"""
{SCANS} scans a row of {BLOCKS} blocks, {100 * NOISE:g} % noise a run, seed {SEED}. Beyond {PLACE} events (where JUNO's
electronics simulation bent with `preallocation=off`) an event of the treatment costs so much more; the baseline is
straight. *Placed*: a kink is named between the sizes beside {PLACE}. *False*: one is named on the baseline.
"""  # noqa: E501
    shown = {
        "steeper": ("steeper by", ".0%"),
        "sizes": ("event numbers", "d"),
        "found": ("found", ".3f"),
        "placed": ("placed", ".3f"),
        "false": ("false", ".3f"),
    }
    return Page("kinks", "Kinks of a scan", text, rows, shown, held)


def _row(steeper: float, count: int) -> Figures:
    draw, sizes = np.random.default_rng([SEED, count]), SIZES[count]
    kinks = []
    for _ in range(SCANS):
        arms = (_points(*BASELINE, 0.0, sizes, draw), _points(*TREATMENT, steeper, sizes, draw))
        kinks.append({check.arm: check.kink for check in scan(*arms).linearity})
    named = [kink for of in kinks if (kink := of[Arm.TREATMENT])]
    least, most = max(n for n in sizes if n < PLACE), min(n for n in sizes if n > PLACE)
    return {
        "steeper": steeper,
        "sizes": count,
        "found": len(named) / SCANS,
        "placed": sum(least <= kink.events <= most for kink in named) / SCANS,
        "false": sum(of[Arm.BASELINE] is not None for of in kinks) / SCANS,
    }


def _points(
    fixed: float, slope: float, steeper: float, sizes: tuple[int, ...], draw: np.random.Generator
) -> list[Point]:
    return [
        Point(
            block,
            n,
            (fixed + slope * (n + steeper * max(0, n - PLACE))) * float(np.exp(draw.normal(0, NOISE))),
        )
        for block in range(BLOCKS)
        for n in sizes
    ]
