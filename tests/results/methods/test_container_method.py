"""What a result says of its containers."""

from __future__ import annotations

from dataclasses import replace

from assay.design import plan_trials
from assay.model.platforms.container import Container, Runtime
from tests.builders import plan_of, record_of
from tests.results.said_of import container_sentences

TRIALS = plan_trials(("spin",), blocks=3, seed=1)
RUNC = Container(Runtime.RUNC, "runc version 1.1.5", "host", None, ("mnt", "pid"), (1,), None, None, "a",
("/w",), 3.0)  # fmt: skip
GVISOR = replace(
    RUNC, runtime=Runtime.RUNSC, version="runsc 1", kernel="gVisor", platform="ptrace", cpu_s=5.0
)


def said(**containers: Container) -> list[str]:
    records = [replace(record_of(trial, 1.0), container=containers.get(trial.arm)) for trial in TRIALS]
    return list(container_sentences(plan_of(TRIALS), records))


def test_a_container_is_told_once_with_what_the_kernel_showed() -> None:
    (sentence,) = said(treatment=RUNC)
    assert sentence.startswith(
        "other: runc version 1.1.5; system calls answered by the machine's own kernel; "
        "namespaces of its own: mnt, pid; every thread on core 1;"
    )


def test_gvisor_says_what_catches_its_calls_and_what_it_costs_beside_the_job() -> None:
    sentence, beside = said(treatment=GVISOR)
    assert "answered by gVisor's kernel; caught by ptrace" in sentence
    assert beside == "other: 5.00 s of CPU a trial by the machine, 3.75 s by the count inside it."


def test_two_arms_are_told_one_by_one() -> None:
    assert [text.split(":")[0] for text in said(baseline=RUNC, treatment=GVISOR)] == [
        "host",
        "other",
        "other",
    ]


def test_several_containers_are_told_each_by_its_label() -> None:
    trials = plan_trials(("spin",), blocks=3, seed=1, visits=(1, 1))
    plan = plan_of(trials)
    plan = replace(
        plan, treatment=replace(plan.treatment, label="half"), more=(replace(plan.treatment, label="all"),)
    )
    seen = {("treatment", 0): replace(RUNC, cpu_quota=0.5), ("treatment", 1): RUNC}
    records = [replace(record_of(t, 1.0), container=seen.get((str(t.arm), t.level))) for t in trials]
    half, whole = container_sentences(plan, records)
    assert half.startswith("half: runc")
    assert "a CPU quota of 50%" in half
    assert whole.startswith("all: runc")
    assert "quota" not in whole
