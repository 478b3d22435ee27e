"""Long tables of losses: a row for each job, and the other figures of the same time folded."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

import pytest

from assay.model.figures.estimate import Matters, Verdict
from assay.pages.context import Page, Row
from assay.pages.flat import page_table
from assay.pages.track import PhaseSpan
from assay.report.charts.loss import loss_chart
from assay.report.render.flat_text import csv_pieces
from assay.report.render.html import html_report
from assay.report.render.markdown import markdown_report
from assay.report.render.text import losses_table
from assay.report.tables.loss_fold import MOST, fold_line, fold_losses
from tests.report.pages import quick_page
from tests.report.published import PUBLISHED

STEPS = ("detsim", "elecsim", "elecsim-no-output", "pmtrec", "evtrec")
METRICS = ("events_per_s", "init_time", "event_loop_time", "wall_time", "cpu_time")
LINE = (
    "20 more metrics of the same jobs (events_per_s, init_time, event_loop_time, cpu_time): "
    "19 loss, it matters; 1 not decided"
)
(BESIDE, *_) = PUBLISHED.rows


def rows(*metrics: str, workloads: tuple[str, ...] = STEPS) -> tuple[Row, ...]:
    row = replace(quick_page().estimates[0], verdict=Verdict.LOSS, matters=Matters.YES)
    return tuple(replace(row, workload=one, metric=metric) for one in workloads for metric in metrics)


def page(estimates: tuple[Row, ...], *, beside: str = "wall_time") -> Page:
    """Return a page whose jobs have two phases, and published figures beside one metric of each."""
    made, spans = quick_page(), ("init", "event-loop")
    phases = tuple(PhaseSpan(0, name, 0.0, 1.0, 0.5, None, None, None) for name in spans)
    trials = (replace(made.trials[0], phases=phases), *made.trials[1:])
    theirs = replace(PUBLISHED, rows=tuple(replace(BESIDE, workload=step, metric=beside) for step in STEPS))
    return replace(made, estimates=estimates, trials=trials, published=theirs)


def juno() -> Page:
    """Return a page of five jobs with five metrics each, one of them open."""
    first, *others = rows(*METRICS)
    return page((replace(first, verdict=Verdict.INCONCLUSIVE, matters=None, blocks_more=None), *others))


def test_a_long_table_has_of_each_job_the_row_that_published_figures_stand_beside() -> None:
    fold = fold_losses(juno())
    assert [(row.workload, row.metric) for row in fold.shown] == [(name, "wall_time") for name in STEPS]
    assert len(fold.folded) == len(STEPS) * (len(METRICS) - 1)
    assert fold_line(fold) == LINE


@pytest.mark.parametrize("published", [None, "something_else"])
def test_without_published_figures_the_first_row_of_a_job_stands_for_its_time(published: str | None) -> None:
    made = page(rows(*METRICS), beside=published or "")
    fold = fold_losses(made if published else replace(made, published=None))
    assert [row.metric for row in fold.shown] == ["events_per_s"] * len(STEPS)


def test_a_table_that_a_terminal_shows_whole_is_left_as_it_is() -> None:
    short = page(rows(*METRICS)[:MOST])
    assert fold_losses(short).shown == short.estimates
    assert fold_line(fold_losses(short)) == ""


def test_figures_that_are_no_part_of_a_job_s_time_stay() -> None:
    names = ("job_time", "copy", "sim_events_per_s", "startup_time", "job_efficiency")
    made = page(rows("wall_time", *names))
    assert fold_losses(made).shown == made.estimates


def test_a_job_without_a_wall_time_keeps_all_its_rows() -> None:
    alone = rows("events_per_s", "cpu_time", workloads=("benchmark",))
    fold = fold_losses(page((*rows(*METRICS), *alone)))
    assert fold.shown[len(STEPS) :] == alone


def test_rows_of_one_treatment_are_not_folded_under_another() -> None:
    swept = tuple(replace(row, treatment="1 guest") for row in rows(*METRICS))
    lone = replace(swept[0], treatment="2 guests")
    assert lone in fold_losses(page((*swept, lone))).shown


def test_text_says_how_many_are_folded_and_the_command_shows_all() -> None:
    made = juno()
    *shown, last = losses_table(made).splitlines()
    assert len(shown) == 1 + len(STEPS)
    assert last == f"{LINE}; all rows: assay report {made.result.id} --table estimates"
    table = "".join(csv_pieces(page_table(made, "estimates")))
    assert len(list(csv.DictReader(io.StringIO(table)))) == len(made.estimates)


def test_colours_are_those_of_the_rows_shown() -> None:
    made = juno()
    assert "\x1b[33m" not in losses_table(made, colour=True)
    plain = re.sub(r"\x1b\[\d*m", "", losses_table(made, colour=True))
    assert plain == losses_table(made)


def test_markdown_has_the_folded_rows_in_a_section_of_their_own() -> None:
    head, *sections = markdown_report(juno()).split("\n## ")
    (folded,) = (part for part in sections if part.startswith("More metrics of the same jobs\n"))
    assert [len(re.findall(r"^\| detsim \| ", part, re.MULTILINE)) for part in (head, folded)] == [1, 4]
    assert "## More metrics" not in markdown_report(quick_page())


def test_html_folds_them_and_the_chart_has_those_shown() -> None:
    html = html_report(juno())
    (folded,) = re.findall(rf"<summary>{re.escape(LINE)}</summary>(.*?)</details>", html, re.DOTALL)
    assert folded.count('<tr role="row">') == 1 + 20
    values = loss_chart(juno())["data"]["values"]
    assert [row["name"] for row in values] == [f"{name} · wall_time" for name in STEPS]
