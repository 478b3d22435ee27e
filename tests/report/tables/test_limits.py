"""Both sides of each threshold of what a report says: signs, words and digits that change there."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.pages.budget import CountedFigure
from assay.pages.comparison import ComparisonPage
from assay.pages.families.events import Quantity
from assay.pages.families.layouts import LayoutGain
from assay.pages.numbers import ends_text, interval_text, value_text
from assay.report.charts import loss_rows
from assay.report.charts.trial import log_ticks
from assay.report.lists.tool_output import number_text
from assay.report.render.compare import statement
from assay.report.tables import budget as budget_rows
from assay.report.tables import layout as layout_rows
from assay.report.tables.scan_words import about, seconds_text
from tests.report.budgets import phases_budget
from tests.report.pages import quick_page


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e15, "1.000e+15"),
        (999_999_999_999_999.0, "999999999999999"),
        (1e15 + 0.5, "1.000e+15"),
        (1.5e-5, "0.00001500"),
        (0.99999e-5, "0.00001000"),
        (9.99e-6, "9.990e-06"),
    ],
)
def test_a_value_is_written_plain_from_a_hundred_thousandth_to_a_thousand_trillions(
    value: float, text: str
) -> None:
    assert value_text(value) == text


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        ((35.2, 34.9, 35.5), "35.20 s [34.90, 35.50]"),
        ((35.2, 34.9, None), "35.2 s [-, -]"),
        ((1e-5, 0.9e-5, 1.1e-5), "0.0000100 s [0.0000090, 0.0000110]"),
        ((1e-6, 0.9e-6, 1.1e-6), "1.00e-06 s [9.00e-07, 1.10e-06]"),
        ((35.2, 35.2, 35.2), "35.20 s [35.20, 35.20]"),
        ((3e15, 2e15, 4e15), "3.0e+15 s [2.0e+15, 4.0e+15]"),
        ((1234567.0, 1234566.0, 1234568.0), "1234567 s [1234566, 1234568]"),
    ],
)
def test_a_quantity_has_the_decimals_of_its_interval(
    ends: tuple[float, float, float | None], text: str
) -> None:
    assert ends_text(*ends, unit="s") == text


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.001, 0.2, "B loses more"),
        (0.0, 0.2, "no difference seen"),
        (-0.2, 0.0, "no difference seen"),
        (-0.2, -0.001, "B loses less"),
        (None, None, "no interval"),
    ],
)
def test_a_difference_is_one_where_its_interval_leaves_zero_out(
    comparison: ComparisonPage, low: float | None, high: float | None, words: str
) -> None:
    assert statement(replace(comparison.rows[0], difference=0.1, low=low, high=high)) == words


@pytest.mark.parametrize(
    ("low", "high", "headline_low", "words"),
    [
        (-0.2, -0.001, None, "nothing was lost"),
        (-0.2, 0.0, None, "the interval of the loss holds zero"),
        (0.0, 0.2, 0.1, "the interval of the loss holds zero"),
        (0.1, 0.2, 0.0, "the interval of the loss holds zero"),
        (0.001, 0.2, 0.001, "no rule fits"),
        (None, None, None, "one block has no interval"),
    ],
)
def test_no_cause_is_named_without_a_loss_that_is_certain(
    low: float | None, high: float | None, headline_low: float | None, words: str
) -> None:
    budget = replace(phases_budget(), causes=(), low=low, high=high, headline_low=headline_low)
    assert budget_rows.no_cause(budget) == f"no cause is named: {words}"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0999, "0.0999"),
        (0.1, "0.100"),
        (9.999, "9.999"),
        (10.0, "10"),
        (-0.00001, "0.0000"),
        (12.345, "12.35"),
    ],
)
def test_seconds_of_a_budget_have_four_figures(value: float, text: str) -> None:
    assert budget_rows._seconds(value) == text


@pytest.mark.parametrize(
    ("unit", "value", "text"),
    [
        ("", 0.001, "0.001"),
        ("", 0.00099, "0.0009900"),
        ("", 999.4, "999"),
        ("", 1000.0, "1000"),
        ("s", 12345.6, "12300 s"),
        ("B", 1024.4, "1 KiB"),
        ("", None, "-"),
    ],
)
def test_what_was_counted_beside_has_three_figures(unit: str, value: float | None, text: str) -> None:
    assert budget_rows.counted_text(CountedFigure("it", unit, value, value), value) == text


@pytest.mark.parametrize(("low", "beyond"), [(-1.0, False), (-1.001, True)])
def test_a_loss_below_what_the_chart_shows_is_said_to_be_beyond(low: float, beyond: bool) -> None:
    row = replace(quick_page().estimates[0], loss=0.0, low=low, high=0.1)
    assert loss_rows.beyond(row) is beyond
    assert loss_rows._inside(low) == (None if beyond else low)


@pytest.mark.parametrize(
    ("gain", "text"),
    [
        ((0.1, 0.05, 0.15), "preload wins back 10.0 % [5.0, 15.0] with 4 guests"),
        ((0.1, 0.0, 0.2), "preload changes 10 % [0, 20] with 4 guests"),
        ((-0.1, -0.2, 0.0), "preload changes -10 % [-20, 0] with 4 guests"),
        ((-0.1, -0.15, -0.05), "preload costs 10.0 % [5.0, 15.0] with 4 guests"),
        ((0.1, None, None), "preload changes 10 % [-, -] with 4 guests"),
    ],
)
def test_a_gain_whose_interval_holds_zero_is_a_change(
    gain: tuple[float, float | None, float | None], text: str
) -> None:
    assert layout_rows._gain(LayoutGain("preload", "4 guests", "4 guests", *gain)) == text


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (0.125, 0.117, 0.133, "0.1250 [0.1170, 0.1330]"),
        (0.125, 0.115, 0.135, "0.125 [0.115, 0.135]"),
        (0.125, 0.125, 0.125, "0.1250"),
        (12.0, 2.0, 22.0, "12 [2, 22]"),
        (5e-9, 4e-9, 6e-9, "5.000e-09 [4.000e-09, 6.000e-09]"),
        (5e-8, 4e-8, 6e-8, "0.000000050 [0.000000040, 0.000000060]"),
    ],
)
def test_seconds_of_a_scan_have_two_figures_of_half_their_width(
    value: float, low: float, high: float, text: str
) -> None:
    assert seconds_text(Quantity(value, low, high)) == text


@pytest.mark.parametrize(("count", "text"), [(12_345, "12,000"), (99, "99"), (995, "1,000"), (0, "0")])
def test_a_number_of_events_has_two_figures(count: int, text: str) -> None:
    assert about(count) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(3.0, "3"), (2.0**53 - 1, "9007199254740991"), (2.0**53, "9007199254740992.0"), (0.1, "0.1")],
)
def test_a_number_of_a_tool_is_shown_as_it_was_printed(value: float, text: str) -> None:
    assert number_text(value) == text


@given(low=st.floats(1e-6, 1e6), factor=st.floats(1.5, 1e9))
def test_ticks_of_a_logarithmic_axis_are_a_few_round_numbers_inside_it(low: float, factor: float) -> None:
    ticks = log_ticks(low, low * factor)
    assert len(ticks) <= 5
    assert all(low <= tick <= low * factor for tick in ticks)
    assert ticks == sorted(ticks)


@pytest.mark.parametrize(
    ("ends", "ticks"),
    [((1.0, 10.0), [1.0, 2.0, 5.0, 10.0]), ((1.0, 20.0), [1.0, 2.0, 5.0, 10.0, 20.0]),
    ((1.0, 50.0), [1.0, 3.0, 10.0, 30.0])],
)  # fmt: skip
def test_ticks_are_1_2_5_as_long_as_five_are_enough(ends: tuple[float, float], ticks: list[float]) -> None:
    assert log_ticks(*ends) == ticks


LOSSES = st.floats(-50, 0.99)


@given(ends=st.tuples(LOSSES, LOSSES, LOSSES).map(sorted))
def test_a_loss_that_is_shown_is_off_by_at_most_a_part_of_its_interval(ends: list[float]) -> None:
    low, point, high = ends
    shown = (
        interval_text(point, low, high).replace("%", "").replace("[", "").replace("]", "").replace(",", "")
    )
    for number, text in zip((point, low, high), shown.split(), strict=True):
        assert abs(float(text) / 100 - number) <= max(0.051 * (high - low) / 2, 5.1e-5)
