"""Plans of event numbers against covariance matrices and by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from assay.design.sizes import (
    CANDIDATES,
    PER_BLOCK,
    Guess,
    Halves,
    SizePlan,
    expected_halves,
    guesses,
    plan_sizes,
)
from assay.model.figures.scan import Point
from assay.stats.lines.scan import scan

ARMS = (Guess(120.0, 0.85), Guess(240.0, 0.9))
NOISE = 0.012


def covariance(arm: Guess, runs: dict[int, int]) -> np.ndarray:
    """Covariance of fixed cost and slope by weighted least squares: (X' W X)^-1."""
    sizes = np.array([size for size, count in runs.items() for _ in range(count)], dtype=float)
    model = np.column_stack([np.ones_like(sizes), sizes])
    weights = 1 / (NOISE * (arm.fixed_s + arm.slope_s * sizes)) ** 2
    return np.linalg.inv(model.T @ (weights[:, None] * model))


@pytest.mark.parametrize("runs", [{1: 35, 1000: 35}, {1: 4, 50: 1, 1000: 2}, {10: 1, 20: 1}])
def test_the_half_widths_are_those_of_the_covariance_of_weighted_least_squares(runs: dict[int, int]) -> None:
    found = expected_halves(ARMS, runs, noise=NOISE)
    spreads = [np.sqrt(np.diag(covariance(arm, runs))) for arm in ARMS]
    fixed = math.hypot(spreads[0][0] / 120, spreads[1][0] / 240)
    slope = math.hypot(spreads[0][1] / 0.85, spreads[1][1] / 0.9)
    # of the loss 1 - B/T by the log ratio: 1.96 times the spread, times B/T
    assert found.fixed_cost == pytest.approx(1.96 * fixed * 120 / 240, rel=1e-9)
    assert found.per_event == pytest.approx(1.96 * slope * 0.85 / 0.9, rel=1e-9)
    assert found.worst == max(found.fixed_cost, found.per_event)


def test_the_worst_is_the_wider_of_both() -> None:
    assert Halves(0.1, 0.2).worst == Halves(0.2, 0.1).worst == 0.2


def cost(runs: dict[int, int], overhead: float = 0.0) -> float:
    return sum(
        count * (arm.fixed_s + arm.slope_s * n + overhead) for n, count in runs.items() for arm in ARMS
    )


def best_by_search(budget: float, lower: int, upper: int, overhead: float) -> SizePlan:
    """Try every candidate without cleverness."""
    found = []
    for k in range(1, CANDIDATES + 1):
        size = round(lower + (upper - lower) * (k / CANDIDATES) ** 2)
        if size == lower:
            continue
        interior = sorted(
            {n for n in (round(size / 8), round(size / 4), round(size / 2)) if lower < n < size}
        )
        once = cost(dict.fromkeys(interior, 1), overhead)
        for each in range(1, PER_BLOCK + 1):
            blocks = math.floor((budget - once) / cost({lower: each, size: 1}, overhead))
            if blocks >= 2:
                runs = {lower: blocks * each, size: blocks}
                halves = expected_halves(ARMS, runs, noise=NOISE)
                found.append(SizePlan(runs, tuple(interior), once + cost(runs, overhead), halves))
    return min(found, key=lambda plan: plan.expected.worst)


@pytest.mark.parametrize(
    ("budget", "lower", "upper", "overhead"),
    [
        (86_400.0, 1, 4000, 0.0),
        (86_400.0, 1, 4000, 60.0),
        (20_000.0, 10, 300, 5.0),
        (3_000.0, 1, 3, 0.0),
        (9_000.0, 1, 1_600_001, 0.0),  # pays the first candidate alone, 1,001 events
    ],
)
def test_the_plan_is_the_best_of_all_candidates(
    budget: float, lower: int, upper: int, overhead: float
) -> None:
    found = plan_sizes(ARMS, noise=NOISE, budget_s=budget, allowed=(lower, upper), overhead_s=overhead)
    wanted = best_by_search(budget, lower, upper, overhead)
    assert found is not None
    assert (CANDIDATES, PER_BLOCK) == (40, 4)
    assert (dict(found.repetitions), found.interior) == (dict(wanted.repetitions), wanted.interior)
    assert found.seconds == pytest.approx(wanted.seconds, rel=1e-12)
    assert found.expected.worst == pytest.approx(wanted.expected.worst, rel=1e-12)


def test_two_blocks_are_the_fewest() -> None:
    # the only upper number is 2 and there is none between: a block of one run each is 4 times 120.85 .. 241.8
    # s
    block = cost({1: 1, 2: 1})
    at_limit = plan_sizes(ARMS, noise=NOISE, budget_s=2 * block, allowed=(1, 2))
    assert at_limit is not None
    assert (dict(at_limit.repetitions), at_limit.interior) == ({1: 2, 2: 2}, ())
    assert at_limit.seconds == pytest.approx(2 * block)
    assert plan_sizes(ARMS, noise=NOISE, budget_s=2 * block - 1e-6, allowed=(1, 2)) is None
    assert plan_sizes(ARMS, noise=NOISE, budget_s=2 * block, allowed=(1, 2), overhead_s=0.01) is None


def test_one_event_number_is_no_plan() -> None:
    assert plan_sizes(ARMS, noise=NOISE, budget_s=1e9, allowed=(5, 5)) is None


def test_a_pilot_without_a_straight_line_above_zero_gives_no_guess() -> None:
    pilot = scan(*[[Point(b, n, arm.at(n)) for b in range(3) for n in (1, 300, 1000)] for arm in ARMS])
    assert guesses(pilot) is not None
    assert len(pilot.linearity) == 2
    for at in (0, 1):
        bent = list(pilot.linearity)
        bent[at] = replace(bent[at], straight=False)
        assert guesses(replace(pilot, linearity=tuple(bent))) is None
    for name in ("fixed_cost_s", "per_event_s"):
        part = getattr(pilot, name)
        assert guesses(replace(pilot, **{name: None})) is None
        for arm in ("baseline", "treatment"):
            none = replace(part, **{arm: replace(getattr(part, arm), value=0.0)})
            assert guesses(replace(pilot, **{name: none})) is None
