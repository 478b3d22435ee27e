"""Rejected trials on the page of a result: counted, shown, in no figure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assay.design import plan_trials
from assay.design.rerun import RULES
from assay.model.goal import Goal
from assay.model.machines.machine import Machine, Reach
from assay.model.trial import Arm, Trial
from assay.model.work.disturbance import Cause, HostOver
from assay.pages.context import CauseCount
from assay.report.render.json import from_json, to_json
from assay.report.render.markdown import markdown_report
from assay.report.render.text import text_report
from assay.results.outcome import build_page
from tests.builders import plan_of, record_of

ROOT = Path(__file__).parents[2]
BLOCKS = 20
TRIALS = plan_trials(("spin",), blocks=BLOCKS, seed=1)
PLAN = plan_of(TRIALS, goal=Goal(rerun=(Cause.FOREIGN_CPU, Cause.SWAP)))
KEPT = [record_of(planned, 100.0 + planned.block / 10) for planned in TRIALS]
HOST = HostOver(4.0, (1,), 2.0, 0.0, None, None, 900, 0.0)


def rejected(arm: Arm, count: int) -> list[Trial]:
    """Return rejected tries whose figures would turn every loss around."""
    trials = [planned for planned in TRIALS if planned.arm is arm][:count]
    causes = (Cause.FOREIGN_CPU, Cause.SWAP)
    return [record_of(planned, 1e6, host=HOST, disturbed_by=causes) for planned in trials]


def test_rejected_trials_are_counted_by_arm_and_cause() -> None:
    page = build_page(PLAN, KEPT, rejected=rejected(Arm.TREATMENT, 2))
    base, treated = page.rejections
    assert (base.arm, base.rejected, base.runs, base.causes) == (Arm.BASELINE, 0, 2 * BLOCKS, ())
    assert (treated.arm, treated.rejected, treated.runs) == (Arm.TREATMENT, 2, BLOCKS + 2)
    assert treated.causes == (CauseCount("foreign-cpu", 2), CauseCount("swap", 2))


def test_no_rejected_figure_is_in_an_estimate() -> None:
    assert (
        build_page(PLAN, KEPT, rejected=rejected(Arm.TREATMENT, 5)).estimates
        == build_page(PLAN, KEPT).estimates
    )


def test_unequal_rejection_is_a_finding_with_a_next_step() -> None:
    page = build_page(PLAN, KEPT, rejected=rejected(Arm.TREATMENT, 5))
    (doubt,) = [doubt for doubt in page.doubts if doubt.code == "rejection-unequal"]
    assert "0 of 40 runs of the baseline and 5 of 25 runs of the treatment" in doubt.sentence
    assert doubt.next is not None


def test_as_many_on_both_arms_are_none() -> None:
    both = [*rejected(Arm.TREATMENT, 2), *rejected(Arm.BASELINE, 4)]
    codes = {doubt.code for doubt in build_page(PLAN, KEPT, rejected=both).doubts}
    assert codes.isdisjoint({"rejection-unequal", "disturbance-unequal"})


def test_trials_that_are_kept_though_disturbed_are_compared_between_the_arms_too() -> None:
    quiet = replace(HOST, foreign_s=0.0, swap_pages=0)
    found = [
        replace(r, host=HOST, disturbed_by=(Cause.SWAP,))
        if r.planned.arm is Arm.TREATMENT
        else replace(r, host=quiet)
        for r in KEPT
    ]
    codes = {doubt.code for doubt in build_page(replace(PLAN, goal=Goal()), found).doubts}
    assert "disturbance-unequal" in codes


def test_the_page_says_it_in_text_markdown_and_html() -> None:
    page = replace(build_page(PLAN, KEPT, rejected=rejected(Arm.TREATMENT, 1)))
    name = page.rejections[1].trials[0]
    line = f"other (treatment): 1 of 21 runs rejected and run again (foreign-cpu ×1, swap ×1): {name}"
    assert f"Run again\n  host (baseline): 0 of 40 runs rejected\n  {line}\n" in text_report(page)
    assert f"- {line}" in markdown_report(page)
    assert from_json(to_json(page).encode()) == page
    from assay.report.render.html import html_report

    assert f"<li>{line}</li>" in html_report(page)


def test_without_declared_causes_nothing_is_said_of_running_again() -> None:
    page = build_page(replace(PLAN, goal=Goal()), KEPT)
    assert page.rejections == ()
    assert "Run again" not in text_report(page)
    assert any(
        sentence.startswith("The host was read before and after each trial") for sentence in page.method
    )


def test_the_method_names_the_causes_that_were_declared_and_the_limits() -> None:
    (sentence,) = [s for s in build_page(PLAN, KEPT).method if "run again" in s]
    assert "foreign-cpu or swap" in sentence
    assert "at most 10% of the planned trials" in sentence


def test_of_two_machines_the_method_says_that_nothing_was_read() -> None:
    far = replace(PLAN, treatment=replace(PLAN.treatment, machine=Machine("far", Reach.SSH, "far")))
    page = build_page(far, KEPT)
    assert page.rejections == ()
    assert any(s.startswith("Disturbances of a host were not looked for") for s in page.method)


def test_the_documentation_lists_every_cause_as_it_is_applied() -> None:
    text = (ROOT / "docs" / "scenes.md").read_text()
    for cause, rule in RULES.items():
        assert f"| `{cause}` | {rule} |" in text
