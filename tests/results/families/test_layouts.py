"""The map of losses over layouts: knee, cheapest layout, what stagger and preload win back."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from assay.design import plan_trials
from assay.design.sweep import views_of
from assay.model.activity import ActivityPlan, PlannedGuest
from assay.model.figures.estimate import Verdict
from assay.model.machines.floor import MetricFloor, SiteFloor
from assay.model.platforms.layout import Layout, label_of
from assay.model.platforms.platform import GuestWeight
from assay.model.trial import Arm, PlannedTrial, State, Trial
from assay.pages.families.layouts import LayoutMap
from assay.report.render.text import text_report
from assay.report.tables.layout import held_lines, map_cells, map_headers, map_lines
from assay.results.families.layouts import layout_maps
from assay.results.losses.rows import rows_of
from assay.results.outcome import build_page
from tests.builders import WORKLOAD, plan_of, record_of

LAYOUTS = (Layout(1), Layout(2), Layout(4), Layout(2, 5.0), Layout(4, 5.0))
SPEEDS = (95.0, 94.9, 80.0, 95.0, 94.0)
MIB = 1024**2
DAY_NS = 86_400 * 10**9


def planned(layouts: tuple[Layout, ...] = LAYOUTS, blocks: int = 6) -> ActivityPlan:
    plan = plan_of(plan_trials(("spin",), blocks=blocks, seed=3, visits=(1,) * len(layouts)))
    first, *more = (
        replace(
            plan.treatment, label=label_of(layout, 1), guest=PlannedGuest(4, 2**31, "none", "i", (), layout)
        )
        for layout in layouts
    )
    return replace(plan, treatment=first, more=tuple(more))


def ran(trial: PlannedTrial, speeds: tuple[float, ...] = SPEEDS) -> Trial:
    guests = LAYOUTS[trial.level].guests
    speed = 100.0 if trial.arm is Arm.BASELINE else speeds[trial.level]
    shake = 1 + ((trial.index * 7) % 5 - 2) / 2000
    weight = GuestWeight(512 * MIB, 100 * MIB * guests, 60 * MIB * guests, 0, 1.0)
    return record_of(trial, speed * shake, weight=None if trial.arm is Arm.BASELINE else weight)


def failed(record: Trial, *, level: int) -> Trial:
    """Return a record, failed where it is of this layout."""
    lost = record.planned.arm is Arm.TREATMENT and record.planned.level == level
    return replace(record, state=State.FAILED, measurements=()) if lost else record


PLAN = planned()
RECORDS = [ran(trial) for trial in PLAN.trials]


def test_the_map_has_a_point_for_each_layout_with_the_loss_of_its_row() -> None:
    page = build_page(PLAN, RECORDS)
    (found,) = page.layouts
    assert [(p.guests, p.stagger_s) for p in found.points] == [(1, 0), (2, 0), (2, 5), (4, 0), (4, 5)]
    by_label = {row.treatment: row for row in page.estimates}
    assert all(point.loss == by_label[point.label].loss for point in found.points)
    assert found.points[3].loss == pytest.approx(0.2, abs=0.01)


def test_the_knee_is_the_first_step_beyond_the_margin() -> None:
    (found,) = build_page(PLAN, RECORDS).layouts
    together, staggered = found.knees
    assert (together.stagger_s, together.guests, staggered.stagger_s, staggered.guests) == (0, 4, 5, None)
    assert together.loss == pytest.approx(1 - 80 / 94.9, abs=0.01)
    assert together.low is not None
    assert together.low > PLAN.margin


def test_the_cheapest_layout_is_the_one_with_fewest_guests_of_those_that_cannot_be_told_apart() -> None:
    (found,) = build_page(PLAN, RECORDS).layouts
    assert found.cheapest == "1 guest"
    assert "2 guests on 1 core, stagger 5 s" in found.tied
    assert "4 guests on 1 core" not in found.tied


def test_what_the_stagger_wins_back_with_most_guests_is_paired_by_block() -> None:
    (found,) = build_page(PLAN, RECORDS).layouts
    (gain,) = found.gains
    assert (gain.what, gain.against) == ("stagger 5 s", "4 guests on 1 core")
    assert gain.gain == pytest.approx(94 / 80 - 1, abs=0.01)
    assert gain.low is not None
    assert gain.high is not None
    assert gain.low < gain.gain < gain.high


def test_starts_at_once_are_a_line_of_their_own_and_what_they_change_is_paired() -> None:
    layouts = (Layout(1), Layout(4), Layout(4, 5.0), Layout(4, 5.0, at_once=2))
    speeds = (95.0, 80.0, 94.0, 90.0)
    plan = planned(layouts)
    records = [_of_four(trial, speeds) for trial in plan.trials]
    (found,) = build_page(plan, records).layouts
    assert [(p.guests, p.stagger_s, p.at_once) for p in found.points] == [
        (1, 0, 1),
        (4, 0, 1),
        (4, 5, 1),
        (4, 5, 2),
    ]
    assert [(knee.stagger_s, knee.at_once, knee.guests) for knee in found.knees] == [
        (0, 1, 4),
        (5, 1, None),
        (5, 2, 4),
    ]
    assert [(gain.what, gain.label, gain.against) for gain in found.gains] == [
        ("stagger 5 s", "4 guests on 1 core, stagger 5 s", "4 guests on 1 core"),
        ("stagger 5 s, 2 at once", "4 guests on 1 core, stagger 5 s, 2 at once", "4 guests on 1 core"),
        (
            "2 at once",
            "4 guests on 1 core, stagger 5 s, 2 at once",
            "4 guests on 1 core, stagger 5 s",
        ),
    ]
    assert found.gains[2].gain == pytest.approx(90 / 94 - 1, abs=0.01)
    assert map_headers(found) == ("guests", "together", "stagger 5 s", "stagger 5 s, 2 at once")
    assert [row[0] for row in map_cells(found)] == ["1", "4"]
    assert map_cells(found)[1][3] != map_cells(found)[1][2] != "-"
    assert any("stagger 5 s, 2 at once: knee at 4 guests" in line for line in map_lines(found))


def _of_four(trial: PlannedTrial, speeds: tuple[float, ...]) -> Trial:
    speed = 100.0 if trial.arm is Arm.BASELINE else speeds[trial.level]
    return record_of(trial, speed * (1 + ((trial.index * 7) % 5 - 2) / 2000))


def test_an_activity_without_layouts_has_no_map() -> None:
    plan = plan_of(plan_trials(("spin",), blocks=3, seed=3))
    assert build_page(plan, [record_of(trial, 1.0) for trial in plan.trials]).layouts == ()
    assert layout_maps(planned((Layout(2), Layout(2)), 3), (), ()) == ()


def test_other_levels_make_maps_of_their_own() -> None:
    second = replace(PLAN.treatment, label="1 guest, disk.cache unsafe")
    plan = replace(PLAN, more=(*PLAN.more[:3], second))
    records = [ran(trial) for trial in plan.trials]
    assert [found.rest for found in build_page(plan, records).layouts] == ["", "disk.cache unsafe"]


def test_a_layout_that_was_never_measured_is_no_number() -> None:
    records = [r for r in RECORDS if r.planned.arm is Arm.BASELINE or r.planned.level != 2]
    (found,) = build_page(PLAN, records).layouts
    point = next(point for point in found.points if point.guests == 4 and not point.stagger_s)
    assert (point.loss, point.beside_bytes) == (None, None)
    assert map_cells(found)[2][1].startswith("-")
    assert found.gains == ()


def test_the_page_says_map_knee_cheapest_and_weight() -> None:
    page = build_page(PLAN, RECORDS)
    (found,) = page.layouts
    assert [row[0] for row in map_cells(found)] == ["1", "2", "4"]
    assert map_cells(found)[0][2] == "-"
    text = text_report(page)
    assert all(line in text for line in map_lines(found))
    assert "4 guests 640 MiB, 240 MiB of it beside the guests' own" in held_lines(page)[0]
    assert "knee at 4 guests" in text


def test_no_knee_is_said_only_where_every_step_lies_within_the_margin() -> None:
    def shaken(trial: PlannedTrial) -> Trial:
        return ran(
            trial, tuple(s * (1 + 0.1 * ((trial.block + level) % 2)) for level, s in enumerate(SPEEDS))
        )

    (sure,) = build_page(PLAN, RECORDS).layouts
    assert [(knee.guests, knee.known) for knee in sure.knees] == [(4, True), (None, True)]
    assert "stagger 5 s: no knee up to 4 guests" in "\n".join(map_lines(sure))
    (unsure,) = build_page(PLAN, [shaken(trial) for trial in PLAN.trials]).layouts
    staggered = unsure.knees[1]
    assert (staggered.guests, staggered.known) == (None, False)
    assert "stagger 5 s: not known whether there is a knee up to 4 guests" in "\n".join(map_lines(unsure))


def test_a_single_layout_that_was_measured_is_not_the_cheapest() -> None:
    records = [r for r in RECORDS if r.planned.arm is Arm.BASELINE or r.planned.level == 2]
    (found,) = build_page(PLAN, records).layouts
    assert (found.cheapest, found.tied, found.measured) == (None, (), True)


def test_the_cheapest_layout_comes_with_those_that_were_not_measured() -> None:
    (found,) = build_page(PLAN, [failed(record, level=2) for record in RECORDS]).layouts
    assert map_lines(found)[0].endswith("; not measured: 4 guests on 1 core")


def test_one_block_tells_no_cheapest_layout_and_no_knee() -> None:
    plan = planned(blocks=1)
    (found,) = build_page(plan, [ran(trial) for trial in plan.trials]).layouts
    assert (found.cheapest, found.tied, found.knees) == (None, (), ())
    assert found.points[0].loss is not None


def test_a_line_of_one_number_of_guests_has_no_knee_to_look_for() -> None:
    plan = replace(PLAN, more=(*PLAN.more[:3], replace(PLAN.more[3], label="4 guests on 1 core, preload",
        guest=PlannedGuest(4, 2**31, "none", "i", (), Layout(4, preload=True)))))  # fmt: skip
    (found,) = build_page(plan, RECORDS).layouts
    assert {(knee.stagger_s, knee.preload) for knee in found.knees} == {(0, False), (5, False)}


def equal_layouts(noise: random.Random) -> LayoutMap:
    """Return the map of four layouts of six blocks that differ by chance alone."""
    plan = planned(LAYOUTS[:4])
    records = [record_of(trial, 100 * noise.lognormvariate(0, 0.05)) for trial in plan.trials]
    rows = [
        replace(row, treatment=view.plan.treatment.label)
        for view in views_of(plan, records)
        for row in rows_of(view.plan, view.records, early=False)
    ]
    (found,) = layout_maps(plan, records, rows)
    return found


def test_of_equal_layouts_one_is_missing_from_those_alike_no_more_often_than_the_confidence_allows() -> None:
    noise = random.Random(2)
    missing = sum(len(equal_layouts(noise).tied) < 3 for _ in range(150))
    assert missing <= 7  # 5 %; with each pair at 95 % by itself it is 18 of these


def test_layouts_without_scatter_have_no_knee_no_gain_and_no_cheapest_as_their_rows_have_no_verdict() -> None:
    def flat(trial: PlannedTrial) -> float:
        return 100.0 if trial.arm is Arm.BASELINE else SPEEDS[trial.level]

    plan = planned(blocks=3)
    (found,) = build_page(plan, [record_of(trial, flat(trial)) for trial in plan.trials]).layouts
    assert {point.verdict for point in found.points} == {Verdict.INCONCLUSIVE}
    assert [(knee.guests, knee.known) for knee in found.knees] == [(None, False), (None, False)]
    assert (found.gains, found.cheapest, found.tied) == ((), None, ())
    assert "not known whether there is a knee up to 4 guests" in map_lines(found)[0]


def test_an_interrupted_run_has_no_knee_no_gain_and_no_cheapest_before_its_rows_have_verdicts() -> None:
    plan = planned(blocks=20)
    (found,) = build_page(plan, [ran(trial) for trial in plan.trials if trial.block < 3]).layouts
    assert {point.verdict for point in found.points} == {Verdict.INCONCLUSIVE}
    assert [(knee.guests, knee.known) for knee in found.knees] == [(None, False), (None, False)]
    assert (found.gains, found.cheapest) == ((), None)
    (later,) = build_page(plan, [ran(trial) for trial in plan.trials if trial.block < 12]).layouts
    assert (later.knees[0].guests, later.cheapest, len(later.gains)) == (4, "1 guest", 1)
    assert "4 guests on 1 core" not in later.tied


def test_knee_and_gain_of_three_blocks_are_ranges() -> None:
    plan = planned(blocks=3)
    (found,) = build_page(plan, [ran(trial) for trial in plan.trials]).layouts
    assert (found.knees[0].blocks, found.gains[0].blocks) == (3, 3)
    said = "\n".join(map_lines(found))
    assert re.search(r"knee at 4 guests, which lose 15\.\d+ to 1[56]\.\d+ % against", said)
    assert re.search(r"stagger 5 s wins back 1[67]\.\d+ to 1[78]\.\d+ % with", said)


def test_a_step_within_the_floor_of_the_site_is_no_knee() -> None:
    known = MetricFloor(WORKLOAD.work, "spin", "events", 4, 40, 0.1, 0.01)
    (found,) = build_page(replace(PLAN, floor=SiteFloor("node", 0, 1, 0, (known,))), RECORDS).layouts
    assert [(knee.guests, knee.known) for knee in found.knees] == [(None, False), (None, False)]
    assert len(found.tied) == 4


def test_a_step_of_a_single_session_among_three_is_no_knee() -> None:
    def at(trial: PlannedTrial) -> Trial:
        """Four guests lose 30 % in the first session alone, and a day lies between two sessions."""
        session, slow = trial.block // 3, 70.0 if trial.block < 3 else 90.0
        record = ran(trial, (95.0, 94.9, slow, 95.0, 94.0))
        return replace(
            record,
            started_ns=record.started_ns + session * DAY_NS,
            ended_ns=record.ended_ns + session * DAY_NS,
        )

    plan = planned(blocks=9)
    (found,) = build_page(plan, [at(trial) for trial in plan.trials]).layouts
    assert (found.knees[0].guests, found.knees[0].known) == (None, False)
    assert "4 guests on 1 core" in found.tied


def test_the_intervals_of_all_steps_of_a_line_hold_together() -> None:
    plan = planned(blocks=12)
    records = [ran(trial) for trial in plan.trials]
    (two,) = build_page(plan, records).layouts
    (one,) = build_page(plan, [failed(record, level=0) for record in records]).layouts
    widths = [(found.knees[0].high or 0.0) - (found.knees[0].low or 0.0) for found in (one, two)]
    assert widths[0] < widths[1]
