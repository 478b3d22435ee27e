"""A score over all workloads: the geometric mean of the treatment's rates over the baseline's, block by
block.
"""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from assay.activities.plan.arms import Arms
from assay.activities.plan.suite_doubts import suite_doubts
from assay.design import plan_trials
from assay.design.ending import metered_of, wanted_of
from assay.model.activity import PlannedArm
from assay.model.goal import Goal
from assay.model.machines.floor import MetricFloor, SiteFloor
from assay.model.machines.machine import Limits, Machine, Reach
from assay.model.metric import Direction, Measurement, Metric
from assay.model.trial import Arm, PlannedTrial, Trial
from assay.model.work.accounting import METRICS as ACCOUNTING
from assay.model.work.workload import Workload
from assay.report.render.html import html_report
from assay.report.render.json import from_json, to_json
from assay.report.render.markdown import markdown_report
from assay.report.render.text import text_report
from assay.results.outcome import build_page
from assay.workloads import Sizes
from tests.builders import FACTS, RATE, WORKLOAD, plan_of, record_of

WALL = Metric("wall_time", "s", Direction.LOWER)
JOB = replace(WORKLOAD, name="job", metrics=(WALL,))
RATED = replace(WORKLOAD, name="rated", metrics=(WALL, RATE))
TRIALS = plan_trials(("spin", "job", "rated"), blocks=6, seed=1)
PLAN = plan_of(TRIALS, workloads=(WORKLOAD, JOB, RATED), goal=Goal(score=True))
KEPT = {"spin": 0.9, "job": 0.8, "rated": 0.5}
"""Part of the baseline's speed that the treatment keeps."""


def record(planned: PlannedTrial) -> Trial:
    """Return a trial; in each block the treatment is off by as much for all workloads."""
    treated = planned.arm is Arm.TREATMENT
    speed = KEPT[planned.workload] * (1 + planned.block / 100) if treated else 1.0
    rate, wall = Measurement(RATE, 100 * speed), Measurement(WALL, 7.0 / speed)
    figures = {"spin": (rate,), "job": (wall,), "rated": (Measurement(WALL, 7.0), rate)}
    return record_of(planned, None, measurements=figures[planned.workload])


RECORDS = [record(planned) for planned in TRIALS]


def test_all_workloads_weigh_the_same_each_by_its_rate_or_else_its_time() -> None:
    (score,) = build_page(PLAN, RECORDS).scores
    mean = math.prod(KEPT.values()) ** (1 / 3)
    assert score.score == pytest.approx(mean * 1.025, abs=0.002)
    assert score.loss == pytest.approx(1 - score.score)
    assert score.parts == ("spin events", "job wall_time", "rated events")
    assert score.blocks == 6
    assert score.low is not None
    assert score.high is not None
    assert score.low < score.loss < score.high < score.low + 0.1


def test_no_part_of_a_score_is_a_figure_of_the_accounting() -> None:
    asked = tuple(replace(one, metrics=(*one.metrics, *ACCOUNTING)) for one in PLAN.workloads)
    (score,) = build_page(replace(PLAN, workloads=asked), RECORDS).scores
    assert score.parts == ("spin events", "job wall_time", "rated events")


def test_a_block_that_one_workload_lacks_is_left_out() -> None:
    lost = [r for r in RECORDS if not (r.planned.block == 2 and r.planned.workload == "job")]
    assert [score.blocks for score in build_page(PLAN, lost).scores] == [5]


def test_without_one_workload_the_score_is_not_measured_and_names_it() -> None:
    page = build_page(PLAN, [r for r in RECORDS if r.planned.workload != "job"])
    (score,) = page.scores
    assert (score.score, score.loss, score.low, score.high, score.blocks) == (None, None, None, None, 0)
    assert score.reason is not None
    assert score.reason.startswith("job wall_time: ")
    for shown in (text_report(page), markdown_report(page), html_report(page)):
        assert "no score: job wall" in shown.replace("\\", "")


def test_without_the_scenes_word_there_is_no_score() -> None:
    assert not build_page(replace(PLAN, goal=Goal()), RECORDS).scores


def test_a_workload_whose_results_differ_has_no_part_in_a_score() -> None:
    other = [
        replace(r, result_digest="b" if r.planned.arm is Arm.TREATMENT else "a")
        if r.planned.workload == "job"
        else r
        for r in RECORDS
    ]
    (score,) = build_page(PLAN, other).scores
    assert score.score is None
    assert "did not come to the same result" in (score.reason or "")


