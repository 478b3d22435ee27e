"""Charts: what they claim to show is in their data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assay.model.figures.estimate import Verdict
from assay.model.trial import State
from assay.report.charts.charts import charts, loss_chart, trial_charts
from assay.report.charts.trial import log_ticks
from tests.report.pages import PAGES, partial_page, quick_page


def _layer(spec: dict[str, Any], name: str) -> dict[str, Any]:
    layers: list[dict[str, Any]] = spec["layer"]
    return next(layer for layer in layers if layer["name"] == name)


def test_there_is_one_chart_of_losses_one_of_trials_a_metric_one_a_panel_and_track_and_one_a_budget() -> None:
    counts = [13, 7, 3, 3 + 2 * 8 + 2, 3 + 2 * 2, 3 + 2 * 3, 3 + 1 + 1, 3 + 2 * 3, 3 + 2, 3 + 2]
    assert [len(charts(make())) for make in PAGES.values()] == counts


def test_losses_intervals_and_floors_are_shown_unrounded() -> None:
    rows = loss_chart(quick_page())["data"]["values"]
    for row, shown in zip(quick_page().estimates, rows, strict=True):
        assert (shown["inside"], shown["interval_low"], shown["interval_high"]) == (
            None if row.blocks < 5 else row.loss,
            row.low,
            row.high,
        )
        assert row.floor is not None
        assert (shown["floor_low"], shown["floor_high"]) == (row.floor.low, row.floor.high)


def test_the_margin_and_zero_are_drawn() -> None:
    spec = loss_chart(quick_page())
    assert _layer(spec, "margin")["data"]["values"] == [{"low": -0.01, "high": 0.01}]
    assert _layer(spec, "zero")["encoding"]["x"]["datum"] == 0


def test_only_the_verdicts_that_occur_have_a_colour() -> None:
    row = quick_page().estimates[0]
    spec = loss_chart(replace(quick_page(), estimates=(row,)))
    assert _layer(spec, "point")["encoding"]["color"]["scale"]["domain"] == ["loss"]


def test_enormous_gains_do_not_flatten_the_rest() -> None:
    spec = loss_chart(partial_page())
    rows = {row["name"]: row for row in spec["data"]["values"]}
    assert _layer(spec, "margin")["encoding"]["x"]["scale"]["domain"] == [-1.0, 1.0]
    assert rows["faster · rate"]["inside"] is None
    assert rows["faster · rate"]["beyond"] == -1.0
    assert rows["faster · rate"]["figures"] == "-5588 to -704 %"


def test_what_was_not_measured_has_a_name_and_no_mark() -> None:
    row = next(
        row for row in loss_chart(partial_page())["data"]["values"] if row["look"] == Verdict.NOT_MEASURED
    )
    assert row["figures"] == "not measured"
    assert (row["inside"], row["interval_low"], row["floor_low"], row["beyond"]) == (None,) * 4


def test_small_losses_fill_the_chart() -> None:
    row = replace(quick_page().estimates[0], loss=0.01, low=0.005, high=0.015, floor=None)
    spec = loss_chart(replace(quick_page(), estimates=(row,)))
    low, high = _layer(spec, "margin")["encoding"]["x"]["scale"]["domain"]
    assert (low, high) == pytest.approx((-0.01075, 0.01575))


def test_a_page_without_figures_has_a_chart_with_a_span() -> None:
    empty = replace(quick_page(), result=replace(quick_page().result, margin=0.0), estimates=())
    low, high = _layer(loss_chart(empty), "margin")["encoding"]["x"]["scale"]["domain"]
    assert low < 0 < high


def test_a_failed_trial_is_marked_and_has_no_value() -> None:
    spec = trial_charts(partial_page())[0]
    failed = [point for point in spec["data"]["values"] if point["state"] == State.FAILED]
    assert [point["value"] for point in failed] == [None, None]
    assert "killed by signal 9" in failed[0]["cause"]


def test_trials_that_never_ran_are_not_drawn() -> None:
    page = quick_page()
    trials = tuple(
        replace(trial, state=State.WAITING, metrics=()) if trial.block else trial for trial in page.trials
    )
    points = trial_charts(replace(page, trials=trials))[0]["data"]["values"]
    assert [point["block"] for point in points] == [0, 0, 0]


def test_trials_stand_in_their_block_in_the_order_in_which_they_ran() -> None:
    points = trial_charts(quick_page())[0]["data"]["values"]
    places = [point["place"] for point in points]
    assert places == sorted(places)
    assert [int(place) for place in places] == [point["block"] for point in points]


def test_a_page_without_trials_has_charts_all_the_same() -> None:
    assert len(charts(replace(quick_page(), trials=()))) == 13


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(3, 49, [5, 10, 20]), (80, 1500, [100, 200, 500, 1000]), (0.05, 9, [0.1, 0.3, 1, 3]), (1e-3, 1e7, None)],
)
def test_a_logarithmic_axis_has_few_round_ticks(low: float, high: float, ticks: list[float] | None) -> None:
    found = log_ticks(low, high)
    assert 2 <= len(found) <= 5
    assert ticks is None or found == pytest.approx(ticks)


def test_losses_over_hosts_of_their_own_say_so_on_the_axis() -> None:
    page = quick_page()
    over = replace(page, estimates=tuple(replace(row, against="far") for row in page.estimates))
    titles = [str(loss_chart(one)) for one in (page, over)]
    assert ["against its host →" in title for title in titles] == [False, True]
