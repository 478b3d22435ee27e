"""Lines, broken lines and the search for a kink, against least squares worked out another way."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from assay.model.figures.scan import Linearity
from assay.model.trial import Arm
from assay.report.doubts import worded
from assay.stats.jackknife import sums
from assay.stats.lines.broken import fit_broken
from assay.stats.lines.hinge import PLACE_CONFIDENCE, PLACES, Search, _places, search_hinge
from assay.stats.lines.kink import CHECKS, FALSE_ALARM, _misfit, linearity
from assay.stats.lines.line import Cells, cells_of, fit_lines
from assay.stats.lines.relative import basis, orthogonal_to, relative, unit
from assay.stats.lines.scan_doubts import bend_doubts

SIZES = (10.0, 100.0, 400.0, 700.0, 1000.0)


def drawn(seed: int, *, blocks: int = 4, bend: float = 0.0, noise: float = 0.01) -> Cells:
    """Return times of every size in every block, bent after 400 events."""
    draw = np.random.default_rng(seed)
    events = np.tile(SIZES, blocks)
    seconds = 50 + 0.8 * events + bend * np.maximum(events - 400, 0)
    return Cells(
        np.repeat(np.arange(blocks), len(SIZES)),
        events,
        seconds * draw.lognormal(0, noise, len(events)),
        blocks,
    )


def without(cells: Cells, block: int | None) -> np.ndarray:
    return cells.blocks != (-1 if block is None else block)


def fitted(cells: Cells, columns: np.ndarray, keep: np.ndarray) -> np.ndarray:
    """Least squares with the weights of all blocks: 1 over the mean time of each size."""
    means = np.array([cells.seconds[cells.events == n].mean() for n in cells.events])
    weighted = columns[keep] / means[keep, None]
    return np.linalg.lstsq(weighted, cells.seconds[keep] / means[keep], rcond=None)[0]


def test_a_line_and_those_without_each_block_are_weighted_least_squares() -> None:
    cells = drawn(1)
    lines = fit_lines(cells)
    columns = np.column_stack([np.ones_like(cells.events), cells.events])
    for place, block in enumerate((None, 0, 1, 2, 3)):
        truth = fitted(cells, columns, without(cells, block))
        assert (lines.fixed[place], lines.slope[place]) == pytest.approx(tuple(truth), rel=1e-9)
    assert lines.kink is None
    assert lines.before is lines.slope
    assert len(lines.fixed) == 5
    assert lines.at(200) == pytest.approx(lines.fixed + 200 * lines.slope)
    assert lines.fitted(np.array([0.0, 10.0])) == pytest.approx(
        [lines.fixed[0], lines.fixed[0] + 10 * lines.slope[0]]
    )


def test_a_broken_line_and_those_without_each_block_are_weighted_least_squares() -> None:
    cells = drawn(2, bend=0.3)
    lines = fit_broken(cells, 400.0)
    first = np.minimum(cells.events, 400.0)
    columns = np.column_stack([np.ones_like(first), first, cells.events - first])
    for place, block in enumerate((None, 0, 1, 2, 3)):
        truth = fitted(cells, columns, without(cells, block))
        found = lines.fixed[place], lines.before[place], lines.slope[place]
        assert found == pytest.approx(tuple(truth), rel=1e-8)
    assert lines.kink == 400.0
    assert lines.at(300) == pytest.approx(lines.fixed + 300 * lines.before)
    assert lines.at(500) == pytest.approx(lines.fixed + 400 * lines.before + 100 * lines.slope)
    both = (
        lines.fixed[0] + 300 * lines.before[0],
        lines.fixed[0] + 400 * lines.before[0] + 100 * lines.slope[0],
    )
    assert lines.fitted(np.array([300.0, 500.0])) == pytest.approx(both)


def test_blocks_that_leave_too_few_event_numbers_leave_no_line() -> None:
    blocks, events = np.array([0, 0, 1, 1]), np.array([1.0, 1.0, 1.0, 1000.0])
    lines = fit_lines(Cells(blocks, events, np.array([10.0, 11.0, 10.5, 900.0]), 2))
    assert np.isnan(lines.slope).tolist() == [False, False, True]
    assert lines.known
    broken = fit_broken(
        Cells(
            np.array([0, 0, 1, 1, 1]),
            np.array([1.0, 1000.0, 1.0, 500.0, 1000.0]),
            np.array([10, 900, 11, 450.0, 905]),
            2,
        ),
        500.0,
    )
    assert np.isnan(broken.slope).tolist() == [False, False, True]
    nothing = replace(lines, fixed=np.array([math.nan]))
    assert not nothing.known
    assert not replace(lines, slope=np.array([math.inf])).known


@pytest.mark.parametrize("events", [10, 1000, 4000, 100_000])
def test_the_only_block_with_a_second_event_number_leaves_no_line_without_it(events: int) -> None:
    for seed in range(20):
        draw = np.random.default_rng(seed)
        numbers = np.array([1.0, float(events), *[1.0] * 5])
        seconds = (9 + numbers) * draw.lognormal(0, 0.01, 7)
        lines = fit_lines(Cells(np.array([0, 0, 1, 2, 3, 4, 5]), numbers, seconds, 6))
        assert np.isnan(lines.slope).tolist() == [False, True, *[False] * 5]


@pytest.mark.parametrize("seed", range(20))
def test_the_only_block_beyond_a_kink_leaves_no_broken_line_without_it(seed: int) -> None:
    draw = np.random.default_rng(seed)
    events = np.array([*np.tile([1.0, 300.0], 4), 4000.0])
    blocks = np.array([0, 0, 1, 1, 2, 2, 3, 3, 1])
    lines = fit_broken(Cells(blocks, events, (9 + events) * draw.lognormal(0, 0.01, 9), 4), 300.0)
    assert np.isnan(lines.slope).tolist() == [False, False, True, False, False]


def test_sums_without_each_block_are_added_up_anew() -> None:
    found = sums(np.array([[1e20, 3.0, 4.0], [1.0, 2.0, 5.0]]))
    assert found.tolist() == [[1e20 + 7, 7.0, 1e20 + 4, 1e20 + 3], [8.0, 7.0, 6.0, 3.0]]
    assert sums(np.array([5.0])).tolist() == [5.0, 0.0]


def test_cells_come_in_the_order_of_blocks_and_events() -> None:
    cells = cells_of({(7, 10): 3.0, (2, 100): 2.0, (2, 10): 1.0}, {2: 0, 7: 1})
    assert cells.blocks.tolist() == [0, 0, 1]
    assert cells.events.tolist() == [10.0, 100.0, 10.0]
    assert cells.seconds.tolist() == [1.0, 2.0, 3.0]
    assert cells.count == 2
    assert (cells.events.dtype, cells.seconds.dtype, cells.blocks.dtype) == (np.float64, np.float64, np.intp)
    assert cells.means().tolist() == [2.0, 2.0, 2.0]


def test_places_are_the_inner_event_numbers_and_nine_between_each_two() -> None:
    assert PLACES == 9
    assert _places(np.array([1.0, 10.0, 20.0, 99.0])).tolist() == [float(n) for n in range(10, 21)]
    assert _places(np.array([1.0, 10.0, 99.0])).tolist() == [10.0]


def hinge_by_hand(cells: Cells, place: float) -> tuple[float, float]:
    """Return the share that a hinge explains, and the F test's chance of it, with a column for each block."""
    means = cells.means()
    each = (cells.blocks[:, None] == np.arange(cells.count)).astype(float)
    effects = each[:, 1:] - each[:, :1]
    line = np.column_stack([1 / means, cells.events / means, effects])
    bent = np.column_stack([line, np.maximum(cells.events - place, 0) / means])
    y = cells.seconds / means
    left = [float(((y - x @ np.linalg.lstsq(x, y, rcond=None)[0]) ** 2).sum()) for x in (line, bent)]
    freedom = len(y) - bent.shape[1]
    return 1 - left[1] / left[0], float(stats.f.sf((left[0] - left[1]) / left[1] * freedom, 1, freedom))


