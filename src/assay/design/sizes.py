"""Which event numbers to measure, and how often, for fixed cost and slope: where the information is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.model.figures.scan import Scan

PER_BLOCK = 4
"""A short run may be made so often in a block beside one long run."""
CANDIDATES = 40
"""Upper event numbers that are tried."""
NORMAL = 1.96
INTERIOR = (1 / 8, 1 / 4, 1 / 2)
"""Sizes that are measured once a campaign, of the largest: they show a bend."""


@dataclass(frozen=True)
class Guess:
    """What is expected of one arm.

    Attributes:
        fixed_s: Fixed cost, > 0.
        slope_s: Cost per event, > 0.
    """

    fixed_s: float
    slope_s: float

    def at(self, events: float) -> float:
        """Return the expected time at an event number."""
        return self.fixed_s + self.slope_s * events


@dataclass(frozen=True)
class Halves:
    """Half-widths to expect of 95 % intervals of the losses, ratios."""

    fixed_cost: float
    per_event: float

    @property
    def worst(self) -> float:
        """The wider of both."""
        return max(self.fixed_cost, self.per_event)


@dataclass(frozen=True)
class SizePlan:
    """What to measure, on each arm.

    Attributes:
        repetitions: Runs of each of the two event numbers; a block holds one of the larger.
        interior: Event numbers to measure once, for the check of linearity.
        seconds: What all of it takes, both arms.
        expected: Half-widths to expect.
    """

    repetitions: Mapping[int, int]
    interior: tuple[int, ...]
    seconds: float
    expected: Halves


def guesses(pilot: Scan) -> tuple[Guess, Guess] | None:
    """Return what a pilot says of baseline and treatment; ``None`` without lines, or where one is bent or not
    above zero.
    """
    if (
        pilot.fixed_cost_s is None
        or pilot.per_event_s is None
        or not all(c.straight for c in pilot.linearity)
    ):
        return None
    fixed, slope = pilot.fixed_cost_s, pilot.per_event_s
    baseline = Guess(fixed.baseline.value, slope.baseline.value)
    treatment = Guess(fixed.treatment.value, slope.treatment.value)
    values = (baseline.fixed_s, baseline.slope_s, treatment.fixed_s, treatment.slope_s)
    return (baseline, treatment) if min(values) > 0 else None


def plan_sizes(
    arms: Sequence[Guess], *, noise: float, budget_s: float, allowed: tuple[int, int], overhead_s: float = 0.0
) -> SizePlan | None:
    """Return two event numbers and their repetitions that make the wider of both intervals narrowest.

    The lower is the smallest allowed: there the fixed cost shows. The upper is looked for: the slope is known
    better the larger it is, but a large run costs as much as many small ones, so that with noise that is a
    share of the time the best is a few times fixed cost over slope. Interior event numbers say little about a
    line; each is measured once, so that a bend can be seen.

    Args:
        arms: What is expected of baseline and treatment.
        noise: Standard deviation of a time, a share of it, > 0.
        budget_s: Seconds for all runs of both arms.
        allowed: Smallest and largest event number that may be run.
        overhead_s: Seconds around each run.

    Returns:
        ``None`` where the budget does not pay two runs of each size on both arms.

    Source:
        G. Elfving, "Optimum allocation in linear regression theory", Ann. Math. Stat. 23 (1952) 255-262: two
        places are enough for the two parameters of a line. Evidence: two event numbers, 1 and 1,000, know the
        losses to 0.28 and 0.67 points where eight from 10 to 4,000 know them to 0.54 and 0.84 in the same 24
        hours (``tests/design/test_sizes.py``).

    Limits:
        For a straight line; beyond the upper event number it is believed. The guesses must be about right.
    """
    lower, upper = allowed
    inside = {round(lower + (upper - lower) * (k / CANDIDATES) ** 2) for k in range(1, CANDIDATES + 1)}
    plans = [
        plan
        for size in sorted(inside - {lower})
        for each in range(1, PER_BLOCK + 1)
        if (plan := _plan(arms, (lower, size, each), noise, (budget_s, overhead_s))) is not None
    ]
    return min(plans, key=lambda plan: plan.expected.worst, default=None)


def _plan(
    arms: Sequence[Guess], sizes: tuple[int, int, int], noise: float, costs: tuple[float, float]
) -> SizePlan | None:
    lower, upper, each = sizes
    budget_s, overhead_s = costs
    interior = tuple(sorted({size for share in INTERIOR if lower < (size := round(share * upper)) < upper}))

    def seconds(runs: Mapping[int, int]) -> float:
        return sum(count * (arm.at(size) + overhead_s) for size, count in runs.items() for arm in arms)

    once = seconds(dict.fromkeys(interior, 1))
    blocks = int((budget_s - once) // seconds({lower: each, upper: 1}))
    if blocks < 2:
        return None
    runs = {lower: blocks * each, upper: blocks}
    return SizePlan(runs, interior, once + seconds(runs), expected_halves(arms, runs, noise=noise))


def expected_halves(arms: Sequence[Guess], runs: Mapping[int, int], *, noise: float) -> Halves:
    """Return the half-widths to expect of the 95 % intervals of both losses.

    Args:
        arms: What is expected of baseline and treatment.
        runs: Runs of each event number on each arm, at least two event numbers.
        noise: Standard deviation of a time, a share of it.

    Source:
        Covariance of weighted least squares (A. C. Aitken, 1935) and the derivative of 1 - exp(-d).
    """
    spread = [_relative_spread(arm, runs, noise) for arm in arms]
    fixed, slope = (math.hypot(*of_both) for of_both in zip(*spread, strict=True))
    baseline, treatment = arms
    return Halves(
        NORMAL * fixed * baseline.fixed_s / treatment.fixed_s,
        NORMAL * slope * baseline.slope_s / treatment.slope_s,
    )


def _relative_spread(arm: Guess, runs: Mapping[int, int], noise: float) -> tuple[float, float]:
    """Return the standard errors of an arm's fixed cost and slope, shares of them."""
    weights = {size: count / (noise * arm.at(size)) ** 2 for size, count in runs.items()}
    w = sum(weights.values())
    middle = sum(weight * size for size, weight in weights.items()) / w
    about = sum(weight * (size - middle) ** 2 for size, weight in weights.items())
    return math.sqrt(1 / w + middle**2 / about) / arm.fixed_s, math.sqrt(1 / about) / arm.slope_s
