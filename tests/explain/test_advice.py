"""From causes to settings: what each rule asks of a guest, and in which order they are told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.explain.advice.advise import Held, advised, unanswered
from assay.explain.advice.remedy import Remedy
from assay.explain.advice.rules import REMEDIES
from assay.explain.advice.situation import Situation
from assay.explain.causes import RULES
from assay.factors.catalogue import FACTORS, read_setting
from assay.model.work.observation import COUNTERS

BAD = Situation(
    "kvm",
    {
        "disk.cache": "none", "cpu.mode": "custom", "disk.bus": "ide", "cpu.quota": "50 %",
        "disk.queues": "1", "memory.memballoon": "virtio", "guest.transparent_hugepage": "never",
        "host.thp": "never", "host.ksm": "1", "host.ept": "N", "host.npt": "N", "host.nx_huge_pages": "Y",
        "host.governor": "powersave", "host.halt_poll_ns": "0",
        "net.backend": "user", "net.model": "e1000", "net.driver": "qemu",
    },
    vcpus=2,
    cpus=2,
    nodes=2,
    clock_source="acpi_pm",
    network=True,
)  # fmt: skip
"""A guest for which nearly everything could be better."""
CROWDED = replace(BAD, vcpus=4, clock_source="hpet")
SEVERAL = replace(BAD, levels={"disk.cache": "writeback", "disk.backing": "0"}, guests=2)
ON_DISK = replace(BAD, levels={**BAD.levels, "disk.bus": "virtio", "cpu.mode": "host-passthrough"})
PINNED = replace(
    BAD,
    levels={
        "cpu.vcpupin": "node", "numa.memory": "strict:own", "host.numa_balancing": "1",
        "host.mitigations": "auto", "disk.guest-filesystem": "xfs",
    },
    own_nodes=2,
)  # fmt: skip
LOOSE = replace(BAD, levels={"host.numa_balancing": "0"})
EMULATED = Situation(
    "tcg", {"cpu.mode": "host-model", "tcg.thread": "single", "tcg.tb-cache": "8 MiB"}, vcpus=2
)
BEST = Situation(
    "kvm",
    {
        "cpu.mode": "host-passthrough", "cpu.cache": "passthrough", "memory.hugepages": "2 MiB",
        "memory.allocation": "immediate", "host.thp": "always", "guest.transparent_hugepage": "always",
        "host.ept": "Y", "host.nx_huge_pages": "N", "cpu.vcpupin": "1:1", "numa.memory": "strict:0",
        "guest.mitigations": "off", "guest.idle": "poll", "host.ksm": "0", "host.governor": "performance",
        "disk.cache": "writeback", "disk.preallocation": "full", "disk.format": "raw", "disk.iothread": "on",
        "disk.guest-filesystem": "xfs", "net.queues": "2", "cpu.shares": "2048", "start.preload": "on",
    },
    vcpus=2,
    cpus=2,
    nodes=2,
    clock_source="kvm-clock",
    network=True,
)  # fmt: skip
WITHOUT_END = {"memory.size=4 GiB", "disk.guest-filesystem=ext4"}
"""What may always help where its cause is there, and the other choice of two."""


def held(code: str, contribution: float = 0.1, part: str = "") -> Held:
    return Held(code, contribution, contribution / 2, contribution * 1.5, contribution / 0.2, part)


def named(remedy: Remedy) -> str:
    return f"{remedy.factor}={remedy.level_for(BAD)}"


def test_every_rule_has_a_level_of_the_catalogue_a_source_and_a_sentence() -> None:
    for remedy in REMEDIES:
        assert remedy.factor in FACTORS, remedy
        for situation in (BAD, EMULATED):
            setting = f"{remedy.factor}={remedy.level_for(situation)}"
            assert "=".join(read_setting(setting)) == setting
        assert remedy.source
        assert remedy.why.endswith(".")
        assert remedy.causes
        assert set(remedy.counters) <= set(COUNTERS)


@pytest.mark.parametrize("remedy", REMEDIES, ids=named)
def test_a_rule_is_worth_a_trial_where_the_guest_is_otherwise_and_not_where_it_is_so(remedy: Remedy) -> None:
    assert any(remedy.when(one) for one in (BAD, CROWDED, ON_DISK, EMULATED, SEVERAL, PINNED, LOOSE))
    assert named(remedy) in WITHOUT_END or not remedy.when(BEST)


def test_the_causes_of_the_rules_are_codes_that_a_budget_tells() -> None:
    told = {rule.__name__.replace("_", "-") for rule in RULES} | {"cold-start"}
    assert {code for remedy in REMEDIES for code in remedy.causes} <= told


def test_what_may_lift_most_comes_first_and_each_once() -> None:
    found = advised(BAD, [held("disk-throughput", 0.05), held("slower-cpu", 0.2), held("kernel-time", 0.1)])
    assert found[0].remedy.factor == "cpu.mode"
    sizes = [one.held.contribution for one in found]
    assert sizes == sorted(sizes, reverse=True)
    names = [(one.remedy.factor, one.level) for one in found]
    assert len(names) == len(set(names))
    pages = next(one for one in found if one.remedy.factor == "memory.hugepages")
    assert pages.held.code == "slower-cpu"


def test_of_a_cause_that_counters_divide_a_setting_may_lift_its_own_part_alone() -> None:
    whole = [held("slower-cpu", 0.2)]
    parts = [held("slower-cpu", 0.01, "instructions"), held("slower-cpu", 0.19, "cpi")]
    sizes = {one.remedy.factor: one.held.contribution for one in advised(BAD, whole + parts)}
    assert sizes["cpu.mode"] == 0.01
    assert sizes["numa.memory"] == 0.19
    assert {one.remedy.factor: one.held.contribution for one in advised(BAD, whole)}["cpu.mode"] == 0.2


@pytest.mark.parametrize(
    ("counted", "wanted"),
    [
        ({}, True),
        ({"dtlb-load-misses": (1e6, 3e6)}, True),
        ({"dtlb-load-misses": (1e6, 1.1e6)}, False),
        ({"faults in its second page tables": (None, 5000.0)}, True),
        ({"dtlb-load-misses": (1e6, 1e6), "faults in its second page tables": (None, 5000.0)}, True),
        ({"dtlb-load-misses": (1e6, None)}, True),
    ],
)
def test_what_counters_speak_against_is_not_advised(
    counted: dict[str, tuple[float | None, float | None]], wanted: bool
) -> None:
    found = advised(replace(BAD, counted=counted), [held("slower-cpu")])
    assert ("memory.hugepages" in {one.remedy.factor for one in found}) == wanted


def test_switches_of_kvm_are_off_where_a_named_model_of_processor_says_nothing_of_them() -> None:
    own = replace(BAD, levels={"cpu.mode": "host-passthrough"})
    assert BAD.lacks("kvm.pv-ipi")
    assert not own.lacks("kvm.pv-ipi")
    assert replace(own, levels={"kvm.pv-ipi": "off"}).lacks("kvm.pv-ipi")
    assert replace(own, levels={"cpu.model": "Nehalem"}).lacks("kvm.pv-ipi")
    assert not EMULATED.lacks("kvm.pv-ipi")


def test_levels_follow_the_guest() -> None:
    found = advised(CROWDED, [held("run-queue"), held("memory-limit")])
    levels = {one.remedy.factor: one.level for one in found}
    assert levels["cpu.vcpus"] == "2"
    assert levels["memory.size"] == "4 GiB"


def test_causes_without_a_setting_are_told_as_such() -> None:
    causes = [held("slower-cpu"), held("io-wait"), held("slower-cpu", 0.1, "cpi")]
    assert unanswered(advised(BAD, causes), causes) == []
    assert [cause.code for cause in unanswered(advised(BEST, causes), causes)] == ["slower-cpu", "io-wait"]


def test_nothing_is_advised_without_a_cause() -> None:
    assert advised(BAD, []) == []
