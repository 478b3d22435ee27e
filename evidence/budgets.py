"""Does the budget of a loss add up, and does each part's interval hold its truth?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.explain.budget import Budget, budget
from assay.explain.cpu import Work, cpu_factors
from assay.explain.split import Category, Key
from evidence.noise import Array
from evidence.page import Figures, Page

SEED = 27
BUDGETS, BLOCKS = 2000, 10
PARTS: dict[Key, tuple[float, float]] = {
    ("init", Category.USER): (18.0, 20.0),
    ("init", Category.SYSTEM): (4.0, 6.0),
    ("init", Category.IO): (8.0, 40.0),
    ("init", Category.IDLE): (5.0, 5.5),
    ("event-loop", Category.USER): (300.0, 306.0),
    ("event-loop", Category.SYSTEM): (6.0, 9.0),
    ("event-loop", Category.IO): (10.0, 9.0),
    ("event-loop", Category.QUEUE): (1.0, 6.0),
}
"""Seconds of the baseline and of the treatment."""
SCATTER = 0.03
RESIDUAL = 1e-9


def page() -> Page:
    """All parts."""
    draw = np.random.default_rng(SEED)
    baseline, treatment = (_times(arm, draw, (BUDGETS, BLOCKS)) for arm in (0, 1))
    made = [budget(list(_blocks(base, treated))) for base, treated in zip(baseline, treatment, strict=True)]
    truth = _truth(draw)
    rows = [_row(index, key, made, truth[index]) for index, key in enumerate(PARTS)]
    residual, factors = max(one.residual for one in made), _factors(draw)
    held = {
        "every part covered in 93 % to 97 %": all(0.93 <= row["coverage"] <= 0.97 for row in rows),
        "no residual of a budget above 1e-9": residual < RESIDUAL,
        "no residual of instructions x CPI / frequency above 1e-9": factors < RESIDUAL,
    }
    text = f"""
{BUDGETS} budgets of {BLOCKS} blocks, each part of each run with a scatter of {100 * SCATTER:g} % of its own, seed {SEED}.
A share is (treatment - baseline) over the treatment's time; its truth is the mean of a million blocks. The residual of
a budget, and of {BUDGETS} divisions of CPU time over instructions, cycles an instruction and frequency, is what rounding
leaves: no part of the time above {RESIDUAL:g}, and its digits differ from processor to processor.
"""  # noqa: E501
    shown = {
        "phase": ("phase", ""),
        "category": ("category", ""),
        "baseline_s": ("baseline, s", "g"),
        "treatment_s": ("treatment, s", "g"),
        "share": ("share of the time", ".2%"),
        "coverage": ("coverage", ".3f"),
    }
    return Page("budgets", "Budgets of a loss", text, rows, shown, held)


def _times(arm: int, draw: np.random.Generator, shape: tuple[int, ...]) -> Array:
    means = np.array([seconds[arm] for seconds in PARTS.values()])
    return means * np.exp(draw.normal(0, SCATTER, (*shape, len(means))))


def _blocks(baseline: Array, treatment: Array) -> Iterator[tuple[dict[Key, float], dict[Key, float]]]:
    for base, treated in zip(baseline.tolist(), treatment.tolist(), strict=True):
        yield dict(zip(PARTS, base, strict=True)), dict(zip(PARTS, treated, strict=True))


def _truth(draw: np.random.Generator) -> Array:
    baseline, treatment = (_times(arm, draw, (1_000_000,)) for arm in (0, 1))
    mean: Array = ((treatment - baseline) / treatment.sum(axis=1, keepdims=True)).mean(axis=0)
    return mean


def _row(index: int, key: Key, made: list[Budget], truth: float) -> Figures:
    shares = [one.parts[index].contribution for one in made]
    covered = [s.low <= truth <= s.high for s in shares if s.low is not None and s.high is not None]
    baseline, treatment = PARTS[key]
    return {
        "phase": key[0],
        "category": key[1].value,
        "baseline_s": baseline,
        "treatment_s": treatment,
        "share": float(truth),
        "coverage": sum(covered) / len(made),
    }


def _factors(draw: np.random.Generator) -> float:
    """Return the largest residual of the factors of CPU time, as a part of it."""
    counts = np.exp(draw.normal(0, 0.5, (BUDGETS, 2, 3))) * np.array([3e11, 2e11, 60.0])
    worst = 0.0
    for base, treated in counts.tolist():
        found = cpu_factors(Work(*base), Work(*treated))
        total = found.instructions_s + found.cpi_s + found.frequency_s
        worst = max(worst, abs(total - (treated[2] - base[2])) / treated[2])
    return worst
