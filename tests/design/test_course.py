"""How the losses narrowed, block by block."""

from __future__ import annotations

import random

from assay.activities.schedule import look_text
from assay.design import course, plan_trials
from assay.design.course import courses_of
from assay.model.trial import Arm, Trial
from assay.pages.numbers import size_text
from assay.report.charts.course import MOST, course_chart, course_charts
from assay.results.outcome import build_page
from tests.builders import plan_of, record_of

BLOCKS = 12
PLAN = plan_of(plan_trials(("spin",), blocks=BLOCKS, seed=1))


def records(loss: float = 0.5) -> list[Trial]:
    draw = random.Random(3)
    values = {Arm.BASELINE: 100.0, Arm.TREATMENT: 100.0 * (1 - loss)}
    return [record_of(one, values[one.arm] * (1 + draw.gauss(0, 0.01))) for one in PLAN.trials]


def of_blocks(count: int) -> list[Trial]:
    return [record for record in records() if record.planned.block < count]


def test_nothing_is_known_before_the_first_whole_block() -> None:
    assert courses_of(PLAN, []) == ()
    assert courses_of(PLAN, records()[:1]) == ()


def test_each_block_has_its_look_and_a_further_one_changes_none_before() -> None:
    (few,), (more,) = (courses_of(PLAN, of_blocks(count)) for count in (6, 7))
    assert [look.blocks for look in more.looks] == list(range(1, 8))
    assert few.looks == more.looks[:6]
    assert (more.looks[0].low, more.looks[0].high) == (None, None)
    widths = [look.high - look.low for look in more.looks if look.low is not None and look.high is not None]
    assert widths[-1] < widths[0]


def test_the_newest_look_is_what_a_follower_is_told() -> None:
    found = of_blocks(7)
    assert size_text_of(courses_of(PLAN, found)[0].now) in (look_text(PLAN, found) or "")


def size_text_of(look: course.Look) -> str:
    return size_text(look)


def test_the_last_look_of_a_plan_that_is_over_is_that_of_its_result() -> None:
    (row,) = build_page(PLAN, records()).estimates
    (found,) = courses_of(PLAN, records())
    assert (found.now.loss, found.now.low, found.now.high) == (row.loss, row.low, row.high)


def test_of_many_blocks_some_are_looked_at_the_first_and_the_last_with_them() -> None:
    looked = course._counts(1000)
    assert len(looked) == course.MOST_LOOKS
    assert (looked[0], looked[-1]) == (1, 1000)


def test_a_chart_shows_each_look_and_zero_only_where_it_is_near() -> None:
    (far,), (near,) = courses_of(PLAN, records()), courses_of(PLAN, records(0.005))
    chart = course_chart(far, PLAN.margin)
    assert [one["loss"] for one in chart["data"]["values"]] == [look.loss for look in far.looks]
    low, high = domain(chart)
    assert 0 < low < 0.5 < high
    low, high = domain(course_chart(near, PLAN.margin))
    assert low < -PLAN.margin < PLAN.margin < high
    assert len(course_charts([far] * (MOST + 3), PLAN.margin)) == MOST


def domain(chart: dict[str, object]) -> tuple[float, float]:
    layers = {layer["name"]: layer for layer in chart["layer"]}  # type: ignore[attr-defined]
    low, high = layers["loss"]["encoding"]["y"]["scale"]["domain"]
    return low, high
