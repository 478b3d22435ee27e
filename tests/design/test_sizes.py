"""Event numbers for fixed cost and slope: the published scan spends the same hours on less."""

from __future__ import annotations

import numpy as np
import pytest

from assay.design.sizes import Guess, expected_halves, guesses, plan_sizes
from assay.model.figures.scan import Point
from assay.stats.lines.scan import scan

DAY = 24 * 3600.0
NOISE = 0.012
ARMS = (Guess(120, 0.85), Guess(240, 0.85 / 0.97))
"""Half of the initialization and 3 % of the event loop are lost."""
PUBLISHED = dict.fromkeys((10, 50, 100, 200, 500, 1000, 2000, 4000), 5)
TWO = {1: 35, 1000: 35}


def seconds(runs: dict[int, int]) -> float:
    return sum(count * arm.at(size) for size, count in runs.items() for arm in ARMS)


def test_two_sizes_know_both_losses_better_than_a_scan_of_eight_in_the_same_day() -> None:
    assert seconds(TWO) == pytest.approx(DAY, rel=0.02)
    assert seconds(PUBLISHED) == pytest.approx(DAY, rel=0.08)
    two, eight = (expected_halves(ARMS, runs, noise=NOISE) for runs in (TWO, PUBLISHED))
    assert (round(two.fixed_cost, 4), round(two.per_event, 4)) == (0.0028, 0.0067)
    assert two.fixed_cost < eight.fixed_cost
    assert two.per_event < eight.per_event


def test_many_short_runs_and_few_long_ones_know_the_fixed_cost_better_and_the_slope_worse() -> None:
    short = {1: 64, 2000: 16}
    assert seconds(short) == pytest.approx(DAY, rel=0.05)
    two, other = (expected_halves(ARMS, runs, noise=NOISE) for runs in (TWO, short))
    assert other.fixed_cost < two.fixed_cost
    assert other.per_event > two.per_event


def test_a_plan_keeps_to_the_budget_and_knows_the_slope_better_than_two_guessed_sizes() -> None:
    plan = plan_sizes(ARMS, noise=NOISE, budget_s=DAY, allowed=(1, 4000))
    assert plan is not None
    assert plan.seconds <= DAY
    assert min(plan.repetitions) == 1
    assert plan.expected.per_event <= expected_halves(ARMS, TWO, noise=NOISE).per_event
    assert 2 <= len(plan.interior) <= 3
    assert all(1 < size < max(plan.repetitions) for size in plan.interior)


def test_a_range_is_used_to_its_end_where_its_end_is_short() -> None:
    plan = plan_sizes(ARMS, noise=NOISE, budget_s=DAY, allowed=(1, 200))
    assert plan is not None
    assert max(plan.repetitions) == 200


def test_a_budget_too_small_for_two_blocks_gives_no_plan() -> None:
    assert plan_sizes(ARMS, noise=NOISE, budget_s=600, allowed=(1, 4000)) is None


def test_the_expected_half_widths_are_those_that_scans_come_to() -> None:
    draw, found = np.random.default_rng(6), []
    for _ in range(100):
        arms = [
            [Point(b, n, float(arm.at(n) * np.exp(draw.normal(0, NOISE)))) for b in range(35) for n in TWO]
            for arm in ARMS
        ]
        scanned = scan(*arms)
        for part in (scanned.fixed_cost_s, scanned.per_event_s):
            assert part is not None
            assert part.loss_low is not None
            assert part.loss_high is not None
            found.append((part.loss_high - part.loss_low) / 2)
    fixed, slope = np.mean(found[::2]), np.mean(found[1::2])
    expected = expected_halves(ARMS, TWO, noise=NOISE)
    assert (fixed, slope) == pytest.approx((expected.fixed_cost, expected.per_event), rel=0.08)


def test_a_pilot_gives_the_guesses() -> None:
    arms = [[Point(b, n, arm.at(n)) for b in range(3) for n in (1, 1000)] for arm in ARMS]
    made = guesses(scan(*arms))
    assert made is not None
    for guess, truth in zip(made, ARMS, strict=True):
        assert (guess.fixed_s, guess.slope_s) == pytest.approx((truth.fixed_s, truth.slope_s))
    assert guesses(scan(*[[point for point in arm if point.events == 1] for arm in arms])) is None