def test_with_one_candidate_the_search_is_the_f_test() -> None:
    cells = drawn(3, bend=0.02)
    kept = np.isin(cells.events, (10.0, 400.0, 1000.0))
    three = Cells(cells.blocks[kept], cells.events[kept], cells.seconds[kept], cells.count)
    search = search_hinge(relative(three))
    assert search is not None
    share, chance = hinge_by_hand(three, 400.0)
    assert (search.places.tolist(), search.length) == ([400.0], 0.0)
    assert search.share.tolist() == pytest.approx([share], rel=1e-9)
    assert search.freedom == 12 - 2 - 3
    assert search.chance() == pytest.approx(chance, rel=1e-9)


def test_a_longer_curve_adds_its_tube() -> None:
    search = Search(np.array([1.0, 2.0]), np.array([0.3, 0.5]), 7, 2.0)
    once = float(stats.f.sf(0.5 / 0.5 * 6, 1, 6))
    assert search.place == 2.0
    assert search.chance() == pytest.approx(once + 2.0 / math.pi * 0.5 ** (5 / 2))


def test_every_place_of_a_search_explains_what_the_broken_line_there_does() -> None:
    cells = drawn(4, bend=0.05)
    search = search_hinge(relative(cells))
    assert search is not None
    truth = [hinge_by_hand(cells, place)[0] for place in search.places]
    assert search.share == pytest.approx(truth, rel=1e-8)
    assert search.length > 0


