"""Many metrics of one comparison: chance calls any of them no more often than it may call one."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from assay.design import plan_trials
from assay.model.metric import Direction, Measurement, Metric
from assay.model.trial import Arm, PlannedTrial, Trial
from assay.pages.context import Page
from assay.results.outcome import build_page
from tests.builders import plan_of, record_of

MANY = 40
METRICS = [Metric(f"m{number:02}", "s", Direction.LOWER) for number in range(MANY)]


def page_of(
    metrics: list[Metric],
    slower: dict[str, float],
    seed: int = 3,
    *,
    blocks: int = 3,
    second: dict[str, float] | None = None,
    tails: str = "",
) -> Page:
    """Return the page of an activity whose arms differ by chance, but for the metrics that are slower.

    Args:
        metrics: What is measured.
        slower: By how much the treatment's are.
        seed: Of all that is drawn.
        blocks: How many.
        second: By how much those of the baseline's second visit are slower.
        tails: Which arms have outliers: ``both``, the treatment alone (``one``), or none.
    """
    draw = random.Random(seed)

    def measured(planned: PlannedTrial) -> Trial:
        record = record_of(planned, 1.0)
        treated = planned.arm is Arm.TREATMENT
        factors = slower if treated else second or {} if planned.replicate else {}
        outliers = tails == "both" or (tails == "one" and treated)
        values = (
            draw.gauss(100, 1)
            * factors.get(metric.name, 1.0)
            * (1.3 if outliers and draw.random() < 0.12 else 1)
            for metric in metrics
        )
        figures = tuple(Measurement(metric, value) for metric, value in zip(metrics, values, strict=True))
        return replace(record, measurements=figures)

    trials = plan_trials(("spin",), blocks=blocks, seed=1)
    plan = plan_of(trials)
    (workload,) = plan.workloads
    plan = replace(plan, workloads=(replace(workload, metrics=tuple(metrics)),))
    return build_page(plan, [measured(planned) for planned in trials])


def sentence_of(code: str, page: Page) -> str | None:
    return next((doubt.sentence for doubt in page.doubts if doubt.code == code), None)


def called(page: Page) -> int:
    return sum(row.verdict in ("loss", "gain") for row in page.estimates)


@pytest.mark.long
def test_forty_metrics_that_do_not_differ_are_not_called() -> None:
    pages = [page_of(METRICS, {}, seed) for seed in range(20)]
    assert sum(called(page) > 0 for page in pages) <= 3
    assert all(row.confidence == 1 - 0.05 / 40 for row in pages[0].estimates if row.verdict == "inconclusive")


@pytest.mark.parametrize("blocks", [5, 8, 9, 10])
def test_a_loss_of_30_percent_in_all_eleven_rows_is_called(blocks: int) -> None:
    slower = {metric.name: 1 / 0.7 for metric in METRICS[:11]}
    page = page_of(METRICS[:11], slower, blocks=blocks)
    assert called(page) == 11
    assert all(0.2 < (row.low or 0.0) < 0.3 < (row.high or 0.0) < 0.4 for row in page.estimates)


def test_a_verdict_is_that_of_the_interval_shown_and_the_called_leave_more_to_the_rest() -> None:
    page = page_of(METRICS[:11], {"m00": 1.3, "m01": 1.3}, blocks=9)
    rows = {row.metric: row for row in page.estimates}
    for row in page.estimates:
        assert row.low is not None
        assert row.high is not None
        assert (row.verdict in ("loss", "gain")) == (row.low > 0 or row.high < 0)
    assert rows["m00"].confidence == pytest.approx(1 - 0.05 / 11)
    assert rows["m05"].confidence == pytest.approx(1 - 0.05 / 9)
    assert page.result.confidence == 0.95


def test_one_metric_is_judged_as_it_is() -> None:
    page = page_of(METRICS[:1], {"m00": 1.3})
    assert page.estimates[0].confidence == 0.95


@pytest.mark.parametrize("blocks", [3, pytest.param(6, marks=pytest.mark.long)])
def test_floors_of_many_metrics_are_judged_together(blocks: int) -> None:
    pages = [page_of(METRICS[:11], {}, seed, blocks=blocks) for seed in range(40)]
    assert sum(sentence_of("floor-not-zero", page) is not None for page in pages) <= 5


def test_a_baseline_that_changes_between_its_visits_is_a_doubt_among_many_metrics_too() -> None:
    page = page_of(METRICS[:11], {}, second={"m04": 1.2}, blocks=8)
    sentence = sentence_of("floor-not-zero", page) or ""
    assert sentence.startswith("The baseline against itself is not zero for spin m04: something changed")


def test_tails_name_an_arm_only_where_it_alone_has_them() -> None:
    """Twelve in a hundred runs of either arm are slower by 30 %: by chance no arm is named; of the
    treatment's alone it is.
    """
    assert (
        sum("tail-loss" in codes(page_of(METRICS[:1], {}, s, blocks=40, tails="both")) for s in range(30))
        <= 2
    )
    assert (
        sum("tail-loss" in codes(page_of(METRICS[:1], {}, s, blocks=60, tails="one")) for s in range(10)) >= 5
    )


def codes(page: Page) -> set[str]:
    return {doubt.code for doubt in page.doubts}
