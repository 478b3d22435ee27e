"""From the records of a result to the settings that may win its loss back, case by case."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assay.design import plan_trials
from assay.explain.advice.remedy import Remedy
from assay.explain.advice.rules import REMEDIES
from assay.explain.advice.situation import Situation
from assay.factors.catalogue import read_level
from assay.model.activity import ActivityPlan, visits_of
from assay.model.platforms.existing import DomainSpec
from assay.model.trial import State, Trial
from assay.model.work.observation import Count
from assay.model.work.workload import Workload
from assay.pages.advice import Advice
from assay.pages.context import Page
from assay.pages.proof import AblationShare, Proof, ProofRow
from assay.platforms.host.this_host import ThisHost
from assay.report.render.advise import text_advice
from assay.report.render.json import to_json
from assay.results.advice.advised import advice_of
from assay.results.advice.situation import situation_of
from assay.results.budgets.explanation import budgets
from assay.results.outcome import build_page
from assay.workloads import Sizes, command_workload, library
from tests.builders import FACTS
from tests.contracts import fits
from tests.platforms.test_existing import DESKTOP
from tests.results.advice.cases import AGAINST, CASES, NODES, SERVED, SPREAD, X86, Case
from tests.results.advice.guests import (
    plan_with,
    records_of,
    usage_with,
    watched,
    with_phases,
    write_guest,
    write_host,
)


def page_of(plan: ActivityPlan, found: list[Trial], folder: Path) -> Page:
    page = build_page(plan, found)
    return replace(page, budgets=budgets(plan, found, page.estimates, folder))


def advice_on(plan: ActivityPlan, found: list[Trial], folder: Path, page: Page | None = None) -> Advice:
    return advice_of(plan, found, page or page_of(plan, found, folder), ThisHost(), folder)


def advised_in(case: Case, folder: Path) -> Advice:
    plan = plan_with(case.guest, vcpus=case.vcpus, guests=case.guests)
    if case.network:
        plan = replace(plan, workloads=(replace(plan.workloads[0], needs_network=True),))
    host, guest = usage_with("slower-cpu" if case.cause == "emulation" else case.cause)
    if case.used:
        host, guest = replace(host, steal_s=0.0), replace(guest, **case.used)
    facts = replace(FACTS, **case.facts)
    found = records_of(plan, host, guest, facts=facts, accelerator=case.accelerator)
    if case.counts:
        found = [replace(one, counts=counts_of(one, case)) for one in found]
    if case.on_host:
        found = [watched(one, folder, case.on_host) if one.platform else one for one in found]
    if case.cause == "cold-start":
        found = [with_phases(one) for one in found]
    groups = case.groups
    if case.flags:
        write_guest(folder, {"hardware": {"cpu": {"flags": case.flags[0]}}})
        groups = {**groups, "hardware": {"cpu": {"flags": case.flags[1]}}}
    write_host(folder, groups, **case.host)
    advice = advice_on(plan, found, folder)
    beside = {"slower-cpu"} if case.cause == "cold-start" else set()  # what takes its time in the start
    assert {row.cause for row in advice.rows} <= {case.cause} | beside
    return advice


def counts_of(record: Trial, case: Case) -> tuple[Count, ...]:
    return tuple(
        Count(name, there if record.platform else here, 1.0, 1.0) for name, here, there in case.counts
    )


def named(case: Case) -> str:
    return f"{case.setting} for {case.cause}"


@pytest.mark.parametrize("case", CASES, ids=named)
def test_a_setting_is_advised(case: Case, tmp_path: Path) -> None:
    rows = {f"{row.factor}={row.level}": row for row in advised_in(case, tmp_path).rows}
    row = rows[case.setting]
    assert row.share == pytest.approx(1.0, abs=0.05)
    assert row.most == pytest.approx(0.2, abs=0.01)
    assert row.measured is None
    named = "quick" if case.guests == 1 else "0123abcd.yaml"
    command = f"assay evaluate {named} --baseline guest --set {quoted(case.setting)}"
    kept = "assay result scene 0123abcd --output 0123abcd.yaml && "
    assert row.command == (command if case.guests == 1 else kept + command)


def quoted(setting: str) -> str:
    return f"'{setting}'" if " " in setting else setting


@pytest.mark.parametrize("case", AGAINST, ids=named)
def test_a_setting_is_not_advised(case: Case, tmp_path: Path) -> None:
    assert case.setting not in {f"{row.factor}={row.level}" for row in advised_in(case, tmp_path).rows}


LEVELS = {
    "cpu.vcpus": {"2"},
    "disk.queues": {"2"},
    "memory.size": {"4 GiB"},
    "net.queues": {"2"},
    "numa.cell": {"2"},
}
"""Of rules that make the level of the guest: those of the cases."""


def told_by(remedy: Remedy) -> set[tuple[str, str, str]]:
    levels = {remedy.level} if isinstance(remedy.level, str) else LEVELS[remedy.factor]
    return {(cause, remedy.factor, level) for cause in remedy.causes for level in levels}


def test_every_cause_of_every_rule_has_a_case() -> None:
    told = {(case.cause, *case.setting.split("=", 1)) for case in CASES}
    assert set().union(*map(told_by, REMEDIES)) == told


def test_what_the_host_counted_by_reason_stands_in_the_place_of_all_exits(tmp_path: Path) -> None:
    case = Case("apic.eoi=on", "kernel-time", {"apic.eoi": "off"}, on_host=SERVED)
    advice = advised_in(case, tmp_path)
    row = next(row for row in advice.rows if row.factor == "apic.eoi")
    assert [(one.name, one.baseline, round(one.treatment or 0)) for one in row.counted] == [
        ("exits for interrupts", None, 90)
    ]
    assert "counted: exits for interrupts 90" in text_advice(advice)


def test_memory_on_another_node_is_told_with_its_faults(tmp_path: Path) -> None:
    case = Case("numa.memory=strict:own", "slower-cpu", groups=NODES, on_host=SPREAD)
    text = text_advice(advised_in(case, tmp_path))
    assert "counted: NUMA faults on remote memory 400" in text


def test_instructions_that_the_guest_lacks_are_named(tmp_path: Path) -> None:
    case = Case("", "slower-cpu", {"cpu.mode": "custom"}, flags=(X86[:3], X86))
    advice = advised_in(case, tmp_path)
    assert {row.factor: row.missing for row in advice.rows if row.missing} == {
        "cpu.mode": ("avx", "avx2", "fma")
    }
    assert "the guest's processor lacks: avx, avx2, fma" in text_advice(advice)


def test_what_an_older_kernel_of_the_guest_does_not_show_may_be_there(tmp_path: Path) -> None:
    case = Case("", "slower-cpu", {"cpu.mode": "custom"}, flags=(X86[:3], X86), host={"kernel": "99.1"})
    assert not any(row.missing for row in advised_in(case, tmp_path).rows)


def test_what_the_host_counted_while_a_trial_failed_speaks_for_nothing(tmp_path: Path) -> None:
    plan = plan_with({"apic.eoi": "off"}, vcpus=1, guests=1)
    found = records_of(plan, *usage_with("kernel-time"))
    found = [watched(one, tmp_path, SERVED) if one.platform else one for one in found]
    budget = page_of(plan, found, tmp_path).budgets[0]
    seen = [situation_of(plan, some, budget, tmp_path) for some in (found, [*map(as_failed, found)])]
    assert [None if one is None else bool(one.on_host) for one in seen] == [True, False]


def as_failed(record: Trial) -> Trial:
    return replace(record, state=State.FAILED, cause="exited with 1")


SIZES = Sizes(cache_bytes=None, memory_bytes=2**30, cpus=1)
TALKS = command_workload("mine", ("mine", "--to", "{server}"))
READ_BY = replace(command_workload("far", ("sh", "-c", "iperf3 -c 192.0.2.1")), reader="iperf3")


@pytest.mark.parametrize(
    ("workload", "advised"),
    [
        (library(SIZES)["tcp-rr"], True),
        (replace(library(SIZES)["iperf3"], name="wire"), True),
        (TALKS, True),
        (READ_BY, True),
        (command_workload("trackrr", ("trackrr",)), False),
        (replace(READ_BY, name="ping", reader="fio"), False),
    ],
    ids=lambda one: one.name if isinstance(one, Workload) else None,
)
def test_the_network_is_advised_to_what_measures_it_by_its_tool_not_by_its_name(
    workload: Workload, advised: bool, tmp_path: Path
) -> None:
    plan = plan_with({"net.model": "e1000"})
    host, guest = usage_with("kernel-time")
    page = page_of(plan, records_of(plan, host, guest), tmp_path)
    (budget,) = page.budgets
    trials = tuple(replace(trial, workload=workload.name) for trial in plan.trials)
    plan = replace(plan, workloads=(workload,), trials=trials)
    found = situation_of(
        plan, records_of(plan, host, guest), replace(budget, workload=workload.name), tmp_path
    )
    assert found is not None
    assert found.network is advised


def test_a_card_that_is_emulated_is_advised_against_where_the_network_is_measured(tmp_path: Path) -> None:
    plan = plan_with({"net.model": "e1000"})
    host, guest = usage_with("kernel-time")
    asked = replace(plan.workloads[0], needs_network=True)
    measured = replace(plan, workloads=(asked,))
    for one, told in ((plan, False), (measured, True)):
        advice = advice_on(one, records_of(one, host, guest), tmp_path)
        assert ("net.model=virtio" in {f"{row.factor}={row.level}" for row in advice.rows}) is told


def test_under_emulation_other_settings_are_advised(tmp_path: Path) -> None:
    plan = plan_with({"cpu.mode": "host-model", "tcg.tb-cache": "8 MiB"})
    host, guest = usage_with("slower-cpu")
    advice = advice_on(plan, records_of(plan, host, guest, accelerator="tcg"), tmp_path)
    assert {(row.factor, row.cause) for row in advice.rows} == {
        ("cpu.mode", "emulation"),
        ("tcg.tb-cache", "emulation"),
    }


def test_what_cannot_be_had_here_says_why(tmp_path: Path) -> None:
    """No test machine has as many huge pages free as this guest needs, nor gets them for another test's."""
    plan = plan_with({})
    arm = plan.treatment
    assert arm.guest is not None
    plan = replace(plan, treatment=replace(arm, guest=replace(arm.guest, memory_bytes=1 << 44)))
    host, guest = usage_with("slower-cpu")
    write_host(tmp_path, {})
    advice = advice_on(plan, records_of(plan, host, guest), tmp_path)
    row = next(row for row in advice.rows if row.factor == "memory.hugepages")
    assert row.refused
    assert f"not here: {row.refused}" in text_advice(advice)


