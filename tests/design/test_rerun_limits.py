"""Causes of a re-run just below, at and just above their declared limits, with their sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.design.rerun import (
    LEAST_S,
    MOST_CLOCK_STEP_S,
    MOST_FOREIGN,
    MOST_SHARE,
    MOST_STEAL,
    MOST_SWAP_PAGES,
    MOST_TRIES,
    RULES,
    find_disturbances,
    is_read,
    may_run_again,
)
from assay.model.machines.machine import Limits, Machine, Reach
from assay.model.work.disturbance import Cause, HostOver
from assay.report.doubts.trials import disturbance_text
from tests.builders import plan_of

QUIET = HostOver(16.0, (1, 2), 0.0, 0.0, 0, below_base=False, swap_pages=0, clock_step_s=0.0)
BELOW, ABOVE = 1 - 1e-9, 1 + 1e-9


def sentences(**changes: object) -> list[str]:
    return [
        disturbance_text(found.cause, found.amount)
        for found in find_disturbances(replace(QUIET, **changes))  # type: ignore[arg-type]
    ]


def test_the_limits_are_the_declared_ones() -> None:
    assert (MOST_FOREIGN, MOST_STEAL, LEAST_S) == (0.05, 0.01, 0.05)
    assert (MOST_SWAP_PAGES, MOST_CLOCK_STEP_S) == (256, 0.01)
    assert (MOST_SHARE, MOST_TRIES) == (0.1, 2)
    assert RULES == {
        Cause.FOREIGN_CPU: (
            "others than the job had more than 5% of the measured processors' time (and more than 0.05 s)"
        ),
        Cause.HOST_STEAL: "the host's own hypervisor took more than 1% of their time (and more than 0.05 s)",
        Cause.THROTTLED: "a measured processor slowed itself down for heat or power, or was "
        "not allowed its base frequency",
        Cause.SWAP: "the host swapped more than 256 pages in or out",
        Cause.CLOCK_STEP: "the host's wall clock was set by more than 10 ms, or the host was suspended",
    }


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"foreign_s": 1.6 * BELOW}, None),  # of 2 processors for 16 s
        ({"foreign_s": 1.6}, None),
        ({"foreign_s": 1.6 * ABOVE}, "others had 5.0% of the measured processors' time"),
        ({"foreign_s": 8.0}, "others had 25.0% of the measured processors' time"),
        ({"steal_s": 0.32 * BELOW}, None),
        ({"steal_s": 0.32}, None),
        ({"steal_s": 0.32 * ABOVE}, "the host's own hypervisor took 1.0% of the measured processors' time"),
        ({"throttle_count": 0}, None),
        ({"throttle_count": 1}, "a measured processor was slowed down once"),
        ({"below_base": True}, "a measured processor was held below base frequency"),
        ({"throttle_count": 3, "below_base": True}, "a measured processor was slowed down 3 times"),
        ({"swap_pages": 256}, None),
        ({"swap_pages": 257}, "the host swapped 257 pages"),
        ({"clock_step_s": 0.01}, None),
        ({"clock_step_s": -0.01}, None),
        ({"clock_step_s": 0.0101}, "the host's clock was set by +0.0101 s"),
        ({"clock_step_s": -0.0101}, "the host's clock was set by -0.0101 s"),
    ],
)
def test_a_cause_at_its_limit(changes: dict[str, object], sentence: str | None) -> None:
    assert sentences(**changes) == ([] if sentence is None else [sentence])


@pytest.mark.parametrize(("seconds", "found"), [(0.05, 0), (0.0501, 1)])
@pytest.mark.parametrize("kind", ["foreign_s", "steal_s"])
def test_a_short_trial_is_disturbed_by_more_than_five_ticks(seconds: float, found: int, kind: str) -> None:
    assert len(sentences(seconds=0.1, **{kind: seconds})) == found


def test_a_trial_of_no_time_and_of_no_processors_has_no_share() -> None:
    assert sentences(seconds=0.0, foreign_s=1.0, steal_s=1.0) == []
    assert sentences(cpus=(), foreign_s=1.0, steal_s=1.0) == []


@pytest.mark.parametrize(
    ("planned", "rejected", "tries", "again"),
    [
        (5, 0, 0, True),
        (5, 1, 0, False),
        (20, 1, 0, True),
        (20, 2, 0, False),
        (29, 1, 0, True),
        (29, 2, 0, False),
        (30, 2, 0, True),
        (100, 0, 1, True),
        (100, 0, 2, False),
    ],
)
def test_a_tenth_of_the_trials_and_one_trial_twice(
    planned: int, rejected: int, tries: int, *, again: bool
) -> None:
    found = may_run_again([Cause.SWAP], [Cause.SWAP], planned=planned, rejected=rejected, tries=tries)
    assert found is again


def test_only_declared_causes_count() -> None:
    declared = [Cause.SWAP, Cause.THROTTLED]
    for found, again in (([Cause.CLOCK_STEP], False), ([Cause.CLOCK_STEP, Cause.SWAP], True), ([], False)):
        assert may_run_again(found, declared, planned=100, rejected=0, tries=0) is again
    assert not may_run_again([Cause.SWAP], [], planned=100, rejected=0, tries=0)


def test_the_host_is_read_where_it_is_this_machine_on_both_arms_with_known_processors() -> None:
    plan = plan_of(())
    away = Machine("away", Reach.SSH, "away")
    assert is_read(plan)
    for name in ("baseline", "treatment"):
        arm = getattr(plan, name)
        assert not is_read(replace(plan, **{name: replace(arm, machine=away)}))
        assert not is_read(replace(plan, **{name: replace(arm, limits=Limits(()))}))
