"""This machine and this fleet are different estimands: which interval holds for which?"""

from __future__ import annotations

import math

import numpy as np

from evidence import many
from evidence.noise import PRESETS, Array, simulate
from evidence.page import Figures, Page

SEED = 24
CAMPAIGNS = 4000
LOSS = 0.03
MACHINES = {2: 20, 4: 10, 8: 5, 10: 10}
"""Pairs on each machine, by number of machines."""
TYPICAL_FROM = 6
"""Hodges-Lehmann from so many values on, the mean below."""


def page() -> Page:
    """Both intervals at all numbers of machines."""
    rows = [_row(count) for count in MACHINES]
    held = {
        f"coverage of the fleet's interval >= 0.94 with {row['machines']} machines": row["fleet"] >= 0.94
        for row in rows
        if row["machines"] >= 4
    }
    text = f"""
{CAMPAIGNS} fleets a row with the *typical* noise ([noise](README.md#noise)), each machine measured in one session, a
loss of 3 % that differs between machines with a standard deviation of 0.4 % an arm, seed {SEED}. *Pooled* takes all
pairs as if of one machine; *fleet* takes one figure a machine. The truth is the fleet's. Half-widths are medians in
percentage points; the standard error of a coverage is {math.sqrt(0.95 * 0.05 / CAMPAIGNS):.4f}.
"""  # noqa: E501
    shown = {
        "machines": ("machines", "d"),
        "pairs": ("pairs on each", "d"),
        "pooled": ("coverage, pooled", ".3f"),
        "fleet": ("coverage, fleet", ".3f"),
        "half_width": ("half-width, fleet", ".2f"),
    }
    return Page("fleet", "Intervals for a fleet", text, rows, shown, held)


def _row(machines: int) -> Figures:
    pairs = MACHINES[machines]
    draw = np.random.default_rng([SEED, machines])
    noise, count = PRESETS["typical"], CAMPAIGNS * machines
    drawn = simulate(noise, draw, campaigns=count, blocks=pairs, loss=LOSS)
    answers = draw.normal(0, math.sqrt(2) * noise.arm_machine, (count, 1))
    d = (drawn.d + answers).reshape(CAMPAIGNS, machines, pairs)
    _, *pooled = many.student(d.reshape(CAMPAIGNS, -1))
    low, high = fleet_ends(d)
    half = 50 * float(np.median(many.losses(high) - many.losses(low)))
    figures = {"pooled": _coverage(*pooled), "fleet": _coverage(low, high)}
    return {"machines": machines, "pairs": pairs, **figures, "half_width": half}


def fleet_ends(d: Array) -> tuple[Array, Array]:
    """Return the ends of ``assay.stats.replication.fleet``'s interval for campaigns x machines x pairs, in
    log units.
    """
    count, machines, pairs = d.shape
    flat = d.reshape(-1, pairs)
    centres = many.typical(flat)[0] if pairs >= TYPICAL_FROM else flat.mean(axis=1)
    method = many.typical if machines >= TYPICAL_FROM else many.student
    return method(centres.reshape(count, machines))[1:]


def _coverage(low: Array, high: Array) -> float:
    return float(((many.losses(low) <= LOSS) & (many.losses(high) >= LOSS)).mean())
