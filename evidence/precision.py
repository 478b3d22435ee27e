"""How many runs a half-width of 0.5 percentage points takes, and whether the interval then holds the truth."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.design.stopping import Metered, Standing, Wanted, standing
from assay.model.goal import Goal
from evidence.noise import PRESETS, simulate
from evidence.page import Figures, Page
from evidence.stops import Rule, stops

SEED = 21
CAMPAIGNS = 4000
MOST_BLOCKS = 120
PRECISION, BLOCKS, SESSIONS = 0.005, 10, 4
LOSSES = (0.0, 0.01, 0.03, 0.1)
IN_A_SESSION = {"quiet": 3, "typical": 6}
"""Pairs in a session: about a quarter of what such a site needs, 0.6 and 1.2 hours of it."""
RUNS = {("typical", 0.01): 63, ("typical", 0.03): 60, ("typical", 0.1): 51, ("quiet", 0.03): 21}
"""What the proposed method is to need at most."""
ONE, FOUR, FLOOR = "1 session", "4 sessions", "4 sessions and the floor"
MOST = "at most {} runs, {} noise, loss {:.0%}"


def page() -> Page:
    """All designs at all losses, and the outcome where the floor is above the goal."""
    rows = [
        _row(preset, loss, design)
        for preset in IN_A_SESSION
        for design in (ONE, FOUR, FLOOR)
        for loss in LOSSES
    ]
    called = floors()
    held = dict(_held(rows)) | {'"floor" in at least 95 % of campaigns, noisy noise': called >= 0.95}
    text = f"""
{CAMPAIGNS} campaigns a row of pairs in random order ([noise](README.md#noise)), seed {SEED}. The product's rule looks
after every block and stops at a half-width of 0.5 percentage points, from {BLOCKS} pairs on, and with *4 sessions* from
the fourth session on; a session has {IN_A_SESSION["typical"]} pairs in *typical* noise and {IN_A_SESSION["quiet"]} in
*quiet*. *The floor* is the site's A/A floor, pooled over many A/A sessions (its true value is used). Runs count both
arms; coverage is that of the interval at the stop, for the loss on any day. With *noisy* noise the floor alone is above
the goal: the rule says so in {called:.1%} of {CAMPAIGNS} campaigns, before a run is spent.
"""
    shown = {
        "noise": ("noise", ""),
        "design": ("design", ""),
        "true": ("true loss", ".0%"),
        "runs": ("mean runs", ".1f"),
        "runs_error": ("± s.e.", ".2f"),
        "bound": ("at most", "g"),
        "coverage": ("coverage at stop", ".3f"),
        "half_width": ("half-width", ".2f"),
        "unreached": ("not reached", ".3f"),
    }
    return Page("precision", "Runs for a precision", text, rows, shown, held)


def floors() -> float:
    """Share of noisy campaigns in which the product's rule says that the floor is above the goal."""
    goal = Goal(adaptive=True, precision=PRECISION, minimum_blocks=BLOCKS, sessions=SESSIONS)
    noise = PRESETS["noisy"]
    drawn = simulate(noise, np.random.default_rng(SEED), campaigns=CAMPAIGNS, blocks=[2], loss=0.03)
    asked = (standing(Metered(d.tolist(), 1, noise.arm_day), Wanted(goal)) for d in drawn.d)
    return sum(one is Standing.FLOOR for one in asked) / CAMPAIGNS


def _row(preset: str, loss: float, design: str) -> Figures:
    draw = np.random.default_rng([SEED, round(1000 * loss)])
    noise, length = PRESETS[preset], IN_A_SESSION[preset]
    blocks = [MOST_BLOCKS] if design == ONE else [length] * (MOST_BLOCKS // length)
    drawn = simulate(noise, draw, campaigns=CAMPAIGNS, blocks=blocks, loss=loss)
    sigma = noise.arm_day if design == FLOOR else 0.0
    found = stops(drawn, Rule(PRECISION, BLOCKS, 1 if design == ONE else SESSIONS, sigma))
    runs = drawn.runs[np.arange(CAMPAIGNS), found.blocks - 1]
    return {
        "noise": preset,
        "design": design,
        "true": loss,
        "runs": float(runs.mean()),
        "runs_error": float(runs.std() / CAMPAIGNS**0.5),
        "bound": RUNS.get((preset, loss)) if design == FLOOR else None,
        "coverage": float(((found.low <= loss) & (found.high >= loss)).mean()),
        "half_width": 50 * float(np.median(found.high - found.low)),
        "unreached": float(1 - found.reached.mean()),
    }


def _held(rows: list[Figures]) -> Iterator[tuple[str, bool]]:
    proposed = [row for row in rows if row["design"] == FLOOR]
    what = "coverage at stop within [0.93, 0.98], 4 sessions and the floor, losses of 0, 1, 3, 10 %, quiet and typical"
    yield what, all(0.93 <= row["coverage"] <= 0.98 for row in proposed)
    for row in proposed:
        if row["bound"] is not None:
            most = row["bound"] + 2 * row["runs_error"]
            yield MOST.format(row["bound"], row["noise"], row["true"]), row["runs"] <= most
