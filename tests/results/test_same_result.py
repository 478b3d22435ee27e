"""Trials that came to different results are not compared, nor is what was not the job's own."""

from __future__ import annotations

from dataclasses import replace

from assay.design.stopping import Metered, Wanted
from assay.model.figures.estimate import Verdict
from assay.model.goal import Goal
from assay.model.metric import Measurement
from assay.model.platforms.platform import SeenFactor
from assay.model.trial import Arm, Trial
from assay.model.work.storage import OF_STORAGE
from assay.results.comparison.compare import _difference
from assay.results.comparison.side import Side, side_of
from assay.results.losses.as_judged import AsJudged
from assay.results.outcome import build_page
from assay.workloads.tools.root_analysis import definition as root_analysis
from tests.results.test_outcome import PLAN, records

SERVED = (SeenFactor("data.access", "glusterfs", "its mount"),)


def reported(*digests: str | None) -> list[Trial]:
    """Return the records of the plan, each with a digest; the last one goes for all that are left."""
    every = records()
    padded = [*digests, *[digests[-1]] * len(every)]
    return [replace(record, result_digest=digest) for record, digest in zip(every, padded, strict=False)]


def test_the_same_result_everywhere_changes_nothing() -> None:
    page = build_page(PLAN, reported("a"))
    assert page.estimates == build_page(PLAN, records()).estimates
    assert any(said.startswith("The same result in every trial, on all arms") for said in page.method)


def test_a_trial_with_another_result_takes_the_loss_of_its_workload_away() -> None:
    page = build_page(PLAN, reported("a", "b"))
    first = reported("a", "b")[0].planned.workload
    rows = [row for row in page.estimates if row.workload == first]
    assert rows
    for row in rows:
        assert (row.verdict, row.loss, row.low, row.high) == (Verdict.NOT_MEASURED, None, None, None)
        assert "did not come to the same result" in (row.reason or "")
        assert row.blocks_data
    doubt = next(doubt for doubt in page.doubts if doubt.code == "result-differs")
    assert "told a" in doubt.sentence
    assert "told b" in doubt.sentence
    assert doubt.next


def test_a_trial_that_tells_of_no_result_is_held_against_none() -> None:
    page = build_page(PLAN, reported("a", None))
    assert not [doubt for doubt in page.doubts if doubt.code == "result-differs"]


def test_what_was_taken_away_is_not_compared_with_another_result_either() -> None:
    judged = AsJudged(Metered([0.1, 0.2]), Wanted(Goal()), 0.95)
    first = reported("a", "b")[0].planned.workload
    good, barred = (
        [replace(line, judged=judged) for line in side(records).lines if line.workload == first]
        for records in (reported("a"), reported("a", "b"))
    )
    pairs = list(zip(good, barred, strict=True))
    assert pairs
    assert all(one.shown.loss is not None and other.shown.loss is None for one, other in pairs)
    assert all(_difference(one, other, {}, 0.95, 0.95) is None for one, other in pairs)
    assert all(_difference(one, one, {}, 0.95, 0.95) is not None for one, _ in pairs)


def side(records: list[Trial]) -> Side:
    return side_of(PLAN, records, build_page(PLAN, records))


def test_what_a_server_read_for_the_job_has_no_loss() -> None:
    (workload,) = PLAN.workloads
    plan = replace(
        PLAN, workloads=(replace(workload, parser=root_analysis.NAME, metrics=root_analysis.METRICS),)
    )
    figures = tuple(Measurement(metric, 7.0) for metric in root_analysis.METRICS)
    found = [
        replace(one, measurements=figures, data=SERVED if one.planned.arm is Arm.TREATMENT else ())
        for one in records()
    ]
    verdicts = {row.metric: (row.verdict, row.loss) for row in build_page(plan, found).estimates}
    of_storage = {metric.name for metric in OF_STORAGE}
    assert {name for name, found in verdicts.items() if found == (Verdict.NOT_MEASURED, None)} == of_storage
    local = [replace(one, measurements=figures) for one in records()]
    assert all(row.loss is not None for row in build_page(plan, local).estimates)
