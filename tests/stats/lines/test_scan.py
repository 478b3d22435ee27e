"""Fixed cost and slope: known answers, invariances, and what is refused."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from assay.model.figures.scan import Part, Point
from assay.stats.lines.scan import events_within, scan


def points(
    time: Callable[[int], float], sizes: Sequence[int], *, blocks: int = 6, seed: int | None = None
) -> list[Point]:
    draw = random.Random(seed)
    noise = 0.0 if seed is None else 0.012
    return [Point(b, n, time(n) * math.exp(noise * draw.gauss(0, 1))) for b in range(blocks) for n in sizes]


def published(events: int) -> float:
    return 120 + 0.85 * events


def slower(events: int) -> float:
    return 240 + 0.9 * events


def parts(part: Part) -> list[float | None]:
    values = [part.baseline, part.treatment]
    ends = [end for value in values for end in (value.value, value.low, value.high)]
    return [*ends, part.loss, part.loss_low, part.loss_high]


@pytest.mark.parametrize("sizes", [(1, 1000), (10, 200, 600, 4000)])
def test_a_line_without_noise_is_recovered_exactly(sizes: tuple[int, ...]) -> None:
    found = scan(points(published, sizes), points(slower, sizes), margin=0.01)
    assert found.fixed_cost_s is not None
    assert found.per_event_s is not None
    assert parts(found.fixed_cost_s) == pytest.approx([120] * 3 + [240] * 3 + [0.5] * 3, abs=1e-9)
    lost = 1 - 0.85 / 0.9
    assert parts(found.per_event_s) == pytest.approx([0.85] * 3 + [0.9] * 3 + [lost] * 3, abs=1e-9)
    assert found.asymptote == pytest.approx(lost, abs=1e-9)
    assert found.doubts == ()
    for events, loss in found.curve:
        truth = 1 - published(events) / slower(events)
        assert [loss.loss, loss.low, loss.high] == pytest.approx([truth] * 3, abs=1e-9)
    assert (found.curve[0][0], found.curve[-1][0]) == (1, 4 * sizes[-1])


def test_the_total_is_within_the_margin_from_the_smallest_such_number_of_events() -> None:
    sizes = (1, 1000)
    found = scan(points(published, sizes), points(slower, sizes), margin=0.01)
    first = found.events_within_margin
    assert first is not None

    def distance(events: int) -> float:
        return abs(1 - published(events) / slower(events) - (1 - 0.85 / 0.9))

    assert distance(first) <= 0.01 < distance(first - 1)


def test_arms_in_proportion_are_within_any_margin_from_the_start() -> None:
    sizes = (1, 1000)
    found = scan(points(published, sizes), points(lambda n: 1.03 * published(n), sizes))
    assert found.events_within_margin == 0


def test_no_number_of_events_is_enough_for_no_margin_or_without_a_slope() -> None:
    sizes = (1, 1000)
    found = scan(points(published, sizes), points(slower, sizes))
    assert found.events_within_margin is None
    assert found.fixed_cost_s is not None
    assert found.per_event_s is not None
    still = replace(found.per_event_s, baseline=replace(found.per_event_s.baseline, value=0.0))
    assert events_within(found.fixed_cost_s, still, 0.01) is None


def test_one_event_number_gives_no_line_and_a_doubt() -> None:
    found = scan(points(published, [100]), points(slower, [100]))
    assert (found.fixed_cost_s, found.per_event_s, found.events_within_margin) == (None, None, None)
    assert [doubt.code for doubt in found.doubts] == ["one-event-number"]
    assert found.sizes[0].loss.loss == pytest.approx(1 - published(100) / slower(100))


def test_one_block_gives_values_without_intervals() -> None:
    sizes = (1, 1000)
    found = scan(points(published, sizes, blocks=1), points(slower, sizes, blocks=1))
    assert found.fixed_cost_s is not None
    values = [120, None, None, 240, None, None, 0.5, None, None]
    assert [x if x is None else round(x, 9) for x in parts(found.fixed_cost_s)] == values
    assert [doubt.code for doubt in found.doubts] == ["too-few-blocks"]
    assert all(loss.low is None and loss.loss is not None for _, loss in found.curve)


def test_a_fixed_cost_below_zero_has_no_loss_and_a_doubt() -> None:
    sizes = (100, 1000)
    found = scan(points(published, sizes), points(lambda n: n - 50.0, sizes))
    assert found.fixed_cost_s is not None
    assert found.fixed_cost_s.loss is None
    assert found.fixed_cost_s.treatment.value == pytest.approx(-50)
    assert "fixed-cost-not-above-zero" in [doubt.code for doubt in found.doubts]


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_a_time_that_is_no_measurement_is_refused(bad: float) -> None:
    good = points(published, (1, 1000))
    with pytest.raises(ValueError, match="above zero"):
        scan(good, [*good, Point(0, 5, bad)])


def test_an_arm_without_times_is_refused() -> None:
    with pytest.raises(ValueError, match="both arms"):
        scan(points(published, (1, 1000)), [])


def test_a_time_without_a_partner_in_its_block_is_left_out_with_a_doubt() -> None:
    sizes = (1, 1000)
    more = [*points(published, sizes), Point(0, 500, 9999.0)]
    found, without = scan(more, points(slower, sizes)), scan(points(published, sizes), points(slower, sizes))
    assert replace(found, doubts=()) == without
    assert [doubt.code for doubt in found.doubts] == ["unpaired-times"]


def test_the_order_of_rows_and_blocks_does_not_matter() -> None:
    sizes = (1, 300, 1000)
    arms = points(published, sizes, seed=3), points(slower, sizes, seed=4)
    mixed = [random.Random(5).sample(arm, len(arm)) for arm in arms]
    assert scan(*mixed) == scan(*arms)
    turned = [[replace(point, block=5 - point.block) for point in arm] for arm in arms]
    found, other = scan(*arms).fixed_cost_s, scan(*turned).fixed_cost_s
    assert found is not None
    assert other is not None
    assert parts(other) == pytest.approx(parts(found), rel=1e-10)


def test_swapping_the_arms_flips_the_log_ratios() -> None:
    sizes = (1, 300, 1000)
    arms = points(published, sizes, seed=3), points(slower, sizes, seed=4)
    one, other = scan(*arms), scan(*reversed(arms))
    for part, swapped in ((one.fixed_cost_s, other.fixed_cost_s), (one.per_event_s, other.per_event_s)):
        assert part is not None
        assert swapped is not None
        assert part.baseline == swapped.treatment
        logs = [math.log1p(-x) for x in (part.loss, part.loss_low, part.loss_high) if x is not None]
        turned = [
            math.log1p(-x) for x in (swapped.loss, swapped.loss_high, swapped.loss_low) if x is not None
        ]
        assert logs == pytest.approx([-d for d in turned], abs=1e-14)


def test_units_of_time_do_not_change_a_loss() -> None:
    sizes = (1, 300, 1000)
    arms = points(published, sizes, seed=3), points(slower, sizes, seed=4)
    scaled = [[replace(point, value_s=point.value_s * 1e3) for point in arm] for arm in arms]
    one, other = scan(*arms, margin=0.01), scan(*scaled, margin=0.01)
    assert one.fixed_cost_s is not None
    assert other.fixed_cost_s is not None
    assert parts(other.fixed_cost_s)[-3:] == pytest.approx(parts(one.fixed_cost_s)[-3:], rel=1e-10)
    assert other.fixed_cost_s.baseline.value == pytest.approx(1e3 * one.fixed_cost_s.baseline.value)
    assert other.events_within_margin == one.events_within_margin


def test_times_that_lie_too_far_apart_for_a_line_are_said_to() -> None:
    arm = [Point(b, n, 1e-140 if n == 1 else 1e140) for b in range(3) for n in (1, 10**9)]
    found = scan(arm, arm)
    assert found.fixed_cost_s is None
    assert [doubt.code for doubt in found.doubts] == ["no-line"]
