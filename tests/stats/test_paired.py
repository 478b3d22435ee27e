"""Losses and their intervals against known answers and known truth."""

from __future__ import annotations

import math
import random
import re
import subprocess
import sys
from dataclasses import replace
from statistics import fmean

import pytest

from assay.model.figures.estimate import Looks, Verdict
from assay.model.metric import Direction
from assay.report.doubts import worded
from assay.stats import log_slowdown, loss_difference, loss_of, paired_loss
from assay.stats.verdicts.sequence import Evidence
from assay.stats.verdicts.verdict import FIRST_LOOK, verdict_of
from tests.campaigns import campaigns as of_campaigns
from tests.campaigns import error


def test_a_rate_of_90_against_100_is_a_loss_of_a_tenth() -> None:
    assert loss_of(log_slowdown([100.0], 90.0, Direction.HIGHER)) == pytest.approx(0.10)


def test_a_time_of_100_against_90_is_a_loss_of_a_tenth() -> None:
    assert loss_of(log_slowdown([90.0], 100.0, Direction.LOWER)) == pytest.approx(0.10)


def test_the_published_run_of_twelve_guests_loses_7_668_percent() -> None:
    assert loss_of(log_slowdown([4841.6], 5243.7, Direction.LOWER)) == pytest.approx(0.07668, abs=5e-6)


def test_swapping_the_arms_flips_the_log_slowdown_exactly() -> None:
    one = log_slowdown([3.0], 4.0, Direction.LOWER)
    assert log_slowdown([4.0], 3.0, Direction.LOWER) == -one


def test_two_baseline_values_count_by_their_geometric_mean() -> None:
    assert log_slowdown([1.0, 4.0], 2.0, Direction.LOWER) == pytest.approx(0.0)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_a_value_that_is_no_measurement_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="above zero"):
        log_slowdown([1.0], bad, Direction.LOWER)


def test_a_slowdown_without_a_baseline_is_refused() -> None:
    with pytest.raises(ValueError, match="above zero"):
        log_slowdown([], 1.0, Direction.LOWER)


def test_the_interval_is_students_on_the_logs() -> None:
    estimate = paired_loss([0.10, 0.12, 0.11])
    half = 4.302652729911275 * 0.01 / math.sqrt(3)
    assert estimate.low == pytest.approx(loss_of(0.11 - half), rel=1e-12)
    assert estimate.high == pytest.approx(loss_of(0.11 + half), rel=1e-12)


def test_the_order_of_blocks_does_not_matter() -> None:
    assert paired_loss([0.3, 0.1, 0.2]).high == pytest.approx(paired_loss([0.1, 0.2, 0.3]).high, rel=1e-12)


def test_no_block_is_not_measured_and_one_block_has_no_interval() -> None:
    assert paired_loss([]).verdict is Verdict.NOT_MEASURED
    assert paired_loss([]).loss is None
    one = paired_loss([0.1])
    assert (one.low, one.high, one.verdict) == (None, None, Verdict.INCONCLUSIVE)
    assert one.loss == pytest.approx(loss_of(0.1))


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.01, 0.05, Verdict.LOSS),
        (-0.05, -0.01, Verdict.GAIN),
        (-0.01, 0.01, Verdict.EQUIVALENT),
        (-0.01, 0.03, Verdict.INCONCLUSIVE),
        (-0.02, 0.02, Verdict.EQUIVALENT),
    ],
)
def test_the_verdict_looks_at_zero_first_and_then_at_the_margin(
    low: float, high: float, verdict: Verdict
) -> None:
    assert verdict_of(low, high, 0.02) is verdict


def test_inconclusive_says_after_how_many_blocks_a_look_would_decide() -> None:
    logs = [0.05, -0.02, 0.06]
    estimate = paired_loss(logs, margin=0.01)
    assert estimate.verdict is Verdict.INCONCLUSIVE
    assert estimate.blocks_more is not None
    expected = Evidence(sorted(logs)).expected(0.0)
    fewest = next(count for count in range(4, 10_000) if expected(count) >= math.log(20)) - 3
    assert estimate.blocks_more == math.ceil(FIRST_LOOK * fewest)


def test_a_loss_on_the_very_margin_asks_for_no_impossible_number_of_blocks() -> None:
    assert paired_loss([0.1, -0.1, 0.05, -0.05], margin=0.0).blocks_more is None


def test_identical_blocks_have_an_interval_of_no_width() -> None:
    estimate = paired_loss([0.1, 0.1, 0.1])
    assert estimate.low == estimate.loss == estimate.high


