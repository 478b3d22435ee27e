"""Sessions, shapes, predictions, the A/A history and what keeps a result from its precision."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from assay.design import plan_trials
from assay.design.advice import advice_of, sessions_needed
from assay.design.blocks import blocks_of, sessions_of, slowdowns
from assay.design.predict import blocks_for_precision, blocks_for_verdict, predict, predict_from_floor
from assay.design.shape import SwitchCost, choose_shape
from assay.design.site_floor import Campaign, campaigns_of, is_false, is_same, most_false, site_floor
from assay.design.stopping import Metered, Wanted
from assay.model.goal import Goal, Shape
from assay.model.machines.floor import MetricFloor, SiteFloor
from assay.model.machines.machine import Limits
from assay.model.trial import Arm, Trial
from assay.model.work.placement import PlacementSpec
from assay.report.doubts.results import CLAUSES
from assay.report.doubts.wording import wording_of
from assay.stats.replication.components import Components, Floor, components
from assay.stats.verdicts.sequence import reach
from tests.builders import RATE, WORKLOAD, plan_of, record_of

S = 10**9
PAIRS = plan_trials(("spin",), blocks=8, seed=1, shape=Shape.PAIRS)
PRECISE = Wanted(Goal(adaptive=True, precision=0.005, minimum_blocks=10, sessions=4))


def shifted(record: Trial, seconds: float) -> Trial:
    return replace(
        record,
        started_ns=record.started_ns + round(seconds * S),
        ended_ns=record.ended_ns + round(seconds * S),
    )


def test_a_session_begins_where_nothing_ran_for_long() -> None:
    records = [shifted(record_of(t, 1.0), 7200.0 * (t.block >= 3)) for t in PAIRS]
    assert sessions_of(records, gap_s=3600) == {block: int(block >= 3) for block in range(8)}
    assert set(sessions_of(records, gap_s=10_000).values()) == {0}
    assert sessions_of([], gap_s=1) == {}


def test_several_runs_of_a_visit_count_by_their_geometric_mean() -> None:
    trials = plan_trials(("spin",), blocks=1, seed=1, shape=Shape.PAIRS, runs=2)
    values = iter((2.0, 8.0))
    records = [record_of(t, next(values) if t.arm is Arm.TREATMENT else 8.0) for t in trials]
    (block,) = blocks_of(plan_of(trials), records, WORKLOAD, RATE)
    assert block.treatment == pytest.approx(4.0)
    assert slowdowns([block], RATE.direction) == [pytest.approx(math.log(2))]


def test_of_four_pairs_two_begin_with_each_arm() -> None:
    trials = plan_trials(("a",), blocks=40, seed=2, shape=Shape.PAIRS)
    first = [t.arm for t in trials if t.slot == 0]
    assert all(Counter(first[at : at + 4]) == {Arm.BASELINE: 2, Arm.TREATMENT: 2} for at in range(0, 40, 4))


def test_neighbours_of_a_chain_share_an_arm() -> None:
    trials = plan_trials(("a", "b"), blocks=9, seed=2, shape=Shape.CHAINED, runs=3)
    arms = [t.arm for t in trials if t.workload == "a"]
    assert sum(a is not b for a, b in pairwise(arms)) == 9
    assert all(sum(t.block == block for t in trials) == 2 * 3 * 2 for block in range(9))


@pytest.mark.parametrize(
    ("run_s", "switch_s", "shape", "runs"),
    [
        (600, 120, Shape.PAIRS, 1),
        (60, 180, Shape.CHAINED, 2),
        (600, 700, Shape.CHAINED, 1),
        (10, 0, Shape.PAIRS, 1),
    ],
)
def test_the_shape_follows_from_what_a_switch_costs(
    run_s: float, switch_s: float, shape: Shape, runs: int
) -> None:
    assert choose_shape(SwitchCost(run_s, switch_s)) == (shape, runs)


def test_the_published_numbers_of_runs_a_boot_come_out() -> None:
    from assay.design.shape import runs_per_boot

    assert runs_per_boot(SwitchCost(10, 2)) == 1  # 1.04
    assert runs_per_boot(SwitchCost(1, 3)) == 4  # 4.04


def test_the_blocks_for_a_precision_are_the_fewest_that_do() -> None:
    from assay.stats.mean import t_quantile

    blocks = blocks_for_precision(0.01, PRECISE)
    assert blocks is not None

    def half(n: int) -> float:
        return t_quantile(0.95, n - 1) * 0.01 / math.sqrt(n)

    assert half(blocks) <= 0.005 < half(blocks - 1)
    assert blocks_for_precision(0.01, PRECISE, floor=0.006) is None


def test_the_blocks_for_a_verdict_follow_the_sequence() -> None:
    wanted = Wanted(Goal(adaptive=True), margin=0.01)
    blocks = blocks_for_verdict(0.02, wanted, difference=0.03)
    assert blocks is not None
    assert reach(blocks, 0.95) * 0.02 / math.sqrt(blocks) < 0.03
    assert blocks_for_verdict(0.02, wanted, difference=0.0) == blocks_for_verdict(
        0.02, wanted, difference=0.01
    )


def test_a_prediction_is_of_the_slowest_metric_and_not_known_before_two_blocks() -> None:
    draw = random.Random(1)
    quiet, loud = ([draw.gauss(0, s) for _ in range(12)] for s in (0.002, 0.02))
    few, many = (predict([[Metered(logs, 4)]], PRECISE).blocks for logs in (quiet, loud))
    assert few == 12
    assert many is not None
    assert many > 30
    assert predict([[Metered(quiet, 4)], [Metered(loud, 4)]], PRECISE).blocks == many
    assert predict([[Metered([0.1], 1)]], PRECISE).blocks is None


def test_before_the_first_block_the_site_s_history_tells() -> None:
    floor = SiteFloor("node", 0, 1, 0, (MetricFloor("spin", "spin", "events", 4, 40, 0.0, 0.01),))
    # t(6) sqrt(2) over two, of sqrt(3 / 6) of a tenth of the blocks' scatter: what sites have before they are
    # known
    half = 2.446912 * math.sqrt(2) / 2 * math.sqrt(3 / 6) * 0.001
    blocks = predict_from_floor(floor, [("spin", "events")], PRECISE).blocks
    assert blocks == blocks_for_precision(0.01, PRECISE, floor=half)
    assert blocks != blocks_for_precision(0.01, PRECISE)
    assert predict_from_floor(floor, [("spin", "events"), ("other", "x")], PRECISE).blocks is None
    assert predict_from_floor(None, [("spin", "events")], PRECISE).blocks is None


def test_an_arm_that_is_the_other_but_for_its_name_is_the_same() -> None:
    plan = plan_of(PAIRS)
    assert is_same(plan)
    assert not is_same(replace(plan, treatment=replace(plan.treatment, limits=Limits((1,), None, 0.5))))


def test_an_a_a_activity_is_one_campaign_a_metric() -> None:
    plan = plan_of(PAIRS, goal=Goal(shape=Shape.PAIRS))
    (campaign,) = campaigns_of(plan, [record_of(t, 100.0 + t.index % 5) for t in PAIRS], machine="node")
    assert (campaign.machine, campaign.workload, campaign.metric) == ("node", "spin", "events")
    assert len(campaign.sessions) == 1
    assert len(campaign.sessions[0]) == 8


def test_a_false_verdict_at_any_look_counts() -> None:
    assert is_false([0.1, 0.101, 0.1, 0.099, 0.1, 0.1, -3.0, 3.0])
    assert not is_false([0.1, -0.1, 0.05, -0.05, 0.02, -0.02, 0.1, -0.1])


def test_the_floor_of_a_site_takes_each_activity_s_sessions_as_its_own() -> None:
    draw = random.Random(4)
    truth = 0.01
    campaigns = []
    for at in range(400):
        here = draw.gauss(0, math.sqrt(2) * truth)
        blocks = tuple(here + draw.gauss(0, 0.02) for _ in range(10))
        campaigns.append(Campaign(f"{at}", "node", at, "spin", "spin", "events", (blocks,), is_false(blocks)))
    floor = site_floor(campaigns, "node")
    assert floor is not None
    known = floor.of("spin", "events")
    assert known is not None
    assert known.session == pytest.approx(truth, rel=0.15)
    assert known.block == pytest.approx(0.02, rel=0.05)
    assert site_floor(campaigns, "elsewhere") is None


def test_few_false_verdicts_bound_their_rate() -> None:
    assert most_false(59, 0) == pytest.approx(0.05, abs=5e-4)  # the rule of three, exactly
    assert most_false(1, 1) == 1.0


def test_components_are_found_again() -> None:
    draw = random.Random(2)
    values, sessions = [], []
    for session in range(500):
        here = draw.gauss(0, 0.03)
        for _ in range(4):
            values.append(here + draw.gauss(0, 0.05))
            sessions.append(session)
    found = components(values, sessions)
    assert found.session == pytest.approx(0.03, rel=0.15)
    assert found.block == pytest.approx(0.05, rel=0.05)


def test_components_with_one_session_or_one_block_each_are_not_known() -> None:
    assert components([0.1, 0.2], [0, 0]).session is None
    assert components([0.1, 0.2], [0, 1]).block is None


def test_the_floor_over_four_sessions_is_t_times_root_two_sigma_over_two() -> None:
    assert Floor(0.001, 3).half(4) == pytest.approx(3.182446305 * math.sqrt(2) * 0.001 / 2, rel=1e-8)
    assert Floor(0.001, 3).half(1) == pytest.approx(3.182446305 * math.sqrt(2) * 0.001, rel=1e-8)


def test_a_floor_above_the_precision_says_how_many_sessions_would_do() -> None:
    metered = Metered([0.01 * (-1) ** at for at in range(20)], 4, sigma=0.003, freedom=3)
    advice = advice_of(metered, Components(4, 0.0, 0.01, 0.5), PRECISE)
    assert advice.case == "floor"
    assert sessions_needed(Floor(0.003, 3), 0.005) == 8  # 2 (t(3) 0.003 / 0.005)^2 = 7.3
    assert "over 8 sessions" in str(wording_of(CLAUSES, advice).next)
    assert sessions_needed(Floor(0.5, 3), 0.005) is None


@pytest.mark.parametrize(
    ("parts", "logs", "component"),
    [
        (Components(4, 0.02, 0.01, 0.001), [0.01 * (-1) ** at for at in range(20)], "session"),
        (Components(4, 0.0, 0.01, 0.5), [*(0.001 * (-1) ** at for at in range(19)), 0.5], "outlier"),
        (Components(4, 0.0, 0.01, 0.5), [0.01 * (-1) ** at for at in range(20)], "white"),
    ],
)
def test_what_dominates_is_named_with_its_cure(parts: Components, logs: list[float], component: str) -> None:
    assert advice_of(Metered(logs, 4), parts, PRECISE).case == component


def test_a_program_of_one_s_own_is_known_by_its_command_and_a_ready_one_by_its_name() -> None:
    own = replace(WORKLOAD, parser="usage", command=("./job", "1"))
    assert WORKLOAD.work == replace(WORKLOAD, command=("spin", "--longer")).work == "spin"
    assert own.work != replace(own, command=("./job", "2")).work
    assert replace(WORKLOAD, placement=PlacementSpec(copies=2)).work not in ("spin", own.work)
