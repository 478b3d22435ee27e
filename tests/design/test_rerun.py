"""What disturbs a trial, and when that lets it run again."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from assay.design.rerun import MOST_TRIES, RULES, find_disturbances, may_run_again
from assay.model.work.disturbance import Cause, HostOver
from assay.report.doubts.trials import disturbance_text

QUIET = HostOver(10.0, (1, 2), 0.2, 0.0, 0, False, 0, 0.0)  # noqa: FBT003


def causes(**changes: object) -> list[Cause]:
    return [found.cause for found in find_disturbances(replace(QUIET, **changes))]  # type: ignore[arg-type]


def test_a_quiet_host_disturbs_nothing() -> None:
    assert causes() == []


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"foreign_s": 1.1}, Cause.FOREIGN_CPU),
        ({"steal_s": 0.3}, Cause.HOST_STEAL),
        ({"throttle_count": 1}, Cause.THROTTLED),
        ({"below_base": True}, Cause.THROTTLED),
        ({"swap_pages": 300}, Cause.SWAP),
        ({"clock_step_s": -0.5}, Cause.CLOCK_STEP),
    ],
)
def test_each_cause_is_found_above_its_limit(changes: dict[str, object], cause: Cause) -> None:
    assert causes(**changes) == [cause]


@pytest.mark.parametrize(
    "changes", [{"foreign_s": 0.9}, {"steal_s": 0.1}, {"swap_pages": 256}, {"clock_step_s": 0.009}]
)
def test_up_to_its_limit_nothing_is_found(changes: dict[str, object]) -> None:
    assert causes(**changes) == []


def test_what_is_not_told_is_no_cause() -> None:
    reported = {field.name: None for field in fields(HostOver) if field.name not in ("seconds", "cpus")}
    assert causes(**reported) == []


def test_a_few_ticks_of_a_short_trial_are_within_the_accounting() -> None:
    assert causes(seconds=0.1, foreign_s=0.04, steal_s=0.04) == []


def test_the_sentence_has_the_share_of_all_measured_processors() -> None:
    (found,) = find_disturbances(replace(QUIET, foreign_s=5.0))
    assert "25.0%" in disturbance_text(found.cause, found.amount)


def test_every_cause_has_a_rule_in_words() -> None:
    assert set(RULES) == set(Cause)


def again(found: tuple[Cause, ...], declared: tuple[Cause, ...], rejected: int = 0, tries: int = 0) -> bool:
    return may_run_again(found, declared, planned=40, rejected=rejected, tries=tries)


def test_only_a_declared_cause_lets_a_trial_run_again() -> None:
    assert again((Cause.SWAP,), (Cause.SWAP, Cause.THROTTLED))
    assert not again((Cause.FOREIGN_CPU,), (Cause.SWAP,))
    assert not again((Cause.FOREIGN_CPU,), ())
    assert not again((), (Cause.SWAP,))


def test_a_tenth_of_the_plan_and_two_tries_of_one_trial_are_the_most() -> None:
    here = (Cause.SWAP,)
    assert again(here, here, rejected=3)
    assert not again(here, here, rejected=4)
    assert again(here, here, tries=MOST_TRIES - 1)
    assert not again(here, here, tries=MOST_TRIES)


def test_one_trial_of_a_short_plan_may_run_again() -> None:
    assert may_run_again((Cause.SWAP,), (Cause.SWAP,), planned=9, rejected=0, tries=0)
    assert not may_run_again((Cause.SWAP,), (Cause.SWAP,), planned=9, rejected=1, tries=0)
