"""What a result says of the settings that its arms gave their host."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.design import plan_trials
from assay.model.platforms.platform import SeenFactor
from assay.model.trial import Arm
from assay.model.work.host_watch import HostWatch
from assay.model.work.observation import ProbeCost
from assay.results.doubts.arms_differ import hardware
from tests.builders import FACTS, plan_of, record_of
from tests.results.said_of import host_sentences, host_watch_sentences, method_sentences

TRIALS = plan_trials(("spin",), blocks=3, seed=1)
THP = SeenFactor("host.thp", "never", "/sys/kernel/mm/transparent_hugepage/enabled")
PLAN = plan_of(TRIALS)
SET = replace(PLAN, treatment=replace(PLAN.treatment, host_settings=(("host.thp", "never"),)))
RECORDS = [
    replace(record_of(trial, 1.0), host_settings=(THP,) if trial.arm is Arm.TREATMENT else ())
    for trial in TRIALS
]
SENTENCE = (
    "Settings of the host for other, seen in force at the start of each of its visits: "
    "host.thp never (/sys/kernel/mm/transparent_hugepage/enabled)."
)


def test_an_arm_with_settings_of_its_host_has_one_sentence_of_them() -> None:
    assert list(host_sentences(SET, RECORDS)) == [SENTENCE]
    assert SENTENCE in method_sentences(SET, RECORDS)


def test_arms_without_settings_say_nothing() -> None:
    assert not list(host_sentences(PLAN, [record_of(trial, 1.0) for trial in TRIALS]))
    assert not list(host_sentences(SET, []))


def test_both_arms_are_told_apart() -> None:
    both = replace(SET, baseline=replace(SET.baseline, host_settings=SET.treatment.host_settings))
    records = [replace(record, host_settings=(THP,)) for record in RECORDS]
    host, other = host_sentences(both, records)
    assert other == SENTENCE
    assert host == SENTENCE.replace("for other", "for host")


@pytest.mark.parametrize(("plan", "codes"), [(PLAN, ["thp-modes-differ"]), (SET, [])])
def test_a_machine_under_another_setting_is_not_taken_for_two_machines(
    plan: object, codes: list[str]
) -> None:
    facts = {Arm.BASELINE: FACTS, Arm.TREATMENT: replace(FACTS, thp="never")}
    records = [replace(record_of(trial, 1.0), facts=facts[trial.arm]) for trial in TRIALS]
    assert [doubt.code for doubt in hardware(plan, records)] == codes  # type: ignore[arg-type]


def test_the_watch_of_a_guest_s_host_is_told_with_what_it_took() -> None:
    watch = HostWatch(0.2, 42, (0,), (), ProbeCost(0.01, 2 << 20, 25, 0.21))
    records = [replace(record_of(trial, 1.0), host_watch=watch) for trial in TRIALS]
    wall_s = min(record.usage.wall_s for record in records if record.usage)
    (sentence,) = host_watch_sentences(records)
    assert sentence == (
        "A second probe watched the guest's host meanwhile, every 0.2 s, on host core 0; "
        f"it took at most {0.01 / wall_s:.2%} of one core."
    )
    assert not list(host_watch_sentences([record_of(trial, 1.0) for trial in TRIALS]))
