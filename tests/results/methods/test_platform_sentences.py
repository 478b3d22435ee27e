"""What guests, domains and containers of a result were, word for word."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assay.model.machines.machine import Machine, Reach
from assay.model.platforms.container import Container, Runtime
from assay.model.platforms.platform import Platform, Restored, SeenFactor
from assay.model.trial import Arm
from assay.model.work.host_watch import HostWatch
from assay.model.work.observation import ProbeCost
from assay.model.work.page_cache import CacheSpec, CacheState
from tests.builders import plan_of, record_of
from tests.results.families.test_weights import WANTED
from tests.results.methods.test_container_method import RUNC
from tests.results.methods.test_domain_method import DOMAIN, WEIGHT
from tests.results.methods.test_domain_method import RECORDS as DOMAINS
from tests.results.methods.test_guest_method import GUEST, PLAN, TRIALS
from tests.results.methods.test_layout_method import MEMBER
from tests.results.said_of import (
    below_sentences,
    container_sentences,
    domain_sentences,
    guest_sentences,
    host_sentences,
    host_watch_sentences,
    layout_sentences,
)

RECORDS = [record_of(trial, 1.0) for trial in TRIALS]


def treated(**changes: Any) -> list[Any]:
    """Return records whose treatment has these fields."""
    return [replace(r, **changes) if r.planned.arm is Arm.TREATMENT else r for r in RECORDS]


def guests(plan: Any = PLAN, **changes: Any) -> list[str]:
    """Return what is said of a guest with these fields."""
    platform = replace(GUEST, **changes)
    return list(guest_sentences(plan, treated(platform=platform)))


def test_a_guest_is_told_with_its_hypervisor_disk_and_settings() -> None:
    factors = (
        SeenFactor("disk.bus", "scsi", "QMP query-block"),
        SeenFactor("net.model", "virtio", "QMP query-pci"),
    )
    assert guests(factors=factors, cpus=(1, 2), vcpus=2) == [
        (
            "other: QEMU 7.2.22 by libvirt 9.0.0, accelerator tcg, machine pc-q35-7.2, CPU model "
            "maximum, 2 vCPU, 1 GiB; "
            "the whole QEMU process on host cores 1, 2; booted afresh in each visit; no guest "
            "ran during a host trial."
        ),
        (
            "Its disk is qcow2 with cache mode none, on the file system that the host's trials use; "
            "its image is 0123."
        ),
        (
            "Its settings, seen in force from outside before its first trial: disk.bus scsi (QMP "
            "query-block); net.model virtio (QMP query-pci)."
        ),
    ]


def test_a_guest_under_kvm_says_why() -> None:
    assert guests(accelerator="kvm", why="it is there")[-1] == "KVM was chosen because it is there."


def test_a_guest_on_another_machine_says_where_its_disk_lies() -> None:
    far = replace(PLAN, treatment=replace(PLAN.treatment, machine=Machine("far", Reach.SSH)))
    assert guests(far)[1] == (
        "Its disk is qcow2 with cache mode none, in a folder of its own on far, where it was "
        "made by libvirt over SSH; its image is 0123."
    )


def test_a_restored_guest_is_told_as_one_and_two_guests_are_told_together_where_they_are_alike() -> None:
    both = replace(PLAN, baseline=replace(PLAN.baseline, guest=WANTED))
    records = [
        replace(r, platform=replace(GUEST, restored=Restored("fedc"), domain_xml=str(r.planned.index)))
        for r in RECORDS
    ]
    first, *_ = guest_sentences(both, records)
    assert first.startswith("host and other: QEMU")
    assert first.endswith(
        "on host core 1; restored in each visit from the saved state fedc, its clock set and checked."
    )


def test_the_settings_of_several_guests_are_those_of_the_first() -> None:
    members = tuple(replace(MEMBER, name=f"guest-{at}", cpus=(at,)) for at in range(2))
    factors = (SeenFactor("disk.bus", "scsi", "QMP"),)
    reported = list(guest_sentences(PLAN, treated(platform=replace(GUEST, factors=factors), members=members)))
    assert (
        "1 GiB each; the whole QEMU process of each on host core 0 (guest-0); core 1 (guest-1); booted"
        in reported[0]
    )
    assert reported[1].startswith("The disk of each is qcow2")
    assert reported[2] == (
        "The first guest's settings, seen in force from outside before its first trial: disk.bus scsi (QMP)."
    )


def test_a_domain_is_told_as_it_was_found() -> None:
    assert list(domain_sentences(DOMAIN, DOMAINS)) == [
        (
            "vm, domain web on qemu:///system: it was there already, was used as it is and left "
            "so; the machine that was reached is that domain by its UUID or a hardware address of it."
        ),
        (
            "Its hypervisor is QEMU 7.2.0 by libvirt 9.0.0, accelerator kvm, machine q35, CPU "
            "model host, 2 vCPU, 1 GiB; its "
            "first disk is qcow2 with cache mode not told; host processors: 2-3."
        ),
        (
            "Read from libvirt without a word to QEMU's monitor, which would mark the domain: "
            "settings that neither its XML nor the kernel shows are not told."
        ),
        (
            "At the end of its last trial QEMU held 4 MiB beside the guest's memory, of which "
            "the guest had touched 512 MiB of 1 GiB; its disk took 1 MiB."
        ),
    ]
    assert list(domain_sentences(PLAN, DOMAINS)) == []
    assert list(domain_sentences(DOMAIN, RECORDS)) == []


def test_what_a_domain_does_not_tell_is_said_to_be_untold() -> None:
    platform = next(record.platform for record in DOMAINS if record.platform)
    assert isinstance(platform, Platform)
    bare = [replace(r, platform=replace(platform, disk_format=None, disk_cache="none", cpus=()), weight=None)
            for r in DOMAINS]  # fmt: skip
    sentences = list(domain_sentences(DOMAIN, bare))
    assert len(sentences) == 3
    assert (
        "its first disk is a format not told with cache mode none; host processors: not told." in sentences[1]
    )


@pytest.mark.parametrize(
    ("changes", "is_said"),
    [
        ({"vcpus": 3}, True),
        ({"memory_bytes": 1}, True),
        ({"cpu_model": "x"}, True),
        ({"disk_cache": "none"}, True),
        ({"cpus": (1,)}, True),
        ({"why": "other"}, False),
    ],
)
def test_a_domain_that_was_changed_between_visits_is_said_to_be(
    changes: dict[str, Any], is_said: bool
) -> None:
    last = DOMAINS[-1]
    found = [
        *DOMAINS,
        replace(last, platform=replace(next(r.platform for r in DOMAINS if r.platform), **changes)),
    ]
    sentence = "It was changed by others between its visits: the records tell what it was at each."
    assert (sentence in domain_sentences(DOMAIN, found)) is is_said


def test_a_domains_weight_is_that_of_its_last_trial() -> None:
    later = replace(WEIGHT, beside_bytes=5 << 20)
    found = [*DOMAINS, replace(DOMAINS[-1], weight=later, ended_ns=10**19)]
    assert any("held 5 MiB beside" in sentence for sentence in domain_sentences(DOMAIN, found[::-1]))


def containers(seen: Container) -> list[str]:
    """Return what is said of a container."""
    return list(container_sentences(PLAN, treated(container=seen)))


LAST = "the machine's files, read-only but for one folder; made afresh in each visit."


def test_a_container_is_told_with_its_kernel_namespaces_cores_and_limits() -> None:
    assert containers(RUNC) == [
        (
            "other: runc version 1.1.5; system calls answered by the machine's own kernel; "
            f"namespaces of its own: mnt, pid; every thread on core 1; {LAST}"
        )
    ]
    limited = replace(
        RUNC,
        kernel="Linux",
        isolated=(),
        cpus=(1, 2),
        memory_bytes=2 << 30,
        cpu_quota=0.125,
        platform="ptrace",
    )
    assert containers(limited) == [
        (
            "other: runc version 1.1.5; system calls answered by a Linux kernel of its own; "
            "caught by ptrace; in this "
            f"machine's namespaces; every thread on cores 1, 2; 2 GiB of memory; a CPU quota of 12.5%; {LAST}"
        )
    ]
    assert "answered by gVisor's kernel;" in containers(replace(RUNC, kernel="gVisor"))[0]
    assert "answered by plan9;" in containers(replace(RUNC, kernel="plan9"))[0]


@pytest.mark.parametrize(
    ("runtime", "reported"), [(Runtime.RUNSC, True), (Runtime.UML, True), (Runtime.RUNC, False)]
)
def test_what_a_kernel_in_a_process_costs_is_told_beside_the_job(runtime: Runtime, reported: bool) -> None:
    sentences = containers(replace(RUNC, runtime=runtime, cpu_s=5.0))
    assert sentences[1:] == (
        ["other: 5.00 s of CPU a trial by the machine, 3.75 s by the count inside it."] if reported else []
    )
    assert containers(replace(RUNC, runtime=runtime, cpu_s=None))[1:] == []


@pytest.mark.parametrize(
    ("name", "reported"),
    [
        ("kvm", "KVM"),
        ("qemu-tcg", "QEMU's emulator"),
        ("xen", "Xen"),
        ("hyper-v", "Microsoft Hyper-V"),
        ("own", "own"),
    ],
)
def test_a_hypervisor_below_is_told_by_its_name(name: str, reported: str) -> None:
    assert list(below_sentences(PLAN, treated(below=name))) == [
        f"other runs on {reported}, which it sees from inside."
    ]
    assert list(below_sentences(PLAN, RECORDS)) == []


def test_settings_of_the_host_are_told_by_arm() -> None:
    plan = replace(PLAN, treatment=replace(PLAN.treatment, host_settings=(("host.thp", "never"),)))
    factors = (SeenFactor("host.thp", "never", "sysfs"), SeenFactor("host.ksm", "off", "sysfs"))
    assert list(host_sentences(plan, treated(host_settings=factors))) == [
        (
            "Settings of the host for other, seen in force at the start of each of its visits: "
            "host.thp never (sysfs); host.ksm off (sysfs)."
        )
    ]
    assert list(host_sentences(plan, RECORDS)) == []


def test_the_watch_of_a_guests_host_is_told_with_what_it_took() -> None:
    cost = ProbeCost(0.004, 1 << 20, 5, 1.0)
    watch = HostWatch(0.5, 42, (2, 3), (), cost)
    assert list(host_watch_sentences(treated(host_watch=watch))) == [
        (
            "A second probe watched the guest's host meanwhile, every 0.5 s, on host cores 2, 3; "
            "it took at most 0.10% of one core."
        )
    ]
    bare = replace(watch, cpus=(2,), cost=None)
    assert list(host_watch_sentences(treated(host_watch=bare))) == [
        "A second probe watched the guest's host meanwhile, every 0.5 s, on host core 2."
    ]
    assert list(host_watch_sentences(RECORDS)) == []


def test_containers_of_a_layout_are_told_as_such() -> None:
    (sentence, *_) = layout_sentences(PLAN, treated(members=(MEMBER,), container=RUNC))
    assert sentence.startswith(
        "Layouts: the containers of one share the cores, the memory and the copies evenly"
    )
    assert "each was made afresh in each visit" in sentence


def test_how_layouts_were_started_is_told_with_the_worst_release() -> None:
    members = tuple(replace(MEMBER, asked_s=1.0, started_s=at) for at in (1.001, 0.9965, None))
    plan = plan_of(TRIALS)
    plan = replace(plan, treatment=replace(plan.treatment, cache=CacheSpec(CacheState.WARM)))
    assert list(layout_sentences(plan, treated(members=members))) == [
        (
            "Layouts: the guests of one share the cores, the memory and the copies evenly; each "
            "was booted afresh in each "
            "visit, and all were usable before any job began. Rates of guests are summed, times "
            "averaged; a wall time is from the first release to the last end, on the host's clock."
        ),
        (
            "Their jobs were released at one moment, or the stagger apart: seen on the host's "
            "clock, 6 releases were at most -3.5 ms off what was asked."
        ),
        (
            "Preload: the files that the workload's 'cache' counts were read into each guest's "
            "page cache before the start; whether they were found there is not told."
        ),
    ]
    assert list(layout_sentences(plan, RECORDS)) == []
    unseen = tuple(replace(member, started_s=None) for member in members)
    assert len(list(layout_sentences(PLAN, treated(members=unseen)))) == 1
