"""Blocks over sessions, looks, the A/A history, what earlier activities tell."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from assay.activities.plan.site_floor import floor_of, keep_campaigns, read_campaigns
from assay.activities.schedule import blocks_wanted, look_text, next_session_s
from assay.design import plan_trials
from assay.model.activity import ActivityPlan, PlannedGuest
from assay.model.figures.estimate import Verdict
from assay.model.goal import Goal, Shape
from assay.model.trial import Arm, Trial
from assay.results.history import cost_of
from assay.results.outcome import build_page
from assay.store.record import RecordError
from assay.store.schema import floor_schema
from tests.builders import plan_of, record_of

S = 10**9
TRIALS = plan_trials(("spin",), blocks=12, seed=1, shape=Shape.PAIRS)
GOAL = Goal(shape=Shape.PAIRS, sessions=3, session_gap_s=3600.0)
PLAN = plan_of(TRIALS, goal=GOAL)


def some(blocks: int, plan: ActivityPlan = PLAN, *, treatment: float = 50.0) -> list[Trial]:
    return [
        record_of(t, treatment + t.block % 2 if t.arm is Arm.TREATMENT else 100.0 + t.block % 3)
        for t in plan.trials
        if t.block < blocks
    ]


def ended_s(records: list[Trial]) -> float:
    return max(record.ended_ns for record in records) / S


def test_a_session_takes_its_even_share_and_then_waits() -> None:
    assert next_session_s(PLAN, some(3), now_s=0) == 0
    four = some(4)
    assert next_session_s(PLAN, four, now_s=ended_s(four) + 600) == pytest.approx(3000)
    assert next_session_s(PLAN, four, now_s=ended_s(four) + 3600) == 0


def test_a_session_never_ends_within_a_block() -> None:
    assert next_session_s(PLAN, some(4)[:-1], now_s=0) == 0


def test_the_last_session_takes_the_rest() -> None:
    def at(record: Trial) -> Trial:
        by = 7200 * S * min(record.planned.block // 2, 2)
        return replace(record, started_ns=record.started_ns + by, ended_ns=record.ended_ns + by)

    assert next_session_s(PLAN, [at(r) for r in some(11)], now_s=0) == 0


def test_without_sessions_nothing_ever_waits() -> None:
    assert next_session_s(replace(PLAN, goal=Goal()), some(11), now_s=0) == 0


def test_a_goal_shortens_what_is_expected() -> None:
    adaptive = replace(PLAN, goal=Goal(adaptive=True, shape=Shape.PAIRS))
    assert blocks_wanted(PLAN, some(6)) == 12
    assert blocks_wanted(adaptive, some(6)) == 6
    assert blocks_wanted(adaptive, []) == 12


def test_a_look_says_what_is_known_and_what_is_to_come() -> None:
    adaptive = replace(PLAN, goal=Goal(adaptive=True, shape=Shape.PAIRS))
    assert look_text(PLAN, []) is None
    assert look_text(PLAN, some(2)).startswith("after 2 blocks: loss of spin events ")  # type: ignore[union-attr]
    assert "ended: every metric has what was wanted" in (look_text(adaptive, some(6)) or "")


def test_a_result_over_sessions_speaks_of_the_machine_and_else_of_the_session() -> None:
    def at(record: Trial) -> Trial:
        by = 7200 * S * (record.planned.block >= 6)
        return replace(record, started_ns=record.started_ns + by, ended_ns=record.ended_ns + by)

    (row,) = build_page(PLAN, [at(r) for r in some(12)]).estimates
    assert row.aim is not None
    assert row.aim.scope == "this-machine"
    assert [block.session for block in row.blocks_data] == [0] * 6 + [1] * 6
    assert build_page(PLAN, some(12)).estimates[0].aim.scope == "this-session"  # type: ignore[union-attr]


def test_a_verdict_by_t_is_not_drawn_before_the_declared_number_of_blocks() -> None:
    plan = plan_of(tuple(t for t in TRIALS if t.block < 5), goal=Goal(shape=Shape.PAIRS))
    assert build_page(plan, some(4, plan)).estimates[0].verdict is Verdict.INCONCLUSIVE
    assert build_page(plan, some(5, plan)).estimates[0].verdict is Verdict.LOSS


def test_a_page_of_a_goal_reached_early_is_complete_and_lists_what_ran() -> None:
    adaptive = replace(PLAN, goal=Goal(adaptive=True, shape=Shape.PAIRS))
    page = build_page(adaptive, some(6))
    assert page.result.state == "complete"
    assert len(page.trials) == 12
    assert page.estimates[0].reason is None
    assert any("6 of at most 12 blocks" in line for line in page.method)


def test_a_campaign_is_kept_once_and_comes_back_as_the_floor(tmp_path: Path) -> None:
    same = some(12, treatment=100.0)
    for _ in range(2):
        keep_campaigns(tmp_path, PLAN, same)
    assert len(read_campaigns(tmp_path)) == 1
    floor = floor_of(tmp_path, os.uname().nodename)
    assert floor is not None
    assert (floor.campaigns, floor.metrics[0].blocks) == (1, 12)
    page = build_page(replace(PLAN, floor=floor), same)
    assert page.badge is not None
    assert page.badge.metrics[0].workload == "spin"


def test_a_run_of_a_proof_is_no_campaign_though_nothing_differs_in_it(tmp_path: Path) -> None:
    keep_campaigns(tmp_path, replace(PLAN, proof_of="0123abcd"), some(12, treatment=100.0))
    assert read_campaigns(tmp_path) == []


def test_restored_guests_are_no_campaign_since_no_boot_is_in_their_blocks(tmp_path: Path) -> None:
    def both(wanted: PlannedGuest) -> ActivityPlan:
        return replace(
            PLAN,
            baseline=replace(PLAN.baseline, guest=wanted),
            treatment=replace(PLAN.baseline, guest=wanted),
        )

    wanted = PlannedGuest(2, 2**30, "none", "i")
    keep_campaigns(tmp_path, both(replace(wanted, restored=True)), some(12, treatment=100.0))
    assert read_campaigns(tmp_path) == []
    keep_campaigns(tmp_path, both(wanted), some(12, treatment=100.0))
    assert len(read_campaigns(tmp_path)) == 1


def test_the_kept_history_fits_its_contract(tmp_path: Path) -> None:
    keep_campaigns(tmp_path, PLAN, some(12, treatment=100.0))
    jsonschema.validate(json.loads((tmp_path / "floor.json").read_text()), floor_schema())


def test_a_damaged_history_is_said_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "floor.json").write_text("{}")
    with pytest.raises(RecordError, match=r"floor\.json"):
        read_campaigns(tmp_path)


def test_an_activity_tells_what_a_switch_costs() -> None:
    cost = cost_of(PLAN, some(12))
    assert cost is not None
    assert (cost.run_s, cost.switch_s, cost.measured) == (4.0, 6.0, True)
