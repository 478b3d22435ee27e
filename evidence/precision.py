"""How many runs a half-width of 0.5 percentage points takes, and whether the interval then holds
the truth.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from assay.design.stopping import Metered, Standing, Wanted, standings
from assay.model.goal import Goal
from evidence.noise import PRESETS, Array, Noise, simulate
from evidence.page import Figures, Page
from evidence.stops import Rule, floors_of, stops

SEED = 21
CAMPAIGNS = 4000
PRECISION, FEWEST, MOST_BLOCKS, SESSIONS = 0.005, 10, 120, 4
FINER = 0.0035
"""What *noisy* noise forbids over as many sessions."""
LOSSES = (0.0, 0.01, 0.03, 0.1)
HISTORY = (20, 10)
"""A/A sessions of a fresh site, and blocks in each."""
RUNS = {("typical", 0.01): 63, ("typical", 0.03): 60, ("typical", 0.1): 51, ("quiet", 0.03): 21}
"""What the proposed method is to need at most."""
ONE, FOUR, FLOOR = "1 session", "4 sessions", "4 sessions and the floor"
FRESH = "4 sessions and the floor of 20 A/A sessions"
MOST = "at most {} runs, {} noise, loss {:.0f} %"


def page() -> Page:
    """All designs at all losses, and the outcome where the floor is above the goal."""
    rows = [
        _row(preset, loss, design)
        for preset in ("quiet", "typical")
        for design in (ONE, FOUR, FLOOR, FRESH)
        for loss in LOSSES
    ]
    called = floors()
    held = dict(_held(rows)) | {'"floor" in at least 95 % of campaigns, noisy noise': called >= 0.95}
    text = f"""
{CAMPAIGNS} campaigns a row of pairs in random order ([noise](README.md#noise)), seed {SEED}. The product's rule looks
after every block and stops at a half-width of 0.5 percentage points, from {FEWEST} pairs on. With *4 sessions* it
spreads the blocks that it expects over four days and does not stop before the fourth. *The floor* is the site's A/A
floor, pooled over many A/A sessions (its true value is used), or what {HISTORY[0]} A/A sessions of {HISTORY[1]} pairs
tell of it: there some sites find a floor above the goal (column *"floor"*), and most find less than there is. Runs count both arms; coverage is that of the interval at
the stop, for the loss on any day. With *noisy* noise the floor alone is above ±{100 * FINER:.2f} points over {SESSIONS} sessions: asked
for that, the rule says so in {100 * called:.1f} % of {CAMPAIGNS} campaigns, after {FEWEST} pairs.
"""  # noqa: E501
    shown = {
        "noise": ("noise", ""),
        "design": ("design", ""),
        "true": ("true loss", ".0%"),
        "runs": ("mean runs", ".1f"),
        "runs_error": ("± s.e.", ".2f"),
        "bound": ("at most", "g"),
        "coverage": ("coverage at stop", ".3f"),
        "half_width": ("half-width", ".2f"),
        "floor": ('"floor"', ".3f"),
        "unreached": ("not reached", ".3f"),
    }
    return Page("precision", "Runs for a precision", text, rows, shown, held)


def floors() -> float:
    """Share of noisy campaigns in which the product's rule says that the floor is above the goal."""
    goal = Goal(adaptive=True, precision=FINER, minimum_blocks=FEWEST, sessions=SESSIONS)
    noise = PRESETS["noisy"]
    drawn = simulate(noise, np.random.default_rng(SEED), campaigns=CAMPAIGNS, blocks=FEWEST, loss=0.03)
    asked = (standings([Metered(d, 1, noise.arm_day)], Wanted(goal))[0] for d in drawn.d.tolist())
    return sum(one is Standing.FLOOR for one in asked) / CAMPAIGNS


def _row(preset: str, loss: float, design: str) -> Figures:
    draw, noise = np.random.default_rng([SEED, round(1000 * loss)]), PRESETS[preset]
    one_day = replace(noise, arm_day=0.0)
    drawn = simulate(one_day, draw, campaigns=CAMPAIGNS, blocks=MOST_BLOCKS, loss=loss)
    sessions = 1 if design == ONE else SESSIONS
    rule = Rule(PRECISION, FEWEST, MOST_BLOCKS, sessions, floor=design in (FLOOR, FRESH))
    days = draw.normal(0, math.sqrt(2) * noise.arm_day, (CAMPAIGNS, sessions))
    sigma = known_floor(noise, draw, design)
    kept = sigma * rule.floors[-1] * (1 - loss) < PRECISION
    found = stops(drawn.d[kept], days[kept], sigma[kept], rule)
    runs = drawn.runs[kept][np.arange(kept.sum()), found.blocks - 1]
    return {
        "noise": preset,
        "design": design,
        "true": loss,
        "runs": float(runs.mean()),
        "runs_error": float(runs.std() / len(runs) ** 0.5),
        "bound": RUNS.get((preset, loss)) if design == FLOOR else None,
        "coverage": float(((found.low <= loss) & (found.high >= loss)).mean()),
        "half_width": 50 * float(np.median(found.high - found.low)),
        "floor": float(1 - kept.mean()),
        "unreached": float(np.isinf(found.high).mean()),
    }


def known_floor(noise: Noise, draw: np.random.Generator, design: str) -> Array:
    """Return the floor that each campaign's site knows."""
    if design != FRESH:
        return np.full(CAMPAIGNS, noise.arm_day if design == FLOOR else 0.0)
    count, blocks = HISTORY
    same = simulate(noise, draw, campaigns=CAMPAIGNS * count, blocks=blocks, loss=0.0).d
    return floors_of(same.reshape(CAMPAIGNS, count, blocks))


def _held(rows: list[Figures]) -> Iterator[tuple[str, bool]]:
    proposed = [row for row in rows if row["design"] == FLOOR]
    what = (
        "coverage at stop within [0.93, 0.98], 4 sessions and the floor, losses of 0, 1, 3, 10 %, "
        "quiet and typical"
    )
    yield what, all(0.93 <= row["coverage"] <= 0.98 for row in proposed)
    for row in proposed:
        if row["bound"] is not None:
            most = row["bound"] + 2 * row["runs_error"]
            yield MOST.format(row["bound"], row["noise"], 100 * row["true"]), row["runs"] <= most
