"""What must hold of paired statistics whatever the blocks are."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.model.figures.estimate import Estimate, Verdict
from assay.model.figures.measured import ValueKind
from assay.model.metric import Direction
from assay.stats import log_slowdown, loss_difference, loss_of, paired_loss
from assay.stats.centre import mean_of, spread_of
from assay.stats.fieller import ratio_of_totals
from assay.stats.mean import student
from assay.stats.rank import hodges_lehmann
from assay.stats.replication.components import Floor, components
from assay.stats.replication.order import order_effect
from assay.stats.verdicts.sequence import confidence_sequence
from assay.stats.verdicts.verdict import verdict_of
from tests.measured_runs import MeasuredRun, pair_runs

quick = settings(derandomize=True, deadline=None, max_examples=40, database=None)

LOGS = st.floats(-0.5, 0.5).map(lambda value: round(value, 6))
BLOCKS = st.lists(LOGS, min_size=2, max_size=12)
VALUES = st.floats(1e-3, 1e6)
CONFIDENCES = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])
MARGINS = st.floats(0.0, 0.2)
SMALL = 1e-12


def ends(found: Estimate) -> tuple[float, float]:
    return (-math.inf if found.low is None else found.low, math.inf if found.high is None else found.high)


@quick
@given(st.lists(VALUES, min_size=1, max_size=4), VALUES, st.sampled_from(list(Direction)))
def test_a_time_that_is_a_rate_turned_over_has_the_same_slowdown(
    baseline: list[float], treatment: float, direction: Direction
) -> None:
    other = Direction.HIGHER if direction is Direction.LOWER else Direction.LOWER
    one = log_slowdown(baseline, treatment, direction)
    assert log_slowdown(baseline, treatment, other) == -one
    turned = log_slowdown([1 / value for value in baseline], 1 / treatment, other)
    assert turned == pytest.approx(one, abs=SMALL)


@quick
@given(VALUES, VALUES, st.floats(1e-6, 1e6), st.sampled_from(list(Direction)))
def test_exchanged_arms_change_the_sign_and_other_units_nothing(
    baseline: float, treatment: float, unit: float, direction: Direction
) -> None:
    d = log_slowdown([baseline], treatment, direction)
    assert log_slowdown([treatment], baseline, direction) == -d
    assert log_slowdown([unit * baseline], unit * treatment, direction) == pytest.approx(d, abs=1e-9)
    # the exchanged loss is -loss / (1 - loss): both slowdowns multiply to 1
    assert (1 - loss_of(d)) * (1 - loss_of(-d)) == pytest.approx(1.0)


@quick
@given(BLOCKS, st.randoms(use_true_random=False), MARGINS, st.floats(0.0, 0.05))
def test_the_order_of_blocks_changes_no_bit(
    d: list[float], random: object, margin: float, floor: float
) -> None:
    shuffled = list(d)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one, other = (paired_loss(of, margin=margin, floor=floor) for of in (d, shuffled))
    assert one == other
    assert spread_of(shuffled) == spread_of(d)


@quick
@given(BLOCKS, CONFIDENCES, MARGINS)
def test_exchanged_arms_turn_the_estimate_round(d: list[float], confidence: float, margin: float) -> None:
    one, other = (
        paired_loss(of, confidence=confidence, margin=margin) for of in (d, [-value for value in d])
    )
    assert one.slowdown is not None
    assert other.slowdown == pytest.approx(1 / one.slowdown)
    (low, high), (other_low, other_high) = ends(one), ends(other)
    if math.isfinite(high - low):
        assert (1 - other_low) * (1 - high) == pytest.approx(1.0)
        assert (1 - other_high) * (1 - low) == pytest.approx(1.0)
    turned = {Verdict.LOSS: Verdict.GAIN, Verdict.GAIN: Verdict.LOSS}
    if one.verdict in turned:
        assert other.verdict is turned[one.verdict]
    else:
        assert other.verdict not in turned


@quick
@given(BLOCKS, st.floats(-0.3, 0.3), CONFIDENCES)
def test_a_slowdown_common_to_all_blocks_shifts_every_centre(
    d: list[float], shift: float, confidence: float
) -> None:
    moved = [value + shift for value in d]
    for interval in (student, hodges_lehmann):
        one, other = interval(d, confidence), interval(moved, confidence)
        assert other.value == pytest.approx(one.value + shift, abs=SMALL)
        assert (other.low, other.high) == pytest.approx((one.low + shift, one.high + shift), abs=1e-11)
    assert spread_of(moved) == pytest.approx(spread_of(d), abs=1e-11)


@quick
@given(BLOCKS, st.sampled_from([0.125, 0.5, 2.0, 1024.0]), CONFIDENCES)
def test_a_scaled_log_scales_every_centre_exactly(d: list[float], scale: float, confidence: float) -> None:
    scaled = [scale * value for value in d]
    for interval in (student, hodges_lehmann):
        one, other = interval(d, confidence), interval(scaled, confidence)
        assert (other.value, other.low, other.high) == pytest.approx(
            (scale * one.value, scale * one.low, scale * one.high), rel=SMALL, abs=SMALL
        )


@quick
@given(BLOCKS)
def test_a_higher_confidence_never_narrows_an_interval(d: list[float]) -> None:
    levels = (0.5, 0.8, 0.9, 0.95, 0.99, 0.999)
    for interval in (student, hodges_lehmann):
        found = [interval(d, confidence) for confidence in levels]
        assert all(a.low >= b.low and a.high <= b.high for a, b in pairwise(found))
        assert all(one.low <= one.value <= one.high for one in found)
        assert len({one.value for one in found}) == 1
    looks = [confidence_sequence(d, confidence) for confidence in levels[2:]]
    assert all(a[0] >= b[0] and a[1] <= b[1] for a, b in pairwise(looks))


@quick
@given(BLOCKS)
def test_centres_lie_within_the_blocks_and_the_mean_is_rounded_once(d: list[float]) -> None:
    assert min(d) <= hodges_lehmann(d).value <= max(d)
    assert min(d) - SMALL <= mean_of(d) <= max(d) + SMALL
    found = hodges_lehmann(d, 0.8)
    assert not found.finite or min(d) <= found.low <= found.high <= max(d)


@quick
@given(BLOCKS, st.floats(0.0, 0.1), st.floats(0.0, 0.1), MARGINS)
def test_a_larger_floor_never_narrows_nor_finds_more(
    d: list[float], floor: float, more: float, margin: float
) -> None:
    one, other = (paired_loss(d, margin=margin, floor=by) for by in (floor, math.hypot(floor, more)))
    assert ends(other)[0] <= ends(one)[0] + SMALL
    assert ends(other)[1] >= ends(one)[1] - SMALL
    assert one.loss == other.loss
    settled = (Verdict.LOSS, Verdict.GAIN)
    assert other.verdict not in settled or one.verdict is other.verdict


@quick
@given(st.floats(-0.3, 0.3), st.floats(0.0, 0.3), MARGINS, MARGINS)
def test_a_larger_margin_never_takes_a_verdict_back(
    low: float, wide: float, margin: float, more: float
) -> None:
    one, other = verdict_of(low, low + wide, margin), verdict_of(low, low + wide, margin + more)
    assert one is other or (one, other) == (Verdict.INCONCLUSIVE, Verdict.EQUIVALENT)


@quick
@given(st.lists(st.tuples(LOGS, st.integers(0, 3)), min_size=3, max_size=14), st.floats(-1, 1))
def test_components_know_neither_names_nor_order_nor_a_common_slowdown(
    held: list[tuple[float, int]], shift: float
) -> None:
    values, sessions = zip(*held, strict=True)
    one = components(values, sessions)
    assert components(values[::-1], sessions[::-1]) == one
    assert components(values, [f"day {s}" for s in sessions]) == one
    moved = components([value + shift for value in values], sessions)
    for name in ("session", "block"):
        found = getattr(one, name)
        assert getattr(moved, name) == (None if found is None else pytest.approx(found, abs=1e-6))
    assert one.chance is None or 0 <= one.chance <= 1


@quick
@given(st.floats(1e-6, 0.1), st.integers(2, 50), CONFIDENCES)
def test_a_floor_narrows_with_sessions_and_freedom_and_widens_with_confidence(
    sigma: float, sessions: int, confidence: float
) -> None:
    found = Floor(sigma).half(sessions, confidence=confidence)
    assert Floor(sigma).half(sessions + 1, confidence=confidence) < found
    assert Floor(sigma).half(sessions, confidence=(1 + confidence) / 2) > found
    assert Floor(2 * sigma).half(sessions, confidence=confidence) == pytest.approx(2 * found)
    few, more = (Floor(sigma, freedom).half(sessions, confidence=confidence) for freedom in (3, 30))
    assert few > more > found


@quick
@given(
    st.lists(st.tuples(st.floats(50, 150), st.floats(50, 150)), min_size=2, max_size=8), st.floats(1e-3, 1e3)
)
def test_a_ratio_of_totals_is_that_of_any_unit_and_turned_over_that_of_its_arms(
    held: list[tuple[float, float]], unit: float
) -> None:
    over, under = ([pair[at] for pair in held] for at in (0, 1))
    one = ratio_of_totals(over, under)
    scaled = ratio_of_totals([unit * v for v in over], [unit * v for v in under])
    assert (scaled.value, scaled.low, scaled.high) == pytest.approx((one.value, one.low, one.high), rel=1e-6)
    assert one.value == pytest.approx(sum(over) / sum(under))
    turned = ratio_of_totals(under, over)
    if (
        one.finite and turned.finite and one.low > 0
    ):  # Fieller's set of the turned ratio is the set turned over
        assert (turned.low, turned.high) == pytest.approx((1 / one.high, 1 / one.low), rel=1e-6)


@quick
@given(BLOCKS, BLOCKS, st.sampled_from([0.8, 0.9, 0.95]))
def test_differences_turn_round_with_their_sides(a: list[float], b: list[float], confidence: float) -> None:
    one, other = order_effect(a, b, confidence), order_effect(b, a, confidence)
    assert one is not None
    assert other is not None
    assert (other.value, other.low, other.high) == pytest.approx((-one.value, -one.high, -one.low), abs=SMALL)
    losses = [paired_loss(d, confidence=confidence) for d in (a, b)]
    there, back = loss_difference(*losses), loss_difference(*losses[::-1])
    assert there is not None
    assert back is not None
    assert there.value == pytest.approx(-back.value, abs=SMALL)
    if there.low is None:
        assert back.high is None
        return
    assert there.low == pytest.approx(-(back.high or 0.0), abs=SMALL)


@quick
@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.sampled_from(["host", "guest", "other"]), VALUES),
        min_size=1,
        max_size=20,
    ),
    st.sampled_from(list(ValueKind)),
)
def test_pairs_of_runs_know_no_order_and_change_sign_with_the_arms(
    held: list[tuple[int, str, float]], kind: ValueKind
) -> None:
    runs = [MeasuredRun(str(block), arm, value) for block, arm, value in held]
    one = pair_runs(runs, baseline="host", treatment="guest", kind=kind)
    assert pair_runs(runs[::-1], baseline="host", treatment="guest", kind=kind) == one
    back = pair_runs(runs, baseline="guest", treatment="host", kind=kind)
    assert [block.d for block in back.blocks] == [-block.d for block in one.blocks]
    assert (back.baseline, back.treatment, back.incomplete) == (one.treatment, one.baseline, one.incomplete)
    either = {block for block, arm, _ in held if arm != "other"}
    assert len(one.blocks) + one.incomplete == len(either)