def test_a_cause_without_a_setting_says_what_to_count_next(tmp_path: Path) -> None:
    plan = plan_with({"disk.cache": "writeback"})
    host, guest = usage_with("waiting")
    found = records_of(plan, host, guest, accelerator="tcg")
    advice = advice_on(plan, found, tmp_path)
    assert [row.factor for row in advice.rows] == ["disk.guest-filesystem"]
    best = plan_with({"disk.guest-filesystem": "xfs"})
    advice = advice_on(best, records_of(best, host, guest, accelerator="tcg"), tmp_path)
    assert advice.rows == ()
    (unknown,) = advice.unknown
    assert unknown.cause == "waiting"
    assert "--watch" in unknown.next
    text = text_advice(advice)
    assert "no setting is known" in text
    assert "spin: waiting, 100 % of the loss. Next: look for what it waits" in text


def test_where_nothing_is_lost_nothing_is_advised(tmp_path: Path) -> None:
    plan = plan_with()
    host, _ = usage_with("waiting")
    advice = advice_on(plan, records_of(plan, host, host), tmp_path)
    assert (advice.rows, advice.unknown, advice.without_cause) == ((), (), ("spin",))
    assert "No cause was found for: spin" in text_advice(advice)


def test_of_a_machine_that_is_no_guest_of_ours_only_the_next_step_is_told(tmp_path: Path) -> None:
    plan = plan_with()
    host, guest = usage_with("kernel-time")
    found = [replace(one, platform=None) for one in records_of(plan, host, guest)]
    advice = advice_on(plan, found, tmp_path)
    assert advice.rows == ()
    assert [one.cause for one in advice.unknown] == ["kernel-time"]


