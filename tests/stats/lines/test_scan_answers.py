"""Every figure and sentence of a scan, against hand-worked lines and the jackknife spelled out."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from assay.model.figures.scan import Kink, Linearity, Loss, Part, Point, Scan, Size, Value
from assay.model.trial import Arm
from assay.report.doubts import worded
from assay.stats.jackknife import half_width
from assay.stats.lines.line import Lines
from assay.stats.lines.scan import _of_line, events_within, scan
from assay.stats.lines.scan_doubts import part_doubts
from assay.stats.lines.totals import BEYOND, CURVE_POINTS, measured_sizes, total_curve
from assay.stats.replication.pairing import Pairing, pair
from assay.stats.replication.quotient import Intervals


def host(events: float) -> float:
    return 120 + 0.85 * events


def guest(events: float) -> float:
    return 240 + 0.9 * events


def points(
    time: Callable[[float], float], sizes: tuple[int, ...], *, blocks: int = 4, seed: int | None = None
) -> list[Point]:
    draw = np.random.default_rng(seed)
    noise = 0.0 if seed is None else 0.02
    return [Point(b, n, time(n) * math.exp(noise * draw.normal())) for b in range(blocks) for n in sizes]


def part(a0: float, a: float) -> Part:
    return Part(Value(a0, None, None), Value(a, None, None), None, None, None)


@pytest.mark.parametrize(
    ("fixed", "slope", "margin", "events"),
    [
        # (|b0 a - b a0| / (b margin) - a) / b: |3 - 2| = 1; (1 / (2 * 0.125) - 3) / 2 = 0.5
        ((1.0, 3.0), (1.0, 2.0), 0.125, 1),
        ((1.0, 3.0), (1.0, 2.0), 1 / 14, 2),  # (7 - 3) / 2, exactly
        ((1.0, 3.0), (1.0, 2.0), 0.0715, 2),  # 1.997
        ((1.0, 3.0), (1.0, 2.0), 0.0714, 3),  # 2.001
        ((1.0, 3.0), (1.0, 2.0), 1 / 6, 0),
        ((1.0, 3.0), (1.0, 2.0), 0.9, 0),
        ((3.0, 1.0), (2.0, 1.0), 0.5, 1),  # |2 - 3| / 0.5 - 1
        ((1.0, 3.0), (1.0, 2.0), 0.0, None),
        ((1.0, 2.0), (1.0, 2.0), 0.0, 0),
        ((1.0, 2.0 * (1 + 1e-13)), (1.0, 2.0), 0.0, 0),
        ((1.0, 2.0 * (1 + 1e-11)), (1.0, 2.0), 0.0, None),
        ((1.0, 3.0), (0.0, 2.0), 0.1, None),
        ((1.0, 3.0), (1.0, 0.0), 0.1, None),
        ((1.0, 3.0), (-1.0, 2.0), 0.1, None),
        ((0.0, 0.0), (1.0, 2.0), 0.0, 0),
    ],
)
def test_the_events_from_which_the_total_is_within_the_margin(
    fixed: tuple[float, float], slope: tuple[float, float], margin: float, events: int | None
) -> None:
    assert events_within(part(*fixed), part(*slope), margin) == events


def leave_one_out(arm: list[Point], sizes: tuple[int, ...], which: int) -> np.ndarray:
    """Return a coefficient of the weighted line: of all blocks, then without each."""
    mean = {n: np.mean([p.value_s for p in arm if p.events == n]) for n in sizes}
    found = []
    for block in (None, *sorted({p.block for p in arm})):
        kept = [p for p in arm if p.block != block]
        rows = np.array([[1 / mean[p.events], p.events / mean[p.events]] for p in kept])
        found.append(np.linalg.lstsq(rows, [p.value_s / mean[p.events] for p in kept], rcond=None)[0][which])
    return np.array(found)


def test_costs_and_losses_have_the_jackknife_s_intervals() -> None:
    sizes = (1, 300, 1000)
    arms = points(host, sizes, seed=3), points(guest, sizes, seed=4)
    found = scan(*arms, confidence=0.9, margin=0.01)
    t = stats.t.ppf(0.95, 3)
    for which, one in enumerate((found.fixed_cost_s, found.per_event_s)):
        assert one is not None
        both = [leave_one_out(arm, sizes, which) for arm in arms]
        for value, of in zip((one.baseline, one.treatment), both, strict=True):
            half = t * math.sqrt(3 / 4 * ((of[1:] - of[1:].mean()) ** 2).sum())
            assert (value.value, value.low, value.high) == pytest.approx(
                (of[0], of[0] - half, of[0] + half), rel=1e-7
            )
        logs = np.log(both[1] / both[0])
        half = t * math.sqrt(3 / 4 * ((logs[1:] - logs[1:].mean()) ** 2).sum())
        losses = [1 - math.exp(-d) for d in (logs[0], logs[0] - half, logs[0] + half)]
        assert (one.loss, one.loss_low, one.loss_high) == pytest.approx(losses, rel=1e-6)
    assert found.per_event_s is not None
    assert found.asymptote == found.per_event_s.loss
    assert (found.blocks, found.confidence, found.margin) == (4, 0.9, 0.01)
    assert [(check.arm, check.sizes) for check in found.linearity] == [(arm, 3) for arm in Arm]
    assert found.events_within_margin is not None
    squares = sum(
        float(
            (p.value_s / (leave_one_out(arm, sizes, 0)[0] + leave_one_out(arm, sizes, 1)[0] * p.events) - 1)
            ** 2
        )
        for arm in arms
        for p in arm
    )
    assert found.noise == pytest.approx(math.sqrt(squares / (24 - 4)), rel=1e-7)


def test_the_noise_of_as_many_times_as_costs_is_not_known() -> None:
    sizes = (1, 1000)
    assert scan(points(host, sizes, blocks=1), points(guest, sizes, blocks=1)).noise is None
    two = scan(points(host, sizes, blocks=2, seed=1), points(guest, sizes, blocks=2, seed=2)).noise
    assert two is not None
    assert 0 < two < 0.1


def test_a_kink_takes_four_degrees_of_freedom_from_the_noise() -> None:
    sizes = (10, 100, 400, 700, 1000)

    def bent(events: float) -> float:
        return 50 + 0.8 * events + 0.4 * max(events - 400, 0)

    arms = points(bent, sizes, seed=7), points(guest, sizes, seed=8)
    found = scan(*arms, margin=0.01)
    kink = found.linearity[0].kink
    assert kink is not None
    assert found.linearity[1].kink is None
    assert found.events_within_margin is None
    assert [doubt.code for doubt in found.doubts] == ["kink"]
    assert worded(found.doubts[0]).sentence.startswith("The line of the baseline has a kink near ")
    squares = 0.0
    for arm, place in zip(arms, (kink.events, None), strict=True):
        mean = {n: np.mean([p.value_s for p in arm if p.events == n]) for n in sizes}
        rows = np.array(
            [
                [1.0, p.events] if place is None else [1.0, min(p.events, place), max(p.events - place, 0)]
                for p in arm
            ]
        )
        weights = np.array([1 / mean[p.events] for p in arm])
        times = np.array([p.value_s for p in arm])
        fit = np.linalg.lstsq(rows * weights[:, None], times * weights, rcond=None)[0]
        squares += float(((times / (rows @ fit) - 1) ** 2).sum())
        if place is not None:
            assert found.fixed_cost_s is not None
            assert found.per_event_s is not None
            assert found.fixed_cost_s.baseline.value == pytest.approx(fit[0], rel=1e-7)
            assert found.per_event_s.baseline.value == pytest.approx(fit[2], rel=1e-7)
            assert (kink.slope_before, kink.slope_after) == pytest.approx((fit[1], fit[2]), rel=1e-7)
            assert kink.seconds == pytest.approx(fit[0] + fit[1] * place, rel=1e-7)
    assert found.noise == pytest.approx(math.sqrt(squares / (20 - 4 + 20 - 2)), rel=1e-7)


def test_a_kink_takes_the_figures_of_the_line_that_the_costs_come_from() -> None:
    line = Lines(np.array([1.0, 9.0]), np.array([3.0, 9.0]), 10.0, np.array([2.0, 9.0]))
    found = Linearity(Arm.BASELINE, 5, straight=False, chance=0.01, kink=Kink(10.0, 5, 20, 7.0, 7.0, 7.0))
    assert _of_line(found, line).kink == Kink(10.0, 5, 20, 21.0, 2.0, 3.0)
    assert _of_line(replace(found, kink=None), line).kink is None
    assert _of_line(found, replace(line, kink=None)) is found


def test_the_curve_runs_over_sixty_places_to_four_times_the_largest_number() -> None:
    lines = [
        Lines(np.array([a] * 3), np.array([b] * 3), None, np.array([b] * 3))
        for a, b in ((1.0, 1.0), (3.0, 2.0))
    ]
    found = dict(total_curve(lines, 1000.0, Intervals(1, 0.95)))
    assert (CURVE_POINTS, BEYOND) == (60, 4)
    places = sorted({round(4000 ** (at / 59)) for at in range(60)})
    assert list(found) == places
    assert found[1] == Loss(*[pytest.approx(1 - 2 / 5)] * 3)
    assert found[4000].loss == pytest.approx(1 - 4001 / 8003)
    assert list(dict(total_curve(lines, 0.0, Intervals(1, 0.95)))) == [1, 2, 3, 4]


def test_measured_sizes_are_means_with_the_loss_of_the_means() -> None:
    baseline = {(0, 10): 1.0, (1, 10): 3.0, (2, 10): 2.0, (0, 20): 5.0, (3, 30): 7.0}
    treatment = {(0, 10): 2.0, (1, 10): 5.0, (2, 10): 5.0, (0, 20): 10.0, (3, 40): 7.0}
    ten, twenty = measured_sizes(Pairing(baseline, treatment, ()), 0.95)
    logs = np.log(np.array([4 / 2, 5 / 2.5, 3.5 / 1.5, 3.5 / 2]))
    half = half_width(logs, 2, confidence=0.95)
    assert half is not None
    losses = [1 - math.exp(-d) for d in (logs[0], logs[0] - half, logs[0] + half)]
    assert (ten.events, ten.blocks, ten.baseline_s, ten.treatment_s) == (10, 3, 2.0, 4.0)
    assert (ten.loss.loss, ten.loss.low, ten.loss.high) == pytest.approx(losses)
    assert twenty == Size(20, 1, 5.0, 10.0, Loss(pytest.approx(0.5), None, None))


def test_sizes_of_arms_in_different_blocks_have_no_interval_where_an_arm_has_one() -> None:
    (found,) = measured_sizes(Pairing({(0, 10): 1.0}, {(1, 10): 2.0, (2, 10): 4.0}, ()), 0.95)
    assert (found.blocks, found.baseline_s, found.treatment_s) == (3, 1.0, 3.0)
    assert found.loss == Loss(pytest.approx(2 / 3), None, None)


@pytest.mark.parametrize(
    ("baseline", "treatment", "loss"),
    [
        ([2.0, 2.0, 2.0], [4.0, 4.0, 4.0], Loss(0.5, 0.5, 0.5)),
        ([2.0, 2.0], [4.0, 4.0], Loss(0.5, None, None)),
        ([2.0, 0.0, 2.0], [4.0, 4.0, 4.0], Loss(0.5, None, None)),
        ([0.0, 2.0, 2.0], [4.0, 4.0, 4.0], Loss(None, None, None)),
        ([2.0, 2.0, 2.0], [-1.0, 4.0, 4.0], Loss(None, None, None)),
    ],
)
def test_a_loss_needs_quantities_above_zero(
    baseline: list[float], treatment: list[float], loss: Loss
) -> None:
    assert Intervals(1, 0.95).loss(np.array(baseline), np.array(treatment)) == loss


def test_values_and_losses_of_a_part_by_hand() -> None:
    intervals = Intervals(1, 0.95)
    found = intervals.part(np.array([1.0, 2.0, 4.0]), np.array([2.0, 4.0, 8.0]))
    half = 12.706205 * math.sqrt(1 / 2 * 2)
    assert (found.baseline.value, found.baseline.low, found.baseline.high) == pytest.approx(
        (1, 1 - half, 1 + half)
    )
    assert (found.treatment.low, found.treatment.high) == pytest.approx((2 - 2 * half, 2 + 2 * half))
    assert (found.loss, found.loss_low, found.loss_high) == pytest.approx((0.5, 0.5, 0.5))
    assert intervals.value(np.array([1.0, 2.0])) == Value(1.0, None, None)


@pytest.mark.parametrize(
    ("held", "freedom"),
    [
        ([(0, 1), (0, 2), (1, 1), (1, 2), (2, 1), (2, 2)], 2),
        ([(0, 1), (0, 2), (1, 1), (1, 2), (2, 1)], 1),
        ([(0, 1), (1, 2)], 0),
        ([(0, 1), (0, 2)], 0),
    ],
)
def test_the_freedom_of_blocks_of_several_event_numbers_and_of_one(
    held: list[tuple[int, int]], freedom: int
) -> None:
    times = dict.fromkeys(held, 1.0)
    assert Pairing(times, times, ()).freedom == freedom
    assert Pairing(times, times, ()).arms == (times, times)
    assert list(Pairing(times, {(9, 1): 1.0}, ()).blocks.items())[-1] == (9, len({b for b, _ in held}))


def test_pairing_keeps_what_both_arms_hold_by_the_mean_and_says_what_it_leaves() -> None:
    baseline = [Point(1, 20, 4.0), Point(0, 10, 1.0), Point(0, 10, 3.0), Point(0, 30, 9.0)]
    found = pair(baseline, [Point(0, 10, 5.0), Point(1, 20, 6.0), Point(2, 10, 8.0)])
    assert list(found.baseline.items()) == [((0, 10), 2.0), ((1, 20), 4.0)]
    assert list(found.treatment.items()) == [((0, 10), 5.0), ((1, 20), 6.0)]
    assert [(doubt.code, worded(doubt).sentence) for doubt in found.doubts] == [
        (
            "unpaired-times",
            "Times without a partner on the other arm in their block do not count; there were 2.",
        )
    ]
    apart = pair([Point(0, 10, 1.0)], [Point(1, 10, 2.0)])
    assert (apart.baseline, apart.treatment) == ({(0, 10): 1.0}, {(1, 10): 2.0})
    assert [(doubt.code, worded(doubt).sentence) for doubt in apart.doubts] == [
        ("arms-not-paired", "No block holds both arms: the intervals are those of unpaired arms.")
    ]
    assert pair([Point(0, 10, 1.0)], [Point(0, 10, 1.0)]).doubts == ()


@pytest.mark.parametrize(
    "bad", [Point(0, 1, 0.0), Point(0, -1, 1.0), Point(0, 1, math.nan), Point(0, 1, math.inf)]
)
def test_a_point_that_is_no_measurement_is_named(bad: Point) -> None:
    with pytest.raises(
        ValueError, match=r"^a scan needs finite times above zero and events of at least 0, got Point"
    ):
        pair([Point(0, 0, 1e-9)], [bad])
    with pytest.raises(ValueError, match=r"^a scan needs times of both arms, got none of one$"):
        pair([], [Point(0, 0, 1.0)])


def sentences(found: Scan) -> list[tuple[str, str]]:
    return [(doubt.code, worded(doubt).sentence) for doubt in found.doubts]


def test_what_is_missing_for_a_line_is_said_in_full() -> None:
    one = scan(points(host, (10,)), points(guest, (10,)), margin=0.02)
    assert sentences(one) == [
        (
            "one-event-number",
            (
                "The times were measured at 10 events alone: fixed cost and slope need two event "
                "numbers on both arms."
            ),
        )
    ]
    assert (one.curve, one.linearity, one.noise, one.asymptote, one.per_event_s) == ((), (), None, None, None)
    assert (one.blocks, one.confidence, one.margin, len(one.sizes)) == (4, 0.95, 0.02, 1)
    apart = scan([Point(0, 10, 1.0), Point(0, 20, 2.0)], [Point(1, 10, 1.0)])
    assert sentences(apart)[0][0] == "arms-not-paired"
    several = scan([Point(0, 10, 1.0), Point(0, 20, 2.0)], [Point(1, 30, 1.0)])
    assert sentences(several)[1] == (
        "one-event-number",
        (
            "The times were measured at too few event numbers: fixed cost and slope need two event "
            "numbers on both arms."
        ),
    )
    far = scan(*[[Point(b, n, 1e-140 if n == 1 else 1e140) for b in range(3) for n in (1, 10**9)]] * 2)
    assert sentences(far) == [
        ("no-line", "The times lie too far apart for a line: fixed cost and slope are not known.")
    ]


def test_what_is_not_known_of_the_costs_is_said_in_full() -> None:
    known = Part(Value(1, 0, 2), Value(2, 1, 3), 0.5, 0.4, 0.6)
    no_interval = Part(Value(1, 0, 2), Value(2, 1, 3), 0.5, None, None)
    none = Part(Value(1, 0, 2), Value(-2, 1, 3), None, None, None)
    few = (
        "too-few-blocks",
        "Fixed cost and slope have no intervals: too few blocks hold event numbers enough.",
    )
    reported = "of an arm is not above zero, or not known to be: its loss says nothing."
    fixed = "fixed-cost-not-above-zero", f"The fixed cost {reported}"
    slope = "per-event-not-above-zero", f"The cost per event {reported}"

    def said(*of: object) -> list[tuple[str, str]]:
        return [(doubt.code, worded(doubt).sentence) for doubt in part_doubts(*of)]  # type: ignore[arg-type]

    assert said(known, known, 1) == []
    assert said(known, known, 0) == [few]
    assert said(no_interval, no_interval, 0) == [few]
    assert said(no_interval, known, 1) == [fixed]
    assert said(known, no_interval, 1) == [slope]
    assert said(none, none, 0) == [few, fixed, slope]
