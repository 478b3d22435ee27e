"""What assay itself took of processors that it shared with the trials."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.design import plan_trials
from assay.model.activity import ActivityPlan, Sharing
from assay.model.machines.processors import Controller
from assay.model.trial import Trial
from assay.model.work.disturbance import HostOver
from assay.report.render.text import text_report
from assay.results.losses.controller_use import controller_use
from assay.results.outcome import build_page
from tests.builders import plan_of, record_of

TRIALS = plan_trials(("spin",), blocks=4, seed=1)
SHARED = Sharing(Controller.SHARED, (), (1,), 8 << 30, 0, 1 << 29)
CODE = "controller-shares-cores"


def plan(sharing: Sharing | None = SHARED) -> ActivityPlan:
    return plan_of(TRIALS, sharing=sharing)


def records(*spent_s: float | None) -> list[Trial]:
    """Return records of 4 s each on one processor, of which the controller had some by turns."""
    host = HostOver(4.0, (1,), 0.0, 0.0, None, None, 0, 0.0)
    each = [spent_s[number % len(spent_s)] for number in range(len(TRIALS))]
    return [
        record_of(planned, 100.0 + planned.block, host=replace(host, controller_s=spent))
        for planned, spent in zip(TRIALS, each, strict=True)
    ]


def test_its_share_is_that_of_all_trials_and_the_most_of_one() -> None:
    used = controller_use(plan(), records(0.01, 0.03))
    assert used is not None
    assert used.share == pytest.approx(0.005)
    assert used.most_share == pytest.approx(0.0075)


@pytest.mark.parametrize(
    "sharing",
    [
        None,
        replace(SHARED, processors=(0, 1)),
        replace(SHARED, controller=Controller.OWN_CORE, kept=(0,), processors=(0, 1)),
    ],
)
def test_where_a_processor_was_left_for_it_nothing_is_said(sharing: Sharing | None) -> None:
    assert controller_use(plan(sharing), records(0.5)) is None


def test_what_was_not_read_is_not_nothing() -> None:
    assert controller_use(plan(), records(None)) is None
    some = controller_use(plan(), records(None, 0.04))
    assert some is not None
    assert some.share == pytest.approx(0.01)


def test_it_is_said_on_the_page_and_a_doubt_where_it_shows() -> None:
    quiet = build_page(plan(), records(0.004))
    assert CODE not in {doubt.code for doubt in quiet.doubts}
    assert "it took 0.10% of their time over all trials, at most 0.10% of one" in text_report(quiet)
    loud = build_page(plan(), records(0.1))
    (doubt,) = [one for one in loud.doubts if one.code == CODE]
    assert "took 2.50% of their time" in doubt.sentence
    assert "The controller shared" not in text_report(build_page(plan(None), records(0.1)))
