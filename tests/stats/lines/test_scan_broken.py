"""Costs and losses of an arm whose line has a kink, against known truth."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from assay.design.sizes import guesses
from assay.model.figures.scan import Point, Scan
from assay.report.doubts import worded
from assay.stats.lines.broken import fit_broken
from assay.stats.lines.line import Cells
from assay.stats.lines.scan import scan
from tests.campaigns import campaigns as of_campaigns
from tests.campaigns import error

SIZES = (10, 100, 300, 600, 1000, 2000, 4000)


def line(events: int) -> float:
    return 120 + 0.85 * events


def kinked(events: int) -> float:
    return line(events) + 0.5 * max(0, events - 600)


def curved(events: int) -> float:
    return line(events) + 40 * float(np.sin(np.log(events)))


def campaign(
    treatment: Callable[[int], float],
    *,
    noise: float = 0.0,
    seed: int = 1,
    sizes: Sequence[int] = SIZES,
    baseline: Callable[[int], float] = line,
) -> Scan:
    draw = np.random.default_rng(seed)
    arms = [
        [Point(b, n, float(time(n) * np.exp(draw.normal(0, noise)))) for b in range(8) for n in sizes]
        for time in (baseline, treatment)
    ]
    return scan(*arms, margin=0.01)


def test_the_fixed_cost_is_that_before_the_kink_and_the_cost_per_event_that_after_it() -> None:
    found = campaign(kinked)
    fixed, slope = found.fixed_cost_s, found.per_event_s
    assert fixed is not None
    assert slope is not None
    assert (fixed.baseline.value, fixed.treatment.value) == pytest.approx((120, 120), rel=1e-9)
    assert (slope.baseline.value, slope.treatment.value) == pytest.approx((0.85, 1.35), rel=1e-9)
    assert found.asymptote == slope.loss == pytest.approx(1 - 0.85 / 1.35, rel=1e-9)
    assert found.noise == pytest.approx(0, abs=1e-9)
    for events, loss in found.curve:
        assert loss.loss == pytest.approx(1 - line(events) / kinked(events), abs=1e-9)


def test_the_curve_agrees_with_the_sizes_that_were_measured() -> None:
    found = campaign(kinked, noise=0.005)
    curve = dict(found.curve)
    for size in found.sizes:
        near = min(curve, key=lambda events: abs(np.log(events / size.events)))
        drift = (1 - line(near) / kinked(near)) - (1 - line(size.events) / kinked(size.events))
        seen, drawn = size.loss.loss, curve[near].loss
        assert seen is not None
        assert drawn is not None
        assert abs(drawn - drift - seen) < 0.01


@pytest.mark.parametrize(("treatment", "code"), [(kinked, "kink"), (curved, "not-a-line")])
def test_of_a_bent_line_no_number_of_events_is_told_and_the_doubt_says_why(
    treatment: Callable[[int], float], code: str
) -> None:
    found = campaign(treatment, noise=0.005)
    assert found.events_within_margin is None
    assert found.fixed_cost_s is not None
    (doubt,) = found.doubts
    assert doubt.code == code
    assert (
        "from how many events on the loss of the total is within the margin is not told"
        in worded(doubt).sentence
    )
    assert guesses(found) is None


def test_the_kink_has_the_figures_of_the_costs() -> None:
    found = campaign(kinked, noise=0.005)
    kink, fixed, slope = found.linearity[1].kink, found.fixed_cost_s, found.per_event_s
    assert kink is not None
    assert fixed is not None
    assert slope is not None
    assert kink.slope_after == slope.treatment.value
    assert kink.seconds - kink.slope_before * kink.events == pytest.approx(fixed.treatment.value, rel=1e-12)


def test_swapping_the_arms_flips_the_losses_of_a_bent_line() -> None:
    there, back = campaign(kinked), campaign(line, baseline=kinked)
    for one, other in ((there.fixed_cost_s, back.fixed_cost_s), (there.per_event_s, back.per_event_s)):
        assert one is not None
        assert other is not None
        assert one.treatment.value == other.baseline.value


def test_two_arms_with_a_kink_each_have_their_own() -> None:
    found = campaign(kinked, baseline=lambda n: 100 + 0.8 * n + 0.2 * max(0, n - 1000))
    assert [check.kink.events for check in found.linearity if check.kink] == pytest.approx([1000, 600])
    assert found.asymptote == pytest.approx(1 - 1.0 / 1.35, rel=1e-9)


def test_leaving_a_block_out_is_refitting_without_it() -> None:
    draw = np.random.default_rng(3)
    blocks, events = np.repeat(np.arange(4), 7), np.tile(np.array(SIZES, dtype=float), 4)
    seconds = np.array([kinked(int(n)) for n in events]) * np.exp(draw.normal(0, 0.01, 28))
    cells = Cells(blocks, events, seconds, 4)
    found, means = fit_broken(cells, 600.0), cells.means()
    for left in (None, 0, 3):
        kept = blocks != left
        columns = np.column_stack([np.ones(28), np.minimum(events, 600), np.maximum(events - 600, 0)])
        weighted = (columns / means[:, None])[kept], (seconds / means)[kept]
        expected = np.linalg.lstsq(*weighted, rcond=None)[0]
        at = 0 if left is None else left + 1
        assert (found.fixed[at], found.before[at], found.slope[at]) == pytest.approx(expected, rel=1e-9)


def test_a_kink_that_one_block_alone_shows_has_no_interval() -> None:
    cells = [(b, n) for b in range(6) for n in (1, 4000)] + [(0, n) for n in (300, 600, 900, 1500)]
    draw = np.random.default_rng(2)
    arms = [
        [Point(b, n, float(time(n) * np.exp(draw.normal(0, 0.005)))) for b, n in cells]
        for time in (line, kinked)
    ]
    found = scan(*arms)
    assert found.linearity[1].kink is not None
    assert found.per_event_s is not None
    assert (found.per_event_s.treatment.low, found.per_event_s.loss_low) == (None, None)
    assert [doubt.code for doubt in found.doubts] == ["too-few-blocks", "kink"]


def test_three_event_numbers_do_not_tell_where_the_kink_is_and_the_doubt_says_so() -> None:
    (doubt,) = campaign(kinked, sizes=(10, 600, 4000)).doubts
    assert "Three event numbers do not tell its place" in worded(doubt).sentence
    assert "Three event numbers" not in worded(campaign(kinked).doubts[0]).sentence


@of_campaigns(60, 200)
def test_intervals_beside_a_kink_cover_the_truth(campaigns: int) -> None:
    held, bent = np.zeros(4), 0
    for seed in range(campaigns):
        found = campaign(kinked, noise=0.012, seed=seed)
        fixed, slope = found.fixed_cost_s, found.per_event_s
        if found.linearity[1].kink is None or fixed is None or slope is None:
            continue
        bent += 1
        truths = (120.0, 1.35, 0.0, 1 - 0.85 / 1.35)
        ends = [(value.low, value.high) for value in (fixed.treatment, slope.treatment)]
        ends += [(part.loss_low, part.loss_high) for part in (fixed, slope)]
        held += [
            low is not None and high is not None and low <= truth <= high
            for truth, (low, high) in zip(truths, ends, strict=True)
        ]
    assert bent >= 0.9 * campaigns
    assert (held / bent >= 0.95 - 4.5 * error(0.95, campaigns)).all(), held / bent