@of_campaigns(1000, 4000)
@pytest.mark.parametrize("blocks", [3, 5, 12])
@pytest.mark.parametrize("loss", [0.0, 0.03, 0.8])
def test_95_percent_intervals_hold_the_truth_in_95_percent_of_runs(
    blocks: int, loss: float, campaigns: int
) -> None:
    draw = random.Random(20261121)
    truth, held = -math.log1p(-loss), 0
    for _ in range(campaigns):
        estimate = paired_loss([draw.gauss(truth, 0.02) for _ in range(blocks)])
        assert estimate.low is not None
        assert estimate.high is not None
        held += estimate.low <= loss <= estimate.high
    assert held / campaigns == pytest.approx(0.95, abs=3 * error(0.95, campaigns))


def test_host_against_host_is_called_a_loss_or_gain_in_5_percent_of_runs() -> None:
    draw = random.Random(7)
    runs = 4000
    called = sum(
        paired_loss([draw.gauss(0, 0.02) for _ in range(3)], margin=0.02).verdict
        in {Verdict.LOSS, Verdict.GAIN}
        for _ in range(runs)
    )
    assert called / runs == pytest.approx(0.05, abs=3 * math.sqrt(0.05 * 0.95 / runs))


def test_the_difference_of_two_losses_holds_the_truth_in_95_percent_of_runs() -> None:
    draw = random.Random(11)
    runs, held = 3000, 0
    truth = loss_of(0.2) - loss_of(0.1)
    for _ in range(runs):
        found = loss_difference(
            paired_loss([draw.gauss(0.1, 0.01) for _ in range(5)]),
            paired_loss([draw.gauss(0.2, 0.03) for _ in range(8)]),
        )
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
    assert 0.94 <= held / runs <= 0.975


def test_a_difference_needs_blocks_on_both_sides() -> None:
    assert loss_difference(paired_loss([]), paired_loss([0.1])) is None
    alone = loss_difference(paired_loss([0.1]), paired_loss([0.2]))
    assert alone is not None
    assert (alone.low, alone.high) == (None, None)
    assert alone.value == pytest.approx(fmean([loss_of(0.2)]) - loss_of(0.1))
    same = loss_difference(paired_loss([0.1, 0.1]), paired_loss([0.2, 0.2]))
    assert same is not None
    assert (same.low, same.high, same.seen) == (None, None, False)  # their noise was not seen
    early = [paired_loss([d, d + 0.001, d + 0.002], looks=Looks.EVERY) for d in (0.1, 0.5)]
    found = loss_difference(*early)  # a sequence has no interval yet
    assert found is not None
    assert (found.low, found.high) == (None, None)


@pytest.mark.parametrize("count", [2, 5, 8])
def test_blocks_that_agree_to_the_last_digit_are_doubted(count: int) -> None:
    (doubt,) = paired_loss([math.log(1.1)] * count).doubts
    assert doubt.code == "no-scatter"
    assert worded(doubt).sentence.startswith(f"All {count} slowdowns are exactly the same")
    assert worded(doubt).next is not None
    assert "no-scatter" not in [d.code for d in paired_loss([0.1] * count + [0.1001]).doubts]
    assert paired_loss([0.1]).doubts == ()


def test_the_tail_loss_has_the_digits_that_its_interval_supports() -> None:
    slow = [0.02 + 0.0001 * (at % 5) for at in range(20)] + [0.06] * 5
    (doubt,) = paired_loss(slow).doubts
    assert doubt.code == "tail-loss"
    assert re.findall(r"\((-?[\d.]+) %\)", worded(doubt).sentence) == ["2.78", "2.01"]


@pytest.mark.parametrize("count", [1, 2, 4, 9, 250])
@pytest.mark.parametrize("looks", Looks)
def test_an_interval_alone_is_that_beside_which_the_mean_stands(count: int, looks: Looks) -> None:
    chance = random.Random(count)
    values = [chance.gauss(0.05, 0.02) for _ in range(count)]
    whole = paired_loss(values, looks=looks, floor=0.01)
    alone = paired_loss(values, looks=looks, floor=0.01, alone=True)
    assert alone.mean is alone.blocks_more is None
    doubts = tuple(doubt for doubt in whole.doubts if doubt.code != "tail-loss")
    assert replace(alone, mean=whole.mean, blocks_more=whole.blocks_more) == replace(whole, doubts=doubts)


def test_an_interval_of_ranks_takes_no_scipy() -> None:
    code = (
        "import sys\n"
        "from assay.stats import paired_loss\n"
        "paired_loss([at % 17 / 100 for at in range(300)], alone=True)\n"
        "sys.exit('scipy' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
