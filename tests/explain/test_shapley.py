"""Shares of a loss: known games, exact sums, and intervals that hold what they promise."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from itertools import combinations

import pytest

from assay.design.fraction import Row, fraction
from assay.explain.shapley import Bounded, Run, Shares, shapley, shapley_shares, verdict_of
from assay.model.figures.proof import Proved
from tests.campaigns import campaigns as of_campaigns
from tests.campaigns import error

LossOf = Callable[[Row], float]


def measured(ablations: int, loss: LossOf, *, blocks: int = 3) -> Shares:
    runs = [Run(row, (-math.log1p(-loss(row)),) * blocks) for row in fraction(ablations).rows]
    return shapley_shares(runs)


def subsets(players: int) -> list[frozenset[int]]:
    return [frozenset(one) for size in range(players + 1) for one in combinations(range(players), size)]


def test_in_the_glove_game_the_single_right_glove_gets_two_thirds() -> None:
    worth = {s: float(0 in s and bool(s & {1, 2})) for s in subsets(3)}
    assert shapley(worth, 3) == pytest.approx((2 / 3, 1 / 6, 1 / 6), abs=1e-15)


def test_in_the_airport_game_each_stretch_is_paid_by_those_who_use_it() -> None:
    costs = (1.0, 2.0, 3.0)
    worth = {s: max((costs[i] for i in s), default=0.0) for s in subsets(3)}
    assert shapley(worth, 3) == pytest.approx((1 / 3, 1 / 3 + 1 / 2, 1 / 3 + 1 / 2 + 1), abs=1e-15)


@pytest.mark.parametrize("ablations", range(1, 9))
def test_the_shares_of_an_additive_loss_are_its_effects(ablations: int) -> None:
    effects = [0.01 * (at + 1) for at in range(ablations)]
    result = measured(ablations, lambda row: 0.5 - sum(e for e, on in zip(effects, row, strict=True) if on))
    assert [share.value for share in result.shares] == pytest.approx(effects, abs=1e-12)
    assert result.rest.value == pytest.approx(0.5 - sum(effects), abs=1e-12)


def test_two_substitutes_share_equally() -> None:
    result = measured(3, lambda row: 0.1 if row[0] or row[1] else 0.4)
    assert [share.value for share in result.shares] == pytest.approx([0.15, 0.15, 0.0], abs=1e-12)


def test_what_only_both_win_back_is_shared_by_both() -> None:
    result = measured(2, lambda row: 0.1 if all(row) else 0.3)
    assert [share.value for share in result.shares] == pytest.approx([0.1, 0.1], abs=1e-12)


@pytest.mark.parametrize("ablations", [4, 6, 7, 8])
def test_a_fraction_finds_the_shares_of_any_pairs_exactly(ablations: int) -> None:
    draw = random.Random(ablations)
    single = [draw.uniform(0, 0.05) for _ in range(ablations)]
    pair = {both: draw.uniform(-0.02, 0.02) for both in combinations(range(ablations), 2)}

    def loss(row: Row) -> float:
        on = {at for at, ablated in enumerate(row) if ablated}
        return 0.6 - sum(single[at] for at in on) - sum(v for both, v in pair.items() if set(both) <= on)

    expected = [v + sum(p for both, p in pair.items() if at in both) / 2 for at, v in enumerate(single)]
    assert [share.value for share in measured(ablations, loss).shares] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("ablations", range(1, 9))
def test_shares_and_rest_add_up_to_the_loss(ablations: int) -> None:
    draw = random.Random(ablations)
    runs = [Run(row, tuple(draw.gauss(0.3, 0.1) for _ in range(4))) for row in fraction(ablations).rows]
    result = shapley_shares(runs)
    total = sum(share.value for share in result.shares) + result.rest.value
    assert abs(total - result.loss.value) < 1e-12


def test_up_to_three_ablations_the_loss_is_that_of_the_run_with_all_off() -> None:
    draw = random.Random(1)
    runs = [Run(row, tuple(draw.gauss(0.3, 0.1) for _ in range(4))) for row in fraction(3).rows]
    assert shapley_shares(runs).loss.value == pytest.approx(-math.expm1(-sum(runs[0].log_slowdowns) / 4))


def test_shares_do_not_depend_on_the_order_of_runs_or_of_blocks() -> None:
    draw = random.Random(2)
    runs = [Run(row, tuple(draw.gauss(0.3, 0.1) for _ in range(4))) for row in fraction(4).rows]
    turned = [Run(run.ablated, run.log_slowdowns[::-1]) for run in reversed(runs)]
    one, other = shapley_shares(runs), shapley_shares(turned)
    for a, b in zip(one.shares, other.shares, strict=True):
        assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), abs=1e-12)


def test_a_single_ablation_has_the_interval_of_welch() -> None:
    """By hand: losses 1 - 1/e^d with standard errors exp(-d) s / sqrt(n)."""
    off, on = Run((False,), (0.30, 0.34, 0.32)), Run((True,), (0.01, 0.03, 0.02, 0.02))
    (share,) = shapley_shares([off, on]).shares
    a, b = math.exp(-0.64) * 0.0004 / 3, math.exp(-0.04) * (0.0002 / 3) / 4
    freedom = (a + b) ** 2 / (a**2 / 2 + b**2 / 3)
    from scipy.special import stdtrit

    half = stdtrit(freedom, 0.975) * math.sqrt(a + b)
    value = math.exp(-0.02) - math.exp(-0.32)
    assert (share.value, share.low, share.high) == pytest.approx((value, value - half, value + half))


def test_one_block_gives_shares_without_an_interval_and_proves_nothing() -> None:
    result = shapley_shares([Run((False,), (0.5,)), Run((True,), (0.0,))])
    assert result.shares[0].low is None
    assert result.verdicts == (Proved.NOT_PROVED,)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.01, 0.02, Proved.CAUSED),
        (-0.01, 0.02, Proved.NOT_PROVED),
        (0.0, 0.02, Proved.NOT_PROVED),
        (-0.02, -0.01, Proved.ADDS),
    ],
)
def test_only_an_interval_beyond_zero_proves(low: float, high: float, verdict: Proved) -> None:
    assert verdict_of(Bounded((low + high) / 2, low, high)) is verdict


def test_a_run_without_a_block_is_refused() -> None:
    with pytest.raises(ValueError, match="needs a block"):
        shapley_shares([Run((False,), (0.5,)), Run((True,), ())])


@of_campaigns(150, 600)
@pytest.mark.parametrize(("ablations", "blocks"), [(1, 3), (2, 3), (3, 5), (5, 3)])
def test_intervals_cover_the_true_share_as_often_as_they_say(
    ablations: int, blocks: int, campaigns: int
) -> None:
    draw = random.Random(10 * ablations + blocks)
    effects = [0.2, 0.05, 0.0, 0.02, 0.0][:ablations]
    held = 0
    for _ in range(campaigns):
        runs = [
            Run(row, tuple(-math.log1p(sum(e for e, on in zip(effects, row, strict=True) if on) - 0.4)
                           + draw.gauss(0, 0.02) for _ in range(blocks)))
            for row in fraction(ablations).rows
        ]  # fmt: skip
        for effect, share in zip(effects, shapley_shares(runs).shares, strict=True):
            assert share.low is not None
            assert share.high is not None
            held += share.low <= effect <= share.high
    low, high = 0.95 - 2.25 * error(0.95, campaigns), 0.95 + 3.4 * error(0.95, campaigns)
    assert low <= held / (campaigns * ablations) <= high


def test_ablations_that_do_nothing_are_rarely_called_causes() -> None:
    draw = random.Random(7)
    wrong = 0
    for _ in range(500):
        runs = [Run(row, tuple(0.3 + draw.gauss(0, 0.02) for _ in range(3))) for row in fraction(3).rows]
        wrong += sum(v is not Proved.NOT_PROVED for v in shapley_shares(runs).verdicts)
    assert wrong / 1500 <= 0.06
