"""Doubts about verdicts that chance may have given, where many metrics are judged."""

from __future__ import annotations

import random
from dataclasses import replace

from assay.design import plan_trials
from assay.model.metric import Direction, Measurement, Metric
from assay.model.trial import Arm, PlannedTrial, Trial
from assay.report.context import Page
from assay.results.outcome import build_page
from tests.builders import plan_of, record_of

MANY = 40
TRIALS = plan_trials(("spin",), blocks=3, seed=1)
METRICS = [Metric(f"m{number:02}", "s", Direction.LOWER) for number in range(MANY)]


def page_of(metrics: list[Metric], slower: dict[str, float], seed: int = 3) -> Page:
    """Return the page of an activity whose arms differ by chance, but for the metrics that are slower."""
    draw = random.Random(seed)

    def measured(planned: PlannedTrial) -> Trial:
        record = record_of(planned, 1.0)
        treated = planned.arm is Arm.TREATMENT
        values = (
            draw.gauss(100, 1) * (slower.get(metric.name, 1.0) if treated else 1.0) for metric in metrics
        )
        figures = tuple(Measurement(metric, value) for metric, value in zip(metrics, values, strict=True))
        return replace(record, measurements=figures)

    plan = plan_of(TRIALS)
    (workload,) = plan.workloads
    plan = replace(plan, workloads=(replace(workload, metrics=tuple(metrics)),))
    return build_page(plan, [measured(planned) for planned in TRIALS])


def sentence_of(code: str, page: Page) -> str | None:
    return next((doubt.sentence for doubt in page.doubts if doubt.code == code), None)


def called(page: Page) -> int:
    return sum(row.verdict in ("loss", "gain") for row in page.estimates)


def test_verdicts_no_more_than_chance_gives_are_doubted() -> None:
    page = page_of(METRICS, {})
    assert 0 < called(page) <= 6
    sentence = sentence_of("many-metrics", page)
    assert sentence is not None
    assert sentence.startswith(
        f"{called(page)} of 40 metrics are called a loss or a gain: where nothing differs chance"
    )
    assert "about 2 at 95 %" in sentence


def test_a_loss_that_bears_all_metrics_is_not_doubted() -> None:
    page = page_of(METRICS, {"m00": 8.0})
    sentence = sentence_of("many-metrics", page)
    assert sentence is None or "m00" not in sentence


def test_more_verdicts_than_chance_gives_are_not_doubted() -> None:
    page = page_of(METRICS, {metric.name: 1.3 for metric in METRICS[:20]})
    assert called(page) > 15
    assert sentence_of("many-metrics", page) is None


def test_few_metrics_are_judged_as_they_are() -> None:
    page = page_of(METRICS[:5], {"m00": 1.3})
    assert called(page) >= 1
    assert sentence_of("many-metrics", page) is None


def test_a_floor_of_many_metrics_may_be_off_zero_by_chance() -> None:
    many, few = page_of(METRICS, {}), page_of(METRICS[:1], {}, seed=9)
    assert "so it may be chance" in (sentence_of("floor-not-zero", many) or "")
    assert "chance" not in (sentence_of("floor-not-zero", few) or "")