def test_the_places_about_as_good_are_those_within_the_f_quantile() -> None:
    assert PLACE_CONFIDENCE == 0.95
    quantile = stats.f.ppf(0.95, 1, 6)
    at_limit = 0.5 * (1 + quantile / 6)
    shares = 1 - np.array([at_limit * 1.001, at_limit * 0.999, 0.5, at_limit * 0.999, at_limit * 1.001])
    search = Search(np.arange(5.0), shares, 7, 1.0)
    assert search.around() == (1.0, 3.0)


@pytest.mark.parametrize(
    ("events", "found"),
    [
        ([1, 2, 3, 1], True),  # two degrees of freedom are left by a line through four times
        ([1, 2, 3], False),
        ([1, 2, 1, 2, 1], False),
    ],
)
def test_a_search_needs_three_event_numbers_and_two_times_more_than_a_line(
    events: list[int], *, found: bool
) -> None:
    numbers = np.array(events, dtype=float)
    cells = Cells(
        np.arange(len(events)), numbers, 10 + numbers + 0.01 * np.arange(len(events)) ** 2, len(events)
    )
    search = search_hinge(relative(cells))
    assert (search is not None) is found
    assert search is None or (search.freedom, search.places.tolist()) == (2, [2.0])
    assert (linearity(Arm.BASELINE, cells) is not None) is found


def test_times_on_a_line_explain_nothing_at_any_place() -> None:
    search = search_hinge(relative(drawn(1, noise=0.0)))
    assert search is not None
    assert search.share.tolist() == [0.0] * 21
    assert (search.length, search.chance(), len(search.places)) == (0.0, 1.0, 21)
    found = linearity(Arm.TREATMENT, drawn(1, noise=0.0))
    assert found is not None
    assert (found.arm, found.sizes, found.straight, found.chance, found.kink) == (
        Arm.TREATMENT,
        5,
        True,
        1.0,
        None,
    )


@pytest.mark.parametrize("kink", [None, 400.0])
def test_the_misfit_is_the_f_test_of_lack_of_fit(kink: float | None) -> None:
    cells = drawn(5, bend=0.01)
    means = cells.means()
    each = (cells.blocks[:, None] == np.arange(cells.count)).astype(float)
    effects = each[:, 1:] - each[:, :1]
    line = [1 / means, cells.events / means]
    bent = [] if kink is None else [np.maximum(cells.events - kink, 0) / means]
    groups = [(cells.events == size).astype(float) for size in SIZES]
    y, left = cells.seconds / means, []
    for model in (np.column_stack([*line, *bent, effects]), np.column_stack([*groups, effects])):
        left.append(float(((y - model @ np.linalg.lstsq(model, y, rcond=None)[0]) ** 2).sum()))
    within = 20 - 5 - 3
    between = 5 - 2 - (0 if kink is None else 2)  # a kink that was searched costs two
    f = (left[0] - left[1]) / between / (left[1] / within)
    assert _misfit(relative(cells), kink) == pytest.approx(float(stats.f.sf(f, between, within)), rel=1e-8)


