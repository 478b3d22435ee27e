"""How often a look after every pair decides, how often wrongly, and after how many runs."""

from __future__ import annotations

import numpy as np

from evidence import many
from evidence.noise import PRESETS, Array, simulate
from evidence.page import Figures, Page

SEED = 23
CAMPAIGNS = 4000
PAIRS = 50
MARGIN = 0.01
CAUGHT = 0.8
RUNS = {0.0: 50.0, 0.01: 37.0, 0.03: 16.0, 0.1: 13.0}
"""Mean runs of the proposed method, which ours must not exceed by more than two standard errors."""
NAMES = ("inconclusive", "loss", "gain", "equivalent")


def page() -> Page:
    """All losses, and the miscoverage of a whole path."""
    rows = [_row(loss) for loss in RUNS]
    path = miscoverage()
    quiet = rows[0]
    held: dict[str, bool] = {
        "at most 5 % of A/A campaigns called a loss or a gain": quiet["loss"] + quiet["gain"] <= 0.05,
        "at most 5 % of 3000 paths of 150 normal pairs ever miss the truth": path <= 0.05,
    }
    for row in rows:
        bound = row["bound"] + 2 * row["runs_error"]
        held[f"runs at a loss of {100 * row['true']:.0f} %: at most {row['bound']:g}"] = row["runs"] <= bound
    text = f"""
{CAMPAIGNS} campaigns a row with the *typical* noise ([noise](README.md#noise)), one session, at most {PAIRS} pairs,
margin 1 percentage point, seed {SEED}. The confidence sequence is looked at after every pair and the campaign ends with
the first verdict. Four of five outliers have a cause that is seen, and the run is repeated; repeated runs are counted.
A loss of 0 % is A/A: there, *loss* and *gain* are false verdicts. *At most* is the figure of the proposed method.
Of 3000 paths of 150 normal pairs, {100 * path:.1f} % ever had the truth outside.
"""
    shown = {
        "true": ("true loss", ".0%"),
        **{name: (name, ".3f") for name in (*NAMES[1:], NAMES[0])},
        "runs": ("mean runs", ".1f"),
        "runs_error": ("± s.e.", ".2f"),
        "bound": ("at most", "g"),
    }
    return Page("verdicts", "Verdicts with a look after every pair", text, rows, shown, held)


def codes(low: Array, high: Array, margin: float) -> Array:
    """Return the place in ``NAMES`` of what each interval of the loss says: zero first, then the margin."""
    inside = (low >= -margin) & (high <= margin)
    return np.select([low > 0, high < 0, inside], [1.0, 2.0, 3.0], 0.0)


def miscoverage() -> float:
    """Share of paths of normal pairs on which zero was ever outside."""
    low, high = many.sequences(np.random.default_rng(SEED).normal(size=(3000, 150)))
    return float(((low > 0) | (high < 0)).any(axis=1).mean())


def _row(loss: float) -> Figures:
    draw = np.random.default_rng([SEED, round(1000 * loss)])
    drawn = simulate(PRESETS["typical"], draw, campaigns=CAMPAIGNS, blocks=PAIRS, loss=loss, caught=CAUGHT)
    low, high = many.sequences(drawn.d)
    verdict = codes(many.losses(low), many.losses(high), MARGIN)
    last = np.where((verdict > 0).any(axis=1), (verdict > 0).argmax(axis=1), PAIRS - 1)
    at = np.arange(CAMPAIGNS), last
    shares = {name: float((verdict[at] == code).mean()) for code, name in enumerate(NAMES)}
    runs = drawn.runs[at]
    error = float(runs.std() / CAMPAIGNS**0.5)
    return {"true": loss, **shares, "runs": float(runs.mean()), "runs_error": error, "bound": RUNS[loss]}