def test_a_part_whose_size_is_not_by_its_rule_is_marked() -> None:
    small = replace(RATED, rule_met=False, note="arrays of 8 MiB: too small")
    page = build_page(replace(PLAN, workloads=(WORKLOAD, JOB, small)), RECORDS)
    assert page.scores[0].marks == ("rated: arrays of 8 MiB: too small",)
    assert "a part whose size is not by its rule: rated: arrays of 8 MiB" in text_report(page)


@pytest.mark.parametrize("sessions", [1, 2])
def test_the_largest_floor_of_the_parts_is_in_the_interval(sessions: int) -> None:
    def floor(sigma: float, workload: Workload, metric: str) -> MetricFloor:
        return MetricFloor(workload.work, workload.name, metric, 5, 20, sigma, 0.01)

    known = (floor(0.05, WORKLOAD, "events"), floor(0.02, JOB, "wall_time"))
    bare = replace(PLAN, confidence=0.9)
    plan = replace(bare, floor=SiteFloor("node", 0, 4, 0, known))
    gap = [7200 * 10**9 * (r.planned.block // 3) * (sessions - 1) for r in RECORDS]
    apart = [
        replace(r, started_ns=r.started_ns + ns, ended_ns=(r.ended_ns or 0) + ns)
        for r, ns in zip(RECORDS, gap, strict=True)
    ]
    (plain,), (wide,) = build_page(bare, apart).scores, build_page(plan, apart).scores
    # t(7) at 90 %, sqrt(2 / sessions) times three of 0.001 and four of 0.05, squared, over 7
    half = 1.894579 * math.sqrt(2 / sessions) * math.sqrt((3 * 0.001**2 + 4 * 0.05**2) / 7)
    assert None not in (plain.loss, plain.low, plain.high, wide.low, wide.high)
    assert wide.loss == plain.loss
    centre = math.log(1 - plain.loss)  # type: ignore[operator]
    for end, bare_end in ((wide.low, plain.low), (wide.high, plain.high)):
        off = math.hypot(math.log(1 - bare_end) - centre, half)  # type: ignore[operator]
        assert abs(math.log(1 - end) - centre) == pytest.approx(off, rel=1e-6)  # type: ignore[operator]
    (alone,) = (m for w, n, m in metered_of(plan, apart) if (w, n) == ("spin", "events"))
    spin = alone.estimate(wanted_of(plan))
    assert math.log((1 - wide.low) / (1 - wide.high)) == pytest.approx(  # type: ignore[operator]
        math.log((1 - spin.low) / (1 - spin.high)),  # type: ignore[operator]
        rel=0.01,
    )


def test_a_score_that_is_looked_at_again_and_again_has_an_interval_that_holds_at_every_look() -> None:
    often = replace(PLAN, goal=Goal(score=True, adaptive=True))
    (once,), (each,) = build_page(PLAN, RECORDS).scores, build_page(often, RECORDS).scores
    assert once.loss == each.loss
    assert None not in (once.low, once.high, each.low, each.high)
    assert each.low < once.low < once.high < each.high  # type: ignore[operator]


def test_each_treatment_of_a_sweep_has_its_score_in_every_rendering() -> None:
    trials = plan_trials(("spin", "job", "rated"), blocks=3, seed=1, visits=(1, 1))
    second = replace(PLAN.treatment, label="guest, disk.io native")
    plan = replace(PLAN, trials=trials, more=(second,), blocks=3)
    page = build_page(plan, [record(planned) for planned in trials])
    assert [score.treatment for score in page.scores] == [PLAN.treatment.label, second.label]
    assert from_json(to_json(page)) == page
    for shown in (text_report(page), markdown_report(page), html_report(page)):
        assert "geometric mean over the workloads" in shown
        assert "job wall_time" in shown


def test_what_suites_ask_of_a_machine_is_doubted() -> None:
    here = PlannedArm("host", Machine("local", Reach.LOCAL), Limits((0, 1)))
    arms = Arms(here, here, Sizes(None, 2**31, 2))
    assert [one.code for one in suite_doubts(arms, replace(FACTS, governor="powersave"))] == [
        "memory-a-core",
        "governor",
    ]
    roomy = replace(arms, sizes=Sizes(None, 2**33, 2))
    assert not list(suite_doubts(roomy, replace(FACTS, governor="performance")))
