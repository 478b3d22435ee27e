"""What must hold of lines, scans and series whatever was measured."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.model.figures.scan import Part, Point, Scan, Value
from assay.stats.between import grown_between
from assay.stats.jackknife import half_width, sums
from assay.stats.lines.scan import events_within, scan
from assay.stats.rates import step_rates, steps

quick = settings(derandomize=True, deadline=None, max_examples=15, database=None)

NUMBERS = st.floats(-1e6, 1e6)


@st.composite
def scans(draw: st.DrawFn) -> tuple[list[Point], list[Point]]:
    """Draw times of both arms at two to four event numbers in two to five blocks."""
    sizes = draw(st.lists(st.sampled_from([0, 1, 10, 200, 500, 3000]), min_size=2, max_size=4, unique=True))
    blocks, noise = draw(st.integers(2, 5)), np.random.default_rng(draw(st.integers(0, 1000)))
    lines = [(draw(st.floats(10, 500)), draw(st.floats(0.1, 2))) for _ in range(2)]
    first, second = (
        [Point(b, n, float((a + c * n) * noise.lognormal(0, 0.01))) for b in range(blocks) for n in sizes]
        for a, c in lines
    )
    return first, second


def losses(found: Scan) -> list[float]:
    """Return the losses that are known, of the costs and along the curve."""
    parts = [part for part in (found.fixed_cost_s, found.per_event_s) if part is not None]
    known = [value for part in parts for value in (part.loss, part.loss_low, part.loss_high)]
    known += [value for _, loss in found.curve for value in (loss.loss, loss.low, loss.high)]
    return [value for value in known if value is not None]


@quick
@given(scans(), st.sampled_from([1e-3, 60.0, 1024.0]))
def test_the_unit_of_time_changes_no_loss(arms: tuple[list[Point], list[Point]], unit: float) -> None:
    scaled = [[Point(p.block, p.events, unit * p.value_s) for p in arm] for arm in arms]
    one, other = scan(*arms), scan(*scaled)
    assert losses(other) == pytest.approx(losses(one), rel=1e-6, abs=1e-9)
    assert one.noise is not None
    assert other.noise == pytest.approx(one.noise, rel=1e-6)


@quick
@given(scans(), st.integers(1, 9))
def test_names_and_order_of_blocks_change_nothing(arms: tuple[list[Point], list[Point]], by: int) -> None:
    renamed = [[Point(100 - by * p.block, p.events, p.value_s) for p in arm[::-1]] for arm in arms]
    one, other = scan(*arms), scan(*renamed)
    assert losses(other) == pytest.approx(losses(one), rel=1e-6, abs=1e-9)
    assert [size.events for size in other.sizes] == [size.events for size in one.sizes]


@quick
@given(scans())
def test_intervals_hold_their_values_and_widen_with_confidence(arms: tuple[list[Point], list[Point]]) -> None:
    one, other = scan(*arms, confidence=0.8), scan(*arms, confidence=0.99)
    for narrow, wide in zip(
        (one.fixed_cost_s, one.per_event_s), (other.fixed_cost_s, other.per_event_s), strict=True
    ):
        assert narrow is not None
        assert wide is not None
        if None in (narrow.loss, narrow.loss_low, wide.loss_low):
            continue
        assert wide.loss_low <= narrow.loss_low <= narrow.loss  # type: ignore[operator]
        assert narrow.loss <= narrow.loss_high <= wide.loss_high  # type: ignore[operator]


@quick
@given(st.lists(NUMBERS, min_size=2, max_size=10), NUMBERS, st.integers(1, 8))
def test_a_jackknife_knows_no_order_and_no_common_shift(
    values: list[float], shift: float, freedom: int
) -> None:
    found = half_width(np.array([0.0, *values]), freedom, confidence=0.9)
    assert found is not None
    moved = half_width(np.array([0.0, *values[::-1]]) + shift, freedom, confidence=0.9)
    assert moved == pytest.approx(found, rel=1e-6, abs=1e-6)
    wider = half_width(np.array([0.0, *values]), freedom, confidence=0.95)
    assert wider is not None
    assert wider >= found


@quick
@given(st.lists(NUMBERS, min_size=1, max_size=12))
def test_sums_without_each_block_are_the_sums_of_the_others(values: list[float]) -> None:
    found = sums(np.array(values))
    truth = [sum(values), *(sum(values[:at]) + sum(values[at + 1 :]) for at in range(len(values)))]
    assert found == pytest.approx(truth, rel=1e-12, abs=1e-6)


@quick
@given(st.floats(0, 500), st.floats(0.1, 2), st.floats(0, 500), st.floats(0.1, 2), st.floats(0.001, 0.2))
def test_the_events_within_the_margin_are_the_fewest(
    a0: float, b0: float, a: float, b: float, margin: float
) -> None:
    fixed, slope = (
        Part(Value(of[0], None, None), Value(of[1], None, None), None, None, None)
        for of in ((a0, a), (b0, b))
    )
    first = events_within(fixed, slope, margin)
    assert first is not None

    def distance(events: int) -> float:
        return abs((b0 * a - b * a0) / (b * (a + b * events))) if a + b * events else 0.0

    assert distance(first) <= margin * (1 + 1e-6)
    assert first == 0 or distance(first - 1) >= margin * (1 - 1e-6)


@quick
@given(st.lists(st.tuples(st.floats(0.01, 5), st.floats(0, 100)), min_size=2, max_size=20), st.data())
def test_growth_lies_within_its_bounds_and_adds_up(
    steps_of: list[tuple[float, float]], data: st.DataObject
) -> None:
    moments, totals = (np.cumsum([step[at] for step in steps_of]) for at in (0, 1))
    inside = st.floats(float(moments[0]), float(moments[-1]))
    start, middle, end = sorted(data.draw(st.tuples(inside, inside, inside)))
    whole, first, second = (
        grown_between(moments, totals, *pair) for pair in ((start, end), (start, middle), (middle, end))
    )
    assert whole is not None
    assert first is not None
    assert second is not None
    assert whole[1] - 1e-9 <= whole[0] <= whole[2] + 1e-9
    assert first[0] + second[0] == pytest.approx(whole[0], abs=1e-6)
    later = grown_between(moments, totals, start, end, known=0.01)
    assert later is None or (later[1] <= whole[1] and whole[2] <= later[2])


@quick
@given(st.integers(0, 3000), st.integers(1, 300))
def test_steps_are_as_many_as_allowed_and_nearly_alike(count: int, most: int) -> None:
    bounds = steps(count, most)
    if count < 2:
        assert len(bounds) == 0
        return
    lengths = np.diff(bounds)
    assert (bounds[0], bounds[-1], len(lengths)) == (0, count - 1, min(count - 1, most))
    assert lengths.max() - lengths.min() <= 1
    rates = step_rates(np.arange(float(count)), 3.0 * np.arange(count), bounds)
    assert rates == pytest.approx(3.0)
