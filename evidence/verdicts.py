"""How often a look after every pair decides, how often wrongly, and after how many runs: under every family
of noise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from evidence import many
from evidence.families import FAMILIES, draw_family
from evidence.noise import PRESETS, Campaigns, simulate
from evidence.page import Figures, Page

SEED = 23
CAMPAIGNS = 4000
PAIRS = 50
MARGIN = 0.01
CAUGHT = 0.8
LOSSES = (0.0, 0.01, 0.03, 0.1)
REPEATED = f"typical, {100 * CAUGHT:.0f} % repeated"
MOST = {("typical", 0.03): 17.0, ("typical", 0.1): 12.0, ("outliers 5 %", 0.03): 28.0}
"""Mean runs, which must not be exceeded by more than two standard errors."""
DECIDED = {("outliers 5 %", 0.03): 0.95}
"""Share of campaigns that must end with a verdict."""
DEPENDENT = "correlated"
"""The family in which blocks are not independent: what that costs is shown, and not held."""


def page() -> Page:
    """All losses in all families, and the miscoverage of a whole path."""
    rows = [_of_family(name, loss) for name in FAMILIES for loss in LOSSES]
    rows += [_repeated(loss) for loss in LOSSES]
    normal, heavy = miscoverage()
    families = "\n".join(f"- *{name}*: {what}" for name, (_, what) in FAMILIES.items())
    text = f"""
{CAMPAIGNS} campaigns a row, one session, at most {PAIRS} pairs, margin 1 percentage point, seed {SEED}. The confidence
sequence is looked at after every pair and the campaign ends with the first verdict. A loss of 0 % is A/A: there,
*loss* and *gain* are false verdicts. *Coverage* is that of the interval shown at the end. Runs count both arms, and
those that are repeated for a cause that is seen ({100 * CAUGHT:.0f} % of the outliers in the last rows). *At most* is what the
runs are held to. Of 3000 paths of 150 pairs, {100 * normal:.1f} % ever had the truth outside where they are normal,
{100 * heavy:.1f} % where one in ten lies far off on either side.

Each family is white noise and boots ([typical](README.md#noise)) and one effect:

{families}

What an arm has on one day only is in no interval of one session (*typical*, *quiet*). Where neighbouring blocks are
alike (*{DEPENDENT}*), false verdicts are more than 5 %: a result says so where it sees it.
"""  # noqa: E501
    shown = {
        "family": ("noise", ""),
        "true": ("true loss", ".0%"),
        **{name: (name, ".3f") for name in (*many.NAMES[1:], many.NAMES[0])},
        "coverage": ("coverage", ".3f"),
        "runs": ("mean runs", ".1f"),
        "runs_error": ("± s.e.", ".2f"),
        "bound": ("at most", "g"),
    }
    held = dict(_held(rows)) | {
        "at most 5 % of 3000 paths of 150 pairs ever miss the truth": max(normal, heavy) <= 0.05
    }
    return Page("verdicts", "Verdicts with a look after every pair", text, rows, shown, held)


def _held(rows: list[Figures]) -> Iterator[tuple[str, bool]]:
    sound = [row for row in rows if row["family"] != DEPENDENT]
    alike = [row["loss"] + row["gain"] for row in sound if row["true"] == 0]
    yield (
        "at most 5 % of A/A campaigns called a loss or a gain, all families of independent blocks",
        max(alike) <= 0.05,
    )
    yield (
        "coverage at the end at least 0.95, all families of independent blocks",
        min(r["coverage"] for r in sound) >= 0.95,
    )
    for row in rows:
        case = f"{row['family']}, a loss of {100 * row['true']:.0f} %"
        if row["bound"] is not None:
            yield (
                f"{case}: at most {row['bound']:g} runs",
                row["runs"] <= row["bound"] + 2 * row["runs_error"],
            )
        if (least := DECIDED.get((row["family"], row["true"]))) is not None:
            yield f"{case}: at least {100 * least:.0f} % decided", 1 - row["inconclusive"] >= least


def miscoverage() -> tuple[float, float]:
    """Share of paths on which the truth was ever outside: of normal pairs, and of pairs with outliers on both
    sides.
    """
    draw = np.random.default_rng(SEED)
    normal = draw.normal(size=(3000, 150))
    heavy = draw.normal(size=normal.shape) + (draw.random(normal.shape) < 0.1) * draw.normal(
        0, 30, normal.shape
    )
    enough = math.log(20)
    missed = [float((many.evidence(d) >= enough).any(axis=1).mean()) for d in (normal, heavy)]
    return missed[0], missed[1]


def _of_family(name: str, loss: float) -> Figures:
    return _row(name, loss, draw_family(name, seed=SEED, campaigns=CAMPAIGNS, blocks=PAIRS, loss=loss))


def _repeated(loss: float) -> Figures:
    draw = np.random.default_rng([SEED, round(1000 * loss)])
    drawn = simulate(PRESETS["typical"], draw, campaigns=CAMPAIGNS, blocks=PAIRS, loss=loss, caught=CAUGHT)
    return _row(REPEATED, loss, drawn)


def _row(family: str, loss: float, drawn: Campaigns) -> Figures:
    last, codes = many.verdicts(drawn.d, margin=MARGIN)
    at = np.arange(CAMPAIGNS), last
    missed = many.evidence(drawn.d, -math.log1p(-loss))[at] >= math.log(20)
    runs = drawn.runs[at]
    return {
        "family": family,
        "true": loss,
        **{name: float((codes == code).mean()) for code, name in enumerate(many.NAMES)},
        "coverage": float(1 - missed.mean()),
        "runs": float(runs.mean()),
        "runs_error": float(runs.std() / CAMPAIGNS**0.5),
        "bound": MOST.get((family, loss)),
    }
