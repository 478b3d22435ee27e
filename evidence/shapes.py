"""What a block should look like, by what a switch between the arms costs."""

from __future__ import annotations

import math

import numpy as np

from assay.design.shape import SwitchCost, choose_shape
from assay.model.goal import Shape
from evidence.noise import PRESETS, Array, drift
from evidence.page import Figures, Page
from evidence.stops import Rule, stops

SEED = 28
CAMPAIGNS, MOST_BLOCKS = 3000, 120
LOSS, PRECISION, FEWEST, SESSIONS = 0.03, 0.005, 10, 4
SWITCHES = (0.2, 1.0, 3.0)
DESIGNS = ((Shape.PAIRS, 1), (Shape.PAIRS, 2), (Shape.CHAINED, 1), (Shape.CHAINED, 2), (Shape.CHAINED, 4))


def page() -> Page:
    """All designs at all costs of a switch."""
    rows = [_row(switch, *design) for switch in SWITCHES for design in _designs(switch)]
    held = {
        f"switch of {switch:g} runs: what is chosen takes at most 12 % more time than the best": _near(
            [row for row in rows if row["switch"] == switch]
        )
        for switch in SWITCHES
    }
    for shape, least in ((Shape.PAIRS, 0.93), (Shape.CHAINED, 0.91)):
        covered = [row["coverage"] for row in rows if row["shape"] == shape]
        held[f"{shape}: every coverage within [{least}, 0.98]"] = all(least <= one <= 0.98 for one in covered)
    text = f"""
{CAMPAIGNS} campaigns a row with the *typical* noise ([noise](README.md#noise)), a loss of 3 %, 4 sessions and the floor,
until a half-width of 0.5 percentage points, seed {SEED}. *Pairs* switch twice a block and boot for each visit; *chained*
blocks share a visit with each neighbour and switch once. *Time* counts runs and switches of both arms, in runs.
*Correlation* is that of neighbouring blocks: chaining pays with coverage. *Chosen* is what the product chooses at
that cost of a switch.
"""  # noqa: E501
    shown = {
        "switch": ("switch, runs", "g"),
        "shape": ("blocks", ""),
        "runs": ("runs of an arm in a block", "d"),
        "blocks": ("blocks", ".1f"),
        "time": ("time", ".1f"),
        "time_error": ("± s.e.", ".2f"),
        "correlation": ("correlation", ".2f"),
        "coverage": ("coverage", ".3f"),
        "chosen": ("", ""),
    }
    return Page("shapes", "Shapes of a block", text, rows, shown, held)


def _designs(switch: float) -> list[tuple[Shape, int]]:
    chosen = choose_shape(SwitchCost(1.0, switch))
    return [*DESIGNS, *([chosen] if chosen not in DESIGNS else [])]


def _near(rows: list[Figures]) -> bool:
    chosen = next(row["time"] for row in rows if row["chosen"])
    return bool(chosen <= 1.12 * min(row["time"] for row in rows))


def slowdowns(shape: Shape, runs: int, switch: float, draw: np.random.Generator) -> Array:
    """Return the log slowdowns of all campaigns' blocks."""
    noise, count = PRESETS["typical"], 2 * MOST_BLOCKS
    visit = np.repeat(np.arange(count), runs)
    boot = (visit + 1) // 2 if shape is Shape.CHAINED else visit
    times = np.arange(len(visit)) + switch * boot
    logs = drift(noise, draw, CAMPAIGNS, times) + draw.normal(0, noise.boot, (CAMPAIGNS, count + 1))[:, boot]
    logs = logs + draw.normal(0, noise.white, logs.shape)
    outlier = draw.random(logs.shape) < noise.outlier_share
    logs = logs + np.where(outlier, draw.exponential(noise.outlier_mean, logs.shape), 0.0)
    means = logs.reshape(CAMPAIGNS, MOST_BLOCKS, 2, runs).mean(axis=3)
    second = (
        draw.random((CAMPAIGNS, MOST_BLOCKS)) < 0.5
        if shape is Shape.PAIRS
        else np.arange(MOST_BLOCKS) % 2 > 0
    )
    found: Array = np.where(second, -1, 1) * (means[:, :, 1] - means[:, :, 0]) - math.log1p(-LOSS)
    return found


def _row(switch: float, shape: Shape, runs: int) -> Figures:
    draw, noise = np.random.default_rng([SEED, runs]), PRESETS["typical"]
    d = slowdowns(shape, runs, switch, draw)
    days = draw.normal(0, math.sqrt(2) * noise.arm_day, (CAMPAIGNS, SESSIONS))
    sigma, rule = np.full(CAMPAIGNS, noise.arm_day), Rule(PRECISION, FEWEST, MOST_BLOCKS, SESSIONS)
    found = stops(d, days, sigma, rule)
    switches = 1 if shape is Shape.CHAINED else 2
    time = found.blocks * (2 * runs + switches * switch)
    return {
        "switch": switch,
        "shape": shape.value,
        "runs": runs,
        "blocks": float(found.blocks.mean()),
        "time": float(time.mean()),
        "time_error": float(time.std() / CAMPAIGNS**0.5),
        "correlation": float(np.mean((d[:, 1:] - d.mean()) * (d[:, :-1] - d.mean())) / d.var()),
        "coverage": float(((found.low <= LOSS) & (found.high >= LOSS)).mean()),
        "chosen": "chosen" if (shape, runs) == choose_shape(SwitchCost(1.0, switch)) else "",
    }