def test_what_was_ablated_stands_with_what_it_won_back_and_ranks_by_it(tmp_path: Path) -> None:
    plan = plan_with({"cpu.mode": "custom"})
    found = records_of(plan, *usage_with("slower-cpu"))
    share = AblationShare("guest-cpu", 0.015, 0.01, 0.02, "caused")
    row = ProofRow("spin", "wall_time", None, (share,), None, (), None)
    proof = Proof("0123abcd", "complete", 3, 0.95, (), (), "design", (), (row,))
    page = replace(page_of(plan, found, tmp_path), proof=proof)
    advice = advice_on(plan, found, tmp_path, page)
    assert advice.rows[-1].factor == "cpu.mode"
    assert (advice.rows[-1].measured, advice.rows[-1].measured_by) == (0.015, "ablation")
    assert "1.50 % [1.00, 2.00], measured" in text_advice(advice)
    changed = replace(proof, rows=(replace(row, changed=True),))
    advice = advice_on(plan, found, tmp_path, replace(page, proof=changed))
    assert all(row.measured is None for row in advice.rows)


def test_what_a_sweep_tried_stands_with_its_difference_in_the_same_blocks(tmp_path: Path) -> None:
    one = plan_with({"disk.cache": "none"}, blocks=5)
    other = plan_with({"disk.cache": "writeback"}).treatment
    arms = (replace(one.treatment, label="none"), replace(other, label="writeback"))
    trials = plan_trials(("spin",), blocks=5, seed=1, visits=visits_of(arms))
    plan = replace(one, treatment=arms[0], more=arms[1:], trials=trials)
    host, guest = usage_with("disk-throughput")
    found = [
        replace(
            record,
            measurements=tuple(replace(m, value=(m.value or 0) * 0.9) for m in record.measurements),
            usage=record.usage and replace(record.usage, wall_s=record.usage.wall_s * 0.9),
        )
        if record.platform and record.planned.level == 1
        else record
        for record in records_of(plan, host, guest)
    ]
    advice = advice_on(plan, found, tmp_path)
    row = next(row for row in advice.rows if (row.factor, row.treatment) == ("disk.cache", "none"))
    assert row.measured_by == "sweep"
    assert row.measured == pytest.approx(4 / 4.5 - 4 / 5, abs=0.002)
    assert row.measured_low is not None
    assert row.measured_low < row.measured
    assert row.command is None
    assert "assay factors export disk.cache=writeback" in text_advice(advice)