def test_a_kink_has_the_figures_of_its_broken_line() -> None:
    cells = drawn(6, bend=0.4, noise=0.002)
    found = linearity(Arm.BASELINE, cells)
    assert found is not None
    assert found.kink is not None
    assert not found.straight
    assert found.chance < 1e-6
    assert (found.kink.above, found.kink.below) == (100, 700)
    assert found.kink.events == pytest.approx(400, abs=31)
    assert found.kink.slope_before == pytest.approx(0.8, rel=0.02)
    assert found.kink.slope_after == pytest.approx(1.2, rel=0.02)
    assert found.kink.seconds == pytest.approx(50 + 0.8 * found.kink.events, rel=0.02)


def test_the_chance_of_a_check_is_that_of_four() -> None:
    cells = drawn(7, bend=0.012)
    times = relative(cells)
    search = search_hinge(times)
    found = linearity(Arm.BASELINE, cells)
    assert search is not None
    assert found is not None
    assert (CHECKS, FALSE_ALARM) == (4, 0.05)
    chances = [4 * search.chance(), 4 * _misfit(times, search.place if 4 * search.chance() <= 0.05 else None)]
    assert found.chance == pytest.approx(min(1.0, *chances))


def bend(check: Linearity) -> str:
    (doubt,) = bend_doubts([replace(check, straight=False)])
    return worded(doubt).sentence


def test_the_sentences_of_bends_in_full() -> None:
    found = linearity(Arm.TREATMENT, drawn(6, bend=0.4, noise=0.002))
    assert found is not None
    assert found.kink is not None
    kink = replace(
        found.kink, events=412.345, above=100, below=700, slope_before=0.81234, slope_after=1.25678
    )
    reported = "from how many events on the loss of the total is within the margin is not told"
    sentence = (
        "The line of the treatment has a kink near 412 events (between 100 and 700): 0.812 s an "
        "event before it, "
        "1.26 s after it. Its fixed cost is that before the kink, its cost per event that after "
        f"it, both with the kink held there; {reported}."
    )
    assert bend(replace(found, kink=kink)) == sentence
    three = " Three event numbers do not tell its place, and with it neither cost."
    assert bend(replace(found, kink=kink, sizes=3)) == sentence + three
    assert bend(replace(found, kink=None)) == (
        "The times of the treatment over events are not a straight line, and no single kink "
        f"explains them: fixed cost and slope are those of a line that does not fit, and {reported}."
    )


def test_blocks_of_two_times_each_lose_a_degree_of_freedom_a_block_but_one() -> None:
    cells = drawn(1)
    assert relative(cells).lost == 3
    one = Cells(np.array([0, 0, 1, 1, 2]), np.array([1.0, 2, 1, 2, 1]), np.array([1.0, 2, 1, 2, 1]), 3)
    assert relative(one).lost == 0  # a block holds one time only
    none = Cells(np.array([0, 0, 1, 1]), np.array([1.0, 2, 1, 2]), np.array([1.0, 2, 1, 2]), 3)
    assert relative(none).lost == 0  # the third block holds none of this arm
    two = Cells(np.array([0, 0, 1, 1]), np.array([1.0, 2, 1, 2]), np.array([1.0, 2, 1, 2]), 2)
    assert relative(two).lost == 1


def test_what_a_span_leaves_is_at_right_angles_to_it() -> None:
    columns = np.array([[1.0, 2.0], [1.0, 2.0], [0.0, 1e-3]])
    span = basis(columns)
    assert span.shape == (3, 2)
    assert span.T @ span == pytest.approx(np.eye(2), abs=1e-12)
    assert orthogonal_to(span, np.array([3.0, 1.0, 7.0])) == pytest.approx([1.0, -1.0, 0.0], abs=1e-9)
    assert basis(np.column_stack([columns[:, 0], columns[:, 0]])).shape == (3, 1)
    assert unit(np.array([[3.0, 0.0], [4.0, 2.0]])).tolist() == [[0.6, 0.0], [0.8, 1.0]]
