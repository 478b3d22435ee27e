"""The loss corrected by a reference workload: beside the loss, never in its place."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest

from assay.design import plan_trials
from assay.model.goal import Goal
from assay.model.metric import Direction, Measurement, Metric
from assay.model.trial import Arm, PlannedTrial, Trial
from assay.pages.context import Page
from assay.report.render.json import from_json, to_json
from assay.report.render.markdown import markdown_report
from assay.report.render.text import text_report
from assay.results.outcome import build_page
from tests.builders import FACTS, RATE, WORKLOAD, plan_of, record_of

WALL = Metric("wall", "s", Direction.LOWER)
HEAT = Metric("heat", "count", Direction.LOWER, timed=False)
FLOPS = replace(WORKLOAD, name="flops", metrics=(HEAT, WALL, RATE))
TRIALS = plan_trials(("spin", "flops"), blocks=8, seed=1)
PLAN = plan_of(TRIALS, workloads=(WORKLOAD, FLOPS), goal=Goal(reference="flops"))


def record(planned: PlannedTrial) -> Trial:
    """Return a treatment with half the clock frequency and a loss of a tenth besides; it drifts by block."""
    drift = 1 + planned.block / 100
    clock, left = (0.5 * drift, 0.9) if planned.arm is Arm.TREATMENT else (1.0, 1.0)
    if planned.workload == "spin":
        return record_of(planned, 100 * clock * left)
    figures = (Measurement(HEAT, 7.0), Measurement(WALL, 4 / clock), Measurement(RATE, 3 * clock))
    return record_of(planned, None, measurements=figures)


RECORDS = [record(planned) for planned in TRIALS]


@pytest.fixture(scope="module")
def page() -> Page:
    return build_page(PLAN, RECORDS)


def test_the_difference_of_the_hardware_is_taken_out_block_by_block(page: Page) -> None:
    spin = page.estimates[0]
    assert spin.loss == pytest.approx(1 - 0.9 * 0.5 * 1.035, abs=0.01)
    assert spin.corrected is not None
    assert spin.corrected.reference == "flops"
    assert spin.corrected.loss == pytest.approx(0.1)
    assert spin.corrected.low == pytest.approx(0.1)
    assert spin.corrected.blocks == 8


def test_the_loss_itself_stays_what_was_measured(page: Page) -> None:
    plain = build_page(replace(PLAN, goal=Goal()), RECORDS)
    assert [replace(row, corrected=None) for row in page.estimates] == list(plain.estimates)
    assert all(row.corrected is None for row in plain.estimates)


def test_the_reference_is_not_corrected_by_itself(page: Page) -> None:
    assert [row.corrected for row in page.estimates if row.workload == "flops"] == [None, None, None]


def test_swapping_the_arms_turns_the_corrected_slowdown_around(page: Page) -> None:
    other = {Arm.BASELINE: Arm.TREATMENT, Arm.TREATMENT: Arm.BASELINE}
    once = [r for r in RECORDS if not r.planned.replicate]
    there = build_page(PLAN, once).estimates[0].corrected
    swapped = [replace(r, planned=replace(r.planned, arm=other[r.planned.arm])) for r in once]
    back = build_page(PLAN, swapped).estimates[0].corrected
    assert there is not None
    assert there.loss is not None
    assert back is not None
    assert back.loss is not None
    assert math.log1p(-there.loss) == pytest.approx(-math.log1p(-back.loss))


def test_a_block_without_its_reference_is_not_corrected() -> None:
    def lost(r: Trial) -> bool:
        return (r.planned.workload, r.planned.block, r.planned.arm) == ("flops", 3, Arm.TREATMENT)

    found = build_page(PLAN, [r for r in RECORDS if not lost(r)]).estimates[0]
    assert found.corrected is not None
    assert (found.blocks, found.corrected.blocks) == (8, 7)


def test_the_page_shows_it_beside_the_loss_and_labelled(page: Page) -> None:
    assert re.search(r"^workload +metric +loss +corrected by flops +blocks$", text_report(page), re.MULTILINE)
    assert "| corrected by flops |" in markdown_report(page)
    assert from_json(to_json(page).encode()) == page
    from assay.report.render.html import html_report

    assert "corrected by flops</th>" in html_report(page)


def test_two_machines_that_differ_are_told_how_to_link_them() -> None:
    other = replace(FACTS, cpu_model="Another CPU", kernel="6.9")
    found = [replace(r, facts=other) if r.planned.arm is Arm.TREATMENT else r for r in RECORDS]

    def doubts(goal: Goal) -> dict[str, str | None]:
        return {d.code: d.next for d in build_page(replace(PLAN, goal=goal), found).doubts}

    assert "reference" in (doubts(Goal())["processors-differ"] or "")
    assert "reference" not in (doubts(Goal())["kernels-differ"] or "")
    assert "reference" not in (doubts(PLAN.goal)["processors-differ"] or "")


@pytest.mark.parametrize("workload", ["spin", "flops"])
def test_where_results_differ_nothing_is_corrected(workload: str) -> None:
    records = [
        replace(r, result_digest=str(r.planned.arm)) if r.planned.workload == workload else r for r in RECORDS
    ]
    row = next(row for row in build_page(PLAN, records).estimates if row.workload == "spin")
    assert row.corrected is not None
    assert (row.corrected.loss, row.corrected.low, row.corrected.blocks) == (None, None, 0)
