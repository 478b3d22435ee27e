"""What a result says of a guest that others made, and of what lies below its machines."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.design import plan_trials
from assay.model.machines.machine import Machine, Reach
from assay.model.platforms.existing import DomainSpec
from assay.model.platforms.platform import GuestWeight, HypervisorCpu
from assay.model.trial import Arm
from assay.results.doubts.arms_differ import hardware
from tests.activities.visits.test_existing import FOUND
from tests.builders import FACTS, plan_of, record_of
from tests.results.said_of import below_sentences, domain_sentences, method_sentences

TRIALS = plan_trials(("spin",), blocks=3, seed=1)
PLAN = plan_of(TRIALS)
VM = replace(
    PLAN.treatment, label="vm, domain web", machine=Machine("vm", Reach.SSH), domain=DomainSpec("web")
)
DOMAIN = replace(PLAN, treatment=VM)
CPU = HypervisorCpu(3.0, 0.5)
WEIGHT = GuestWeight(1 << 30, 512 << 20, 4 << 20, 1 << 20, 60.0)
RECORDS = [
    replace(record_of(trial, 1.0), platform=FOUND, hypervisor_cpu=CPU, weight=WEIGHT, below="kvm")
    if trial.arm is Arm.TREATMENT
    else record_of(trial, 1.0)
    for trial in TRIALS
]


def test_a_domain_is_told_as_found_with_what_is_not_told() -> None:
    said = " ".join(method_sentences(DOMAIN, RECORDS))
    assert "vm, domain web on qemu:///system: it was there already, was used as it is and left so" in said
    assert "QEMU 7.2.0 by libvirt 9.0.0, accelerator kvm, machine q35, CPU model host, 2 vCPU" in said
    assert "qcow2 with cache mode not told; host processors: 2-3." in said
    assert "CPU of the QEMU process outside its vCPUs, a trial: spin 0.50 s." in said
    assert "vm, domain web runs on KVM, which it sees from inside." in said
    assert (
        "QEMU held 4 MiB beside the guest's memory, of which the guest had touched 512 MiB of 1 GiB" in said
    )
    assert "booted afresh" not in said
    assert "changed by others" not in said


def test_a_domain_that_others_changed_meanwhile_is_said_to_be() -> None:
    changed = [*RECORDS, replace(RECORDS[-1], platform=replace(FOUND, memory_bytes=2 << 30))]
    assert any("was changed by others" in sentence for sentence in domain_sentences(DOMAIN, changed))


@pytest.mark.parametrize(
    ("name", "reported"),
    [("vmware", "VMware"), ("hyper-v", "Microsoft Hyper-V"), ("xen", "Xen"), ("new-one", "new-one")],
)
def test_a_machine_that_somebody_else_virtualised_names_its_hypervisor(name: str, reported: str) -> None:
    other = replace(PLAN, treatment=replace(VM, label="node02", domain=None))
    below = [replace(one, below=name, platform=None) if one.below else one for one in RECORDS]
    assert f"node02 runs on {reported}, which it sees from inside." in method_sentences(other, below)


def test_metal_and_older_records_say_nothing_of_what_lies_below() -> None:
    assert not list(below_sentences(PLAN, [record_of(trial, 1.0) for trial in TRIALS]))


def test_the_other_processor_of_a_domain_of_this_machine_is_by_design() -> None:
    facts = {Arm.BASELINE: FACTS, Arm.TREATMENT: replace(FACTS, cpu_model="QEMU Virtual CPU")}
    records = [replace(one, facts=facts[one.planned.arm]) for one in RECORDS]
    assert not list(hardware(DOMAIN, records))
    far = replace(DOMAIN, treatment=replace(VM, domain=DomainSpec("web", "qemu+ssh://node01/system")))
    assert [doubt.code for doubt in hardware(far, records)] == ["processors-differ"]
