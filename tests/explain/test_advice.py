"""From causes to settings: what each rule asks of a guest, and in which order they are told."""

from __future__ import annotations

import pytest

from assay.explain.advice.advise import Held, advised, unanswered
from assay.explain.advice.rules import REMEDIES, Remedy
from assay.explain.advice.situation import Situation
from assay.explain.causes import RULES
from assay.factors.catalogue import FACTORS, read_setting

BARE = Situation(
    "kvm",
    {"disk.cache": "none", "cpu.mode": "custom", "host.thp": "never", "host.ksm": "on", "disk.bus": "ide"},
    vcpus=2,
    cpus=2,
    nodes=2,
    clock_source="acpi_pm",
    network=True,
)
"""A guest for which nearly everything could be better."""
EMULATED = Situation("tcg", {"cpu.mode": "host-model", "tcg.thread": "single"}, vcpus=2)
BEST = Situation(
    "kvm",
    {
        "cpu.mode": "host-passthrough", "memory.hugepages": "2 MiB", "host.thp": "always", "cpu.vcpupin": "1:1",
        "numa.memory": "strict:0", "kvm.pv-tlb-flush": "on", "guest.mitigations": "off", "guest.idle": "poll",
        "memory.memballoon": "none", "memory.nosharepages": "on", "disk.cache": "writeback", "disk.io": "native",
        "disk.preallocation": "full", "disk.bus": "virtio", "disk.iothread": "on", "disk.guest-filesystem": "xfs",
        "net.backend": "vhost", "net.queues": "2", "tcg.thread": "multi",
    },
    vcpus=2,
    cpus=2,
    nodes=2,
    clock_source="kvm-clock",
    network=True,
)  # fmt: skip


def held(code: str, contribution: float = 0.1) -> Held:
    return Held(code, contribution, contribution / 2, contribution * 1.5, contribution / 0.2)


@pytest.mark.parametrize("remedy", REMEDIES, ids=lambda one: f"{one.factor}={one.level}")
def test_a_rule_names_a_level_that_there_is_a_source_and_causes_that_are_told(remedy: Remedy) -> None:
    assert read_setting(f"{remedy.factor}={remedy.level}") == (remedy.factor, remedy.level)
    assert remedy.factor in FACTORS
    assert remedy.source
    assert remedy.why.endswith(".")
    assert remedy.causes


@pytest.mark.parametrize("remedy", REMEDIES, ids=lambda one: f"{one.factor}={one.level}")
def test_a_rule_is_worth_a_trial_where_the_guest_is_otherwise_and_not_where_it_is_so(remedy: Remedy) -> None:
    assert any(remedy.when(one) for one in (BARE, EMULATED))
    assert not remedy.when(BEST)


def test_what_may_lift_most_comes_first_and_each_once() -> None:
    found = advised(BARE, [held("disk-throughput", 0.05), held("slower-cpu", 0.2), held("kernel-time", 0.1)])
    assert found[0].remedy.factor == "cpu.mode"
    assert [one.held.contribution for one in found] == sorted((one.held.contribution for one in found), reverse=True)
    names = [(one.remedy.factor, one.remedy.level) for one in found]
    assert len(names) == len(set(names))
    pages = next(one for one in found if one.remedy.factor == "memory.hugepages")
    assert pages.held.code == "slower-cpu"


def test_causes_without_a_setting_are_told_as_such() -> None:
    causes = [held("slower-cpu"), held("cpu-quota")]
    assert [cause.code for cause in unanswered(advised(BARE, causes), causes)] == ["cpu-quota"]
    assert [cause.code for cause in unanswered(advised(BEST, causes), causes)] == ["slower-cpu", "cpu-quota"]


def test_nothing_is_advised_without_a_cause() -> None:
    assert advised(BARE, []) == []


def test_the_causes_of_the_rules_are_codes_that_a_budget_tells() -> None:
    told = {rule.__name__.replace("_", "-") for rule in RULES} | {"cold-start"}
    assert {code for remedy in REMEDIES for code in remedy.causes} <= told
