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


ALIKE = (("quiet", 0.0), ("quiet", CAUGHT), ("typical", 0.0), ("noisy", 0.0), ("noisy", CAUGHT))
"""A/A campaigns beside: noise, and the share of outliers whose run is repeated."""


def page() -> Page:
    """All losses, A/A with every noise, and the miscoverage of a whole path."""
    rows = [_row("typical", loss, CAUGHT) for loss in RUNS]
    rows += [_row(noise, 0.0, caught) for noise, caught in ALIKE]
    path = miscoverage()
    text = f"""
{CAMPAIGNS} campaigns a row, one session ([noise](README.md#noise)), at most {PAIRS} pairs, margin 1 percentage point,
seed {SEED}. The confidence sequence is looked at after every pair and the campaign ends with the first verdict.
*Repeated* is the share of outliers that have a cause that is seen, so that the run is repeated; repeated runs are
counted. A loss of 0 % is A/A: there, *loss* and *gain* are false verdicts. *At most* is the figure of the proposed
method. Of 3000 paths of 150 normal pairs, {100 * path:.1f} % ever had the truth outside.

What an arm has on one day only is in no interval of one session: with *noisy* noise, and with more pairs, it comes
through. A result of several sessions has the site's floor in its interval.
"""
    shown = {
        "noise": ("noise", ""),
        "caught": ("repeated", ".0%"),
        "true": ("true loss", ".0%"),
        **{name: (name, ".3f") for name in (*NAMES[1:], NAMES[0])},
        "runs": ("mean runs", ".1f"),
        "runs_error": ("± s.e.", ".2f"),
        "bound": ("at most", "g"),
    }
    return Page("verdicts", "Verdicts with a look after every pair", text, rows, shown, _held(rows, path))


def _held(rows: list[Figures], path: float) -> dict[str, bool]:
    alike = [row for row in rows if row["true"] == 0 and row["noise"] != "noisy"]
    called = max(row["loss"] + row["gain"] for row in alike)
    held = {
        "at most 5 % of A/A campaigns called a loss or a gain, quiet and typical noise": called <= 0.05,
        "at most 5 % of 3000 paths of 150 normal pairs ever miss the truth": path <= 0.05,
    }
    for row in rows:
        if row["bound"] is not None:
            most = row["bound"] + 2 * row["runs_error"]
            what = f"runs at a loss of {100 * row['true']:.0f} %: at most {row['bound']:g}"
            held[what] = row["runs"] <= most
    return held


def codes(low: Array, high: Array, margin: float) -> Array:
    """Return the place in ``NAMES`` of what each interval of the loss says: zero first, then the margin."""
    inside = (low >= -margin) & (high <= margin)
    return np.select([low > 0, high < 0, inside], [1.0, 2.0, 3.0], 0.0)


def miscoverage() -> float:
    """Share of paths of normal pairs on which zero was ever outside."""
    low, high = many.sequences(np.random.default_rng(SEED).normal(size=(3000, 150)))
    return float(((low > 0) | (high < 0)).any(axis=1).mean())


def _row(noise: str, loss: float, caught: float) -> Figures:
    draw = np.random.default_rng([SEED, round(1000 * loss)])
    drawn = simulate(PRESETS[noise], draw, campaigns=CAMPAIGNS, blocks=PAIRS, loss=loss, caught=caught)
    low, high = many.sequences(drawn.d)
    verdict = codes(many.losses(low), many.losses(high), MARGIN)
    last = np.where((verdict > 0).any(axis=1), (verdict > 0).argmax(axis=1), PAIRS - 1)
    at = np.arange(CAMPAIGNS), last
    shares = {name: float((verdict[at] == code).mean()) for code, name in enumerate(NAMES)}
    runs = {"runs": float(drawn.runs[at].mean()), "runs_error": float(drawn.runs[at].std() / CAMPAIGNS**0.5)}
    bound = RUNS[loss] if (noise, caught) == ("typical", CAUGHT) else None
    return {"noise": noise, "caught": caught, "true": loss, **shares, **runs, "bound": bound}