def test_the_page_goes_through_json_and_fits_its_text(tmp_path: Path) -> None:
    advice = advised_in(Case("disk.cache=writeback", "disk-throughput"), tmp_path)
    found = json.loads(to_json(advice))
    fits(found, "advice-v1")
    assert found["rows"][0]["cause"] == "disk-throughput"
    text = text_advice(advice)
    assert "setting" in text.splitlines()[3]
    assert "at most 19.9" in text or "at most 20.0" in text
    assert "1. disk.cache=writeback: The host's page cache" in text
    assert "others saw: 10 % between writeback and writethrough, I/O (JUNO 2017 2.4)" in text


def test_of_a_domain_of_others_only_what_its_definition_says_is_known(tmp_path: Path) -> None:
    plan = plan_with()
    arm = replace(plan.treatment, guest=None, domain=DomainSpec("worker1"))
    found = records_of(plan, *usage_with("disk-throughput"))
    with_domain = [
        replace(one, platform=one.platform and replace(one.platform, domain_xml=DESKTOP)) for one in found
    ]
    advice = advice_on(replace(plan, treatment=arm), with_domain, tmp_path)
    factors = {row.factor for row in advice.rows}
    assert "disk.cache" in factors
    assert not {"disk.guest-filesystem", "disk.format", "disk.preallocation"} & factors
    already = DESKTOP.replace("cache='none'", "cache='writeback'")
    cached = [
        replace(one, platform=one.platform and replace(one.platform, domain_xml=already)) for one in found
    ]
    advice = advice_on(replace(plan, treatment=arm), cached, tmp_path)
    assert "disk.cache" not in {row.factor for row in advice.rows}
    assert all(row.command is None for row in advice.rows)


def test_levels_are_ones_of_the_catalogue_for_guests_of_any_size() -> None:
    for memory in (500_000_000, 3 << 30, (5 << 30) + 1):
        for vcpus in (1, 256, 1024):
            situation = Situation("kvm", {"disk.queues": "1"}, vcpus=vcpus, memory_bytes=memory, cpus=vcpus)
            for remedy in REMEDIES:
                if remedy.factor in {"memory.size", "net.queues", "disk.queues", "cpu.vcpus"}:
                    read_level(remedy.factor, remedy.level_for(situation))
