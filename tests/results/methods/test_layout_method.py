"""What a result says of the common start of several guests, and of what was in their memory then."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.design import plan_trials
from assay.model.trial import Arm, Member
from assay.model.work.page_cache import CacheCheck, CacheState, Residency
from tests.builders import plan_of, record_of
from tests.results.said_of import layout_sentences

TRIALS = plan_trials(("spin",), blocks=1, seed=1)
TREATED = next(trial for trial in TRIALS if trial.arm is Arm.TREATMENT)
MEMBER = Member("guest-0", "g", "b", (1,), 1, 1, 0.0, 0.0, 1.0, None, None, None, None)


def found(*resident_bytes: int | None, of: int = 10_000) -> str:
    """Return what is said of a preload after which each guest had so much in memory; ``None``:
    not looked at.
    """
    there = (None if resident is None else Residency(1, of, resident) for resident in resident_bytes)
    checks = [CacheCheck(CacheState.WARM, drop=False, machine=files) for files in there]
    plan = plan_of(TRIALS)
    plan = replace(plan, treatment=replace(plan.treatment, cache=CacheState.WARM))
    members = tuple(replace(MEMBER, cache=check) for check in checks)
    *_, said = layout_sentences(plan, [record_of(TREATED, 1.0, members=members)])
    assert said.startswith("Preload: ")
    return said.partition("before the start")[2]


@pytest.mark.parametrize(
    ("resident_bytes", "said"),
    [
        ((10_000, 10_000), ", and found there."),
        ((10_000, 9_999), ", and at least 99.9% of them found there."),
        ((0, 10_000), ", and at least 0% of them found there."),
        ((10_000, None), ", and found there; for 1 of 2 starts it is not told."),
        ((None, None), "; whether they were found there is not told."),
    ],
)
def test_preloaded_files_are_said_to_be_in_memory_as_far_as_they_were_found(
    resident_bytes: tuple[int | None, ...], said: str
) -> None:
    assert found(*resident_bytes) == said


def test_of_no_files_nothing_is_found() -> None:
    assert found(0, 0, of=0) == "; whether they were found there is not told."


def test_without_a_preload_nothing_is_said_of_one() -> None:
    said = list(layout_sentences(plan_of(TRIALS), [record_of(TREATED, 1.0, members=(MEMBER,))]))
    assert [sentence.split(":")[0] for sentence in said] == [
        "Layouts",
        "Their jobs were released at one moment, or the stagger apart",
    ]
