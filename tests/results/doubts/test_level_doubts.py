"""What a row and its doubt say of sessions that differ: over blocks, over sessions, or held by the site's
floor.
"""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from assay.design import plan_trials
from assay.model.activity import ActivityPlan
from assay.model.doubt import Doubt
from assay.model.figures.estimate import Verdict
from assay.model.goal import Goal, Shape
from assay.model.machines.floor import MetricFloor, SiteFloor
from assay.model.metric import Measurement
from assay.model.trial import Arm, Trial
from assay.report.doubts import worded
from assay.report.tables.words import verdict_text
from assay.results.doubts.level_doubts import level_doubts
from assay.results.outcome import build_page
from assay.stats import loss_of
from tests.builders import RATE, WORKLOAD, plan_of, record_of

THREE = ((0.10, 0.11, 0.12), (0.20, 0.21, 0.22), (0.31, 0.32, 0.33))
"""Log slowdowns by session: 0.0331 and 0.0001 are the mean squares between sessions and within them."""
FAR_NS = 7200 * 10**9


def plan(sessions: int, *, sigma: float | None = None) -> ActivityPlan:
    """Return a plan of three blocks a session; with a history of five sessions of this session component."""
    trials = plan_trials(("spin",), blocks=3 * sessions, seed=1, shape=Shape.PAIRS)
    known = MetricFloor(WORKLOAD.work, "spin", "events", 5, 20, sigma, 0.01)
    floor = None if sigma is None else SiteFloor("node", 1_700_000_000_000_000_000, 4, 0, (known,))
    return plan_of(trials, goal=Goal(shape=Shape.PAIRS), floor=floor)


def records(of: ActivityPlan) -> list[Trial]:
    logs = [d for session in THREE for d in session]
    found = []
    for trial in of.trials:
        one = record_of(trial, 100 * math.exp(-logs[trial.block]) if trial.arm is Arm.TREATMENT else 100.0)
        late = FAR_NS * (trial.block // 3)
        found.append(replace(one, started_ns=one.started_ns + late, ended_ns=one.ended_ns + late))
    return found


@pytest.mark.parametrize(
    ("sessions", "sigma", "between", "held"),
    [
        # between 0.015 of two sessions: sqrt((0.015 - 0.0001) / 3); of three sqrt((0.0331 - 0.0001) / 3)
        (2, None, "7.05%", "two sessions cannot show by how much"),
        (3, None, "10.49%", "the interval is over sessions"),
        (3, 0.001, "10.49%", "the interval is over sessions"),
        (2, 0.1, "7.05%", "two sessions cannot show by how much"),
        (3, 0.1, "10.49%", "the site's A/A floor, which the interval holds, explains it"),
    ],
)
def test_sessions_that_differ_are_said_with_what_holds_them(
    sessions: int, sigma: float | None, between: str, held: str
) -> None:
    of = plan(sessions, sigma=sigma)
    (row,) = build_page(of, records(of)).estimates
    assert row.method.startswith("over 3 sessions") is (held == "the interval is over sessions")
    (doubt,) = (one for one in level_doubts(of, records(of)) if one.code == "sessions-differ")
    assert worded(doubt) == Doubt(
        "sessions-differ",
        f"The sessions differ more than their blocks explain for spin events: by {between}, "
        f"blocks of one session by 1.00%; {held}.",
        "Measure in more sessions; run 'assay evaluate noise-floor' on several days.",
    )


def test_a_floor_that_forbids_a_precision_is_what_its_doubt_names_for_each_of_several_metrics() -> None:
    """At 95 % the floor of 0.002 is ±0.63 %, at that of the strictest of six steps ±0.93 %."""
    names = [f"m{at}" for at in range(6)]
    metrics = tuple(replace(RATE, name=name) for name in names)
    workload = replace(WORKLOAD, metrics=metrics)
    trials = plan_trials(("spin",), blocks=10, seed=1, shape=Shape.PAIRS)
    known = tuple(MetricFloor(WORKLOAD.work, "spin", name, 8, 80, 0.00239, 0.0) for name in names)
    floor = SiteFloor("node", 1_700_000_000_000_000_000, 4, 0, known)
    goal = Goal(adaptive=True, precision=0.0075, minimum_blocks=10, shape=Shape.PAIRS)
    of = plan_of(trials, goal=goal, floor=floor, workloads=(workload,))
    found = [
        record_of(trial, None, measurements=tuple(
            Measurement(metric, 100.0 + (trial.index + at) % 3 / 100) for at, metric in enumerate(metrics)
        ))
        for trial in trials
    ]  # fmt: skip
    doubts = [
        doubt for doubt in level_doubts(of, found) if doubt.code.startswith(("floor-above", "precision"))
    ]
    assert [doubt.code for doubt in doubts] == ["floor-above-precision"] * 6
    for doubt in map(worded, doubts):
        assert "The site's A/A floor alone is ±0.93% over 1 session." in doubt.sentence
        assert (doubt.next or "").startswith("Spread the blocks over 2 sessions")


def test_one_session_has_no_sessions_that_differ() -> None:
    of = plan(1)
    assert [one.code for one in level_doubts(of, records(of))] == []


def test_a_row_over_sessions_is_by_the_mean_square_between_them() -> None:
    of = plan(3)
    (row,) = build_page(of, records(of)).estimates
    half = 4.302653 * math.sqrt(0.0331 / 9)  # t(2)
    assert (row.loss, row.low, row.high) == pytest.approx(
        tuple(loss_of(0.64 / 3 + by) for by in (0.0, -half, half)), rel=1e-6
    )
    assert (row.verdict, row.blocks, row.blocks_more, row.hours_more) == (
        Verdict.INCONCLUSIVE,
        9,
        None,
        None,
    )
    assert verdict_text(row) == "not decided (more sessions are needed)"


@pytest.mark.parametrize(
    ("sessions", "sigma", "scope"),
    [(1, None, "this-session"), (1, 0.0, "this-machine"), (2, None, "this-machine")],
)
def test_a_loss_is_of_one_session_where_nothing_is_known_of_others(
    sessions: int, sigma: float | None, scope: str
) -> None:
    of = plan(sessions, sigma=sigma)
    (row,) = build_page(of, records(of)).estimates
    assert row.aim is not None
    assert row.aim.scope == scope
