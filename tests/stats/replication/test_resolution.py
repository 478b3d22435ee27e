"""What a coarse clock hides: seen by values that come twice, and put into the interval."""

from __future__ import annotations

import math

import pytest

from assay.model.figures.estimate import Verdict
from assay.stats.mean import t_quantile
from assay.stats.replication.fleet import fleet_loss
from assay.stats.replication.resolution import Resolution, resolution_of
from assay.stats.replication.sessions import Asked, block_loss, session_loss


def test_values_that_never_come_twice_tell_of_no_tick() -> None:
    assert resolution_of([2.0, 2.1, 2.3], [2.2, 2.4, 2.5]) is None
    assert resolution_of([2.0, 2.0], [2.2, 2.4, 2.5]) is None


def test_arms_of_one_value_each_tell_of_no_tick_either() -> None:
    assert resolution_of([0.2, 0.2], [0.3, 0.3 * (1 + 1e-12)]) is None


def test_the_smallest_step_is_the_tick_by_hand() -> None:
    found = resolution_of([2.0, 2.0, 2.03, 2.04], [4.0, 4.01, 4.045])
    assert found is not None
    middles = [(2.0 * 2.0 * 2.03 * 2.04) ** (1 / 4), (4.0 * 4.01 * 4.045) ** (1 / 3)]
    scatter = 0.01 / math.sqrt(12) * math.sqrt(1 / middles[0] ** 2 + 1 / middles[1] ** 2)
    assert found == Resolution(pytest.approx(scatter), 0.0)
    assert found.fading(3, confidence=0.9) == pytest.approx(t_quantile(0.9, 2) * scatter / math.sqrt(3))


def test_no_number_of_blocks_takes_away_what_a_clock_has_shifted_but_what_it_has_scattered() -> None:
    values, seen = [0.04, 0.05, 0.06, 0.045, 0.055, 0.05, 0.052, 0.047, 0.05], Resolution(0.0, 0.08)
    days = [at // 3 for at in range(9)]
    plain, coarse = (session_loss(values, [0] * 9, Asked(resolution=one)).estimate for one in (None, seen))
    assert (plain.verdict, coarse.verdict) == (Verdict.LOSS, Verdict.INCONCLUSIVE)
    assert coarse.blocks_more is None
    over = session_loss(values, days, Asked(resolution=seen, together=True)).estimate
    assert over.method.startswith("over 3 sessions")
    assert over.verdict is Verdict.INCONCLUSIVE
    assert session_loss(values, days, Asked(together=True)).estimate.verdict is Verdict.LOSS
    fading = session_loss(values, [0] * 9, Asked(resolution=Resolution(0.1, 0.0))).estimate
    assert fading.verdict is Verdict.INCONCLUSIVE
    assert fading.blocks_more is not None
    machines = {str(at): [0.05 + at / 1000] for at in range(3)}
    assert fleet_loss(machines).verdict is Verdict.LOSS
    assert fleet_loss(machines, floor=seen.shift).verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize(("last", "shift"), [(2.01, True), (2.04, False)])
def test_an_arm_that_scatters_less_than_half_a_tick_may_be_shifted_as_a_whole(
    last: float, *, shift: bool
) -> None:
    # of ten values two lie apart: their standard deviation is 0.0042 or 0.0127, half a tick 0.005
    found = resolution_of([2.0] * 8 + [2.01, last], [4.0, 4.01, 4.05])
    assert found is not None
    assert (found.shift > 0) is shift
    assert not shift or found.shift == pytest.approx(0.005 / 2.002, rel=1e-3)


def test_three_runs_a_tick_apart_bring_no_verdict() -> None:
    """0.20 s twice and 0.21 s once against 0.21 s three times: what the clock cannot tell is no loss."""
    baseline, treatment = [0.20, 0.20, 0.21], [0.21, 0.21, 0.21]
    d = [math.log(b / a) for a, b in zip(baseline, treatment, strict=True)]
    seen = resolution_of(baseline, treatment)
    assert seen is not None
    found = block_loss(d, 1, Asked(margin=0.02, resolution=seen))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.low is not None
    assert found.low < block_loss(d, 1, Asked(margin=0.02)).low  # type: ignore[operator]


def test_a_clock_that_is_coarse_on_one_arm_alone_hides_what_it_is_shifted_by() -> None:
    """Host 0.20 s ten times over, guest 0.203 s by a fine clock: the tick alone is 2.5 %."""
    fine = [0.203 + 0.0001 * number for number in range(10)]
    for arms in (([0.2] * 10, fine), (fine, [0.2] * 10)):
        seen = resolution_of(*arms)
        assert seen is not None
        assert seen.hidden
    logs = [math.log(value / 0.2) for value in fine]
    found = session_loss(logs, [0] * 10, Asked(resolution=resolution_of([0.2] * 10, fine)))
    assert found.estimate.verdict is Verdict.INCONCLUSIVE
    assert found.estimate.blocks_more is None
    assert [doubt.code for doubt in found.estimate.doubts] == ["no-scatter"]


def test_few_equal_values_or_two_constant_arms_hide_nothing() -> None:
    assert resolution_of([0.2, 0.2], [0.201, 0.203]) is None
    assert resolution_of([0.2] * 5, [0.3] * 5) is None
