"""The A/A history: every field, every look, and what is no campaign."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from scipy import stats

from assay.design import plan_trials
from assay.design.site_floor import Campaign, campaigns_of, floor_known, is_false, most_false, site_floor
from assay.model.activity import ActivityPlan, PlannedGuest
from assay.model.figures.estimate import Looks
from assay.model.goal import Goal, Shape
from assay.model.machines.floor import MetricFloor, SiteFloor
from assay.model.trial import Arm, Trial
from assay.stats import paired_loss
from tests.builders import plan_of, record_of

TRIALS = plan_trials(("spin",), blocks=8, seed=1, shape=Shape.PAIRS)
HOUR = 3600 * 10**9
LOSS_OF_EIGHT = [0.1, 0.1001, 0.0999, 0.1, 0.1002, 0.0998, 0.1, 0.1]
NO_LOSS = [0.1, -0.1, 0.05, -0.05, 0.02, -0.02, 0.1, -0.1]


def same(**changes: object) -> ActivityPlan:
    return plan_of(TRIALS, goal=Goal(shape=Shape.PAIRS, session_gap_s=1800.0), **changes)


def records(blocks: int = 8) -> list[Trial]:
    """Return trials of which the fourth block and those after it run two hours later."""
    found = []
    for trial in TRIALS[: 2 * blocks]:
        one = record_of(trial, 100.0 + 2 * trial.block if trial.arm is Arm.BASELINE else 100.0)
        late = 2 * HOUR * (trial.block >= 3)
        found.append(replace(one, started_ns=one.started_ns + late, ended_ns=one.ended_ns + late))
    return found


def test_a_campaign_has_all_that_is_kept_of_it() -> None:
    held = records()
    (found,) = campaigns_of(same(), held, machine="node")
    logs = [math.log(100.0 + 2 * block) - math.log(100.0) for block in range(8)]
    assert [list(session) for session in found.sessions] == [
        pytest.approx(logs[:3], abs=1e-15),
        pytest.approx(logs[3:], abs=1e-15),
    ]
    assert found == Campaign(
        "0123abcd", "node", held[-1].ended_ns, "spin", "spin", "events", found.sessions, is_false(logs)
    )


def test_a_campaign_is_judged_at_the_confidence_of_its_plan() -> None:
    logs = [math.log(1 + 0.02 * block) for block in range(8)]
    verdicts = {confidence: is_false(logs, confidence=confidence) for confidence in (0.8, 0.999)}
    assert verdicts == {0.8: True, 0.999: False}
    for confidence, verdict in verdicts.items():
        (found,) = campaigns_of(same(confidence=confidence), records(), machine="node")
        assert found.false_verdict is verdict


@pytest.mark.parametrize(("blocks", "campaigns"), [(0, 0), (1, 0), (2, 1)])
def test_two_whole_blocks_make_a_campaign(blocks: int, campaigns: int) -> None:
    assert len(list(campaigns_of(same(), records(blocks), machine="node"))) == campaigns


def test_arms_that_differ_and_guests_from_a_saved_state_make_none() -> None:
    plan = same()
    other = replace(plan, treatment=replace(plan.treatment, host_settings=(("thp", "never"),)))
    assert list(campaigns_of(other, records(), machine="node")) == []
    for restored, campaigns in ((True, 0), (False, 1)):
        guest = PlannedGuest(1, 1 << 30, "none", "d", restored=restored)
        arms = {name: replace(getattr(plan, name), guest=guest) for name in ("baseline", "treatment")}
        found = list(campaigns_of(replace(plan, **arms), records(), machine="node"))
        assert len(found) == campaigns


def test_every_look_from_five_blocks_on_counts_the_last_one_too() -> None:
    # a loss that is found at the fifth block alone, and one that is found at the last alone
    early = [*LOSS_OF_EIGHT[:5], -3.0, 3.0]
    late = [0.1, 0.2, 0.1, 0.2, 0.1, -0.05, 0.15, 0.15, 0.15, 0.15]
    found = [
        [n for n in range(5, len(d) + 1) if paired_loss(d[:n], looks=Looks.EVERY).verdict == "loss"]
        for d in (early, late)
    ]
    assert found[0] == [5]
    last = found[1][0]
    assert last > 6
    assert is_false(early)
    assert is_false(late[:last])
    assert not is_false(late[: last - 1])
    assert not is_false(NO_LOSS)


def test_below_five_blocks_the_only_look_is_the_last() -> None:
    assert is_false([0.1, 0.1001, 0.0999])
    assert paired_loss([0.1, 0.1001]).verdict == "loss"
    assert not is_false([0.1, 0.1001, -0.1])
    assert is_false([-0.1, -0.1001, -0.0999])


def campaign(at: int, blocks: tuple[tuple[float, ...], ...], **changes: object) -> Campaign:
    made = Campaign(f"{at}", "node", 100 + at, "spin", "spin", "events", blocks, at == 2)
    return replace(made, **changes)  # type: ignore[arg-type]


def test_a_site_s_floor_by_hand() -> None:
    history = [
        campaign(1, ((0.01, 0.03), (0.05, 0.07))),
        campaign(2, ((0.00, 0.02),)),
        campaign(3, ((0.5, 0.5),), metric="other", ended_ns=5),
        campaign(4, ((9.0, 9.0),), machine="elsewhere"),
    ]
    # three sessions of two blocks, means 0.02, 0.06, 0.01: 6 (0.02^2) = 0.0006 within over 3 is 0.0002;
    # 2 (0.01^2 + 0.03^2 + 0.02^2) / 2 = 0.0014 between; (0.0014 - 0.0002) / 2 = 0.0006; half of it is an
    # arm's
    found = site_floor(history, "node")
    assert found is not None
    events, other = found.metrics
    assert (events.session, events.block) == pytest.approx((math.sqrt(0.0003), math.sqrt(0.0002)))
    assert found == SiteFloor(
        "node",
        102,
        3,
        1,
        (replace(events, sessions=3, blocks=6), MetricFloor("spin", "spin", "other", 1, 2, None, 0.0)),
    )
    assert (events.work, events.workload, events.metric) == ("spin", "spin", "events")
    assert other.session is None
    assert site_floor(history, "nowhere") is None


def test_a_floor_is_known_of_the_same_work_and_metric_in_two_sessions() -> None:
    known = MetricFloor("work", "spin", "events", 3, 6, 0.003, 0.02)
    site = SiteFloor("node", 102, 3, 1, (known, replace(known, metric="other", sessions=1, session=None)))
    found = floor_known(site, "work", "events")
    assert found is not None
    # 3 (0.1 * 0.02)^2 and 2 * 0.003^2 over 5 degrees of freedom
    assert (found.sigma, found.freedom) == (pytest.approx(math.sqrt(3e-5 / 5)), 5)
    bare = floor_known(replace(site, metrics=(replace(known, block=None),)), "work", "events")
    assert bare is not None
    assert bare.sigma == pytest.approx(math.sqrt(1.8e-5 / 5))
    for work, metric in (("work", "other"), ("spin", "events"), ("work", "third")):
        assert floor_known(site, work, metric) is None
    assert floor_known(None, "work", "events") is None


@pytest.mark.parametrize(("campaigns", "wrong"), [(10, 0), (20, 1), (200, 3), (7, 6)])
def test_the_bound_of_a_rate_is_where_so_few_have_a_chance_of_5_percent(campaigns: int, wrong: int) -> None:
    rate = most_false(campaigns, wrong)
    assert stats.binom.cdf(wrong, campaigns, rate) == pytest.approx(0.05, rel=1e-9)


def test_the_bound_where_all_were_false() -> None:
    assert most_false(7, 7) == most_false(0, 0) == 1.0


def test_of_sizes_of_one_work_the_floor_is_the_workloads_own_where_it_is_known() -> None:
    small = MetricFloor("work", "sim-10", "events", 3, 6, 0.003, 0.02)
    large = replace(small, workload="sim-90", sessions=2, session=0.001)
    single = replace(small, workload="sim-5", sessions=1, session=None)
    site = SiteFloor("node", 102, 3, 1, (single, small, large))
    assert site.of("work", "events", "sim-90") == large
    assert site.of("work", "events", "sim-5") == small, "it has one session alone"
    assert site.of("work", "events") == small, "the one of most sessions"
    assert site.of("work", "other") is None


def test_a_clock_that_is_too_coarse_gives_no_false_verdict() -> None:
    assert not is_false([0.1] * 8)
    assert is_false([0.1, 0.101] * 8)
