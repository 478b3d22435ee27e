"""Scans with as many event numbers as times."""

from __future__ import annotations

import numpy as np
import pytest

from assay.model.figures.scan import Point
from assay.stats.lines import hinge, totals
from assay.stats.lines.line import Cells
from assay.stats.lines.relative import relative
from assay.stats.lines.scan import scan


def times(count: int, seed: int, *, steeper: float = 0.0) -> tuple[list[Point], list[Point]]:
    """Return two arms of blocks with an event number of their own; beyond the middle an event may
    cost more.
    """
    draw = np.random.default_rng(seed)
    bend = [steeper * max(0, events - count // 2) for events in range(1, count + 1)]
    baseline, treatment = (
        [
            Point(at, at + 1, (35 + 0.85 * (at + 1 + more * bend[at])) * float(draw.lognormal(0, 0.01)))
            for at in range(count)
        ]
        for more in (0, 1)
    )
    return baseline, treatment


def test_a_kink_is_found_among_two_thousand_event_numbers() -> None:
    baseline, treatment = scan(*times(2000, 1, steeper=0.1)).linearity
    assert (baseline.straight, baseline.sizes) == (True, 2000)
    assert treatment.kink is not None
    assert treatment.kink.above < 1000 < treatment.kink.below
    assert treatment.kink.slope_after / treatment.kink.slope_before == pytest.approx(1.1, rel=0.02)


def test_a_straight_line_of_many_event_numbers_is_seldom_called_bent() -> None:
    bent = sum(not check.straight for seed in range(40) for check in scan(*times(150, seed)).linearity)
    assert bent <= 5  # in 80 arms, each at 1 in 40


@pytest.mark.parametrize("count", [53, 54, 202, 600])
def test_of_many_event_numbers_some_are_tried_from_end_to_end(count: int) -> None:
    places = hinge._places(np.arange(count, dtype=float))
    assert len(places) == min(count - 2, 200)
    assert (places[0], places[-1]) == (1, count - 2)


def test_of_52_event_numbers_all_are_tried_with_nine_places_between_each() -> None:
    assert len(hinge._places(np.arange(52, dtype=float))) == 50 + 9 * 49


def test_what_is_explained_does_not_depend_on_how_many_places_are_tried_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    events = np.tile([1.0, 30.0, 60.0, 100.0, 200.0], 4)
    seconds = (35 + 0.85 * events) * np.random.default_rng(1).lognormal(0, 0.01, 20)
    held = relative(Cells(np.repeat(np.arange(4), 5), events, seconds, 4))
    whole = hinge.search_hinge(held)
    monkeypatch.setattr(hinge, "AT_ONCE", 50)
    parts = hinge.search_hinge(held)
    assert whole is not None
    assert parts is not None
    assert parts.share == pytest.approx(whole.share, rel=1e-12)
    assert parts.length == pytest.approx(whole.length, rel=1e-9)


@pytest.mark.parametrize("apart", [False, True])
def test_totals_of_few_blocks_are_those_of_many(monkeypatch: pytest.MonkeyPatch, *, apart: bool) -> None:
    draw = np.random.default_rng(2)
    arms = [
        [
            Point(b + 10 * arm * apart, n, 5 + n * float(draw.lognormal(0, 0.01)))
            for n in (1, 9)
            for b in range(n % 5)
        ]
        for arm in (0, 1)
    ]
    few = scan(*arms).sizes
    monkeypatch.setattr(totals, "FEW", 0)
    many = scan(*arms).sizes
    for one, other in zip(few, many, strict=True):
        assert (one.events, one.blocks, one.loss.low is None) == (
            other.events,
            other.blocks,
            other.loss.low is None,
        )
        figures = [
            (s.baseline_s, s.treatment_s, s.loss.loss, s.loss.low or 0, s.loss.high or 0)
            for s in (one, other)
        ]
        assert figures[0] == pytest.approx(figures[1], rel=1e-12)
