"""The checks of the self-test: where each can be tried, what is planned for it, what it says of records."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from assay.activities.plan.prepare import plan_activity
from assay.design import plan_trials
from assay.factors.base.evidence import Host
from assay.factors.catalogue import FACTORS
from assay.model.machines.machine import Limits
from assay.model.metric import Measurement
from assay.model.platforms.platform import HypervisorCpu, Platform
from assay.model.trial import Arm, State, Trial
from assay.model.work.observation import Count
from assay.platforms.host.recorded_host import RecordedHost
from assay.probe.facts import recorded_fingerprint
from assay.scenes import read_scene
from assay.selftest.checks import CHECKS, Check, Node
from assay.selftest.document import never_run_document
from assay.selftest.levels import levels_here, never_tried
from assay.store.store import Store
from tests.builders import RATE, plan_of, record_of
from tests.factors.parts import FakeHost

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "tests/machines"
LARGE, SMALL = "ijclab-r6525-2x64-smt-512-gb", "proof-8-cores"
BY_NAME = {check.name: check for check in CHECKS}


def node(name: str, **files: str) -> Node:
    host = RecordedHost(RECORDED / name)
    facts = recorded_fingerprint(RECORDED / name).facts
    return Node(facts, cast("Host", FakeHost(files, accelerator=host.accelerator, nodes=host.nodes)))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_each_check_is_a_scene_that_a_large_machine_can_plan(check: Check, tmp_path: Path) -> None:
    scene = read_scene(check.scene.encode(), file="check.yaml")
    assert scene.name == f"selftest-{check.name}"
    if check.name in {"host-huge-pages", "vhost"}:
        return  # the recorded machine has no pool, and no device of vhost
    store = Store(tmp_path)
    plan = plan_activity(
        scene, home=tmp_path, store=store, image=lambda _: "a" * 16, command=None, recorded=RECORDED / LARGE
    )
    store.close()
    assert plan.blocks == 3
    if check.name in {"whole-node", "smt-siblings"}:
        assert len(plan.treatment.limits.cpus) == 256


def test_a_machine_is_told_why_it_cannot_try_something() -> None:
    large, small = node(LARGE), node(SMALL)
    assert BY_NAME["smt-siblings"].why_not(large) is None
    assert BY_NAME["smt-siblings"].why_not(small) == "no core has a second processor"
    assert BY_NAME["kvm-guests"].why_not(large) is None
    emulated = replace(large, host=cast("Host", FakeHost()))
    assert BY_NAME["kvm-guests"].why_not(emulated) == "guests do not run by KVM here"
    assert BY_NAME["numa-binding"].why_not(large) is None
    assert BY_NAME["numa-binding"].why_not(emulated) == "there is one memory node"
    pool = "/sys/kernel/mm/hugepages/hugepages-2048kB"
    assert "there are 0: sysctl vm.nr_hugepages=256" in (BY_NAME["host-huge-pages"].why_not(large) or "")
    filled = node(LARGE, **{f"{pool}/free_hugepages": "256"})
    assert BY_NAME["host-huge-pages"].why_not(filled) is None
    counters = node(LARGE, **{"/sys/bus/event_source/devices/cpu_core/type": "4"})
    assert BY_NAME["hardware-counters"].why_not(counters) is None
    assert BY_NAME["hardware-counters"].why_not(large) == "the kernel shows no hardware counters"
    alma = node(LARGE, **{"/etc/os-release": 'ID="almalinux"\nID_LIKE="rhel centos fedora"'})
    assert BY_NAME["enterprise-linux"].why_not(alma) is None
    debian = node(LARGE, **{"/etc/os-release": "ID=debian"})
    assert BY_NAME["enterprise-linux"].why_not(debian) == "this is no Enterprise Linux"
    second = replace(large, facts=replace(large.facts, cgroup="v2"))
    assert BY_NAME["cgroup-v2"].why_not(second) is None
    assert BY_NAME["cgroup-v2"].why_not(large) == "control groups are not to be had"


TRIALS = plan_trials(("spin",), blocks=3, seed=1)
PLAN = plan_of(TRIALS)


def records(treatment: float = 100.0, **changes: Any) -> list[Trial]:
    return [
        record_of(planned, 100.0 if planned.arm is Arm.BASELINE else treatment, **changes)
        for planned in TRIALS
    ]


def test_a_failed_trial_fails_a_check_with_its_cause() -> None:
    made = records()
    made[2] = replace(made[2], state=State.FAILED, cause="exit code 1")
    for name in ("layouts", "vhost", "numa-binding", "kvm-guests"):
        assert BY_NAME[name].fault(PLAN, made) == f"{TRIALS[2].name}: exit code 1"
    assert BY_NAME["layouts"].fault(PLAN, records()) is None


@pytest.mark.parametrize(
    ("rate", "said"), [(50.0, None), (58.0, None), (90.0, "cost 10%"), (20.0, "cost 80%")]
)
def test_a_quota_must_cost_what_it_should(rate: float, said: str | None) -> None:
    found = BY_NAME["cgroup-v2"].fault(PLAN, records(rate))
    assert found == said if said is None else said in (found or "")


def test_what_was_not_counted_or_ran_elsewhere_is_said() -> None:
    counted = BY_NAME["hardware-counters"].fault
    assert "has no count of anything" in (counted(PLAN, records()) or "")
    silent = (Count("cycles", 5), Count("instructions", None))
    assert "has no count of instructions" in (counted(PLAN, records(counts=silent)) or "")
    assert counted(PLAN, records(counts=(Count("cycles", 5),))) is None
    whole = BY_NAME["whole-node"].fault
    assert "ran on 2 of 0 processors" in (whole(PLAN, records(limits=Limits((0, 1)))) or "")
    exits = BY_NAME["vm-exits"].fault
    assert "does not tell of exits" in (exits(PLAN, records()) or "")
    assert exits(PLAN, records(hypervisor_cpu=HypervisorCpu(1.0, 0.1, exits=7))) is None
    platform = cast("Platform", type("Seen", (), {"accelerator": "tcg"})())
    assert "ran by tcg" in (BY_NAME["kvm-guests"].fault(PLAN, records(platform=platform)) or "")
    assert BY_NAME["smt-siblings"].fault(PLAN, records()) == "no two processors of a core were measured"
    assert Measurement(RATE, 1.0).value == 1.0


def test_levels_that_were_never_tried_are_tried_where_they_can_be_had() -> None:
    assert all(name.partition("=")[0] in FACTORS for name in never_tried())
    emulated = dict(levels_here(cast("Host", FakeHost())))
    by_kvm = dict(levels_here(cast("Host", FakeHost(accelerator="kvm"))))
    assert "cpu.mode" not in emulated
    assert "cpu.mode" in by_kvm
    assert not {name for name in by_kvm if FACTORS[name].of_host}


def test_the_page_of_what_was_never_run_is_what_the_code_says_or_tools_factor_docs_must_be_run() -> None:
    assert (ROOT / "docs/never-run.md").read_text() == never_run_document()
