"""What QEMU, its threads and its control groups tell of processors, read from answers that were recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

import pytest

from assay.factors.base.evidence import Thread
from assay.factors.catalogue import FACTORS
from tests.factors.parts import FakeEvidence, FakeHost

CPU, BOARD = "/machine/unattached/device[0]", "/machine/unattached"
MAX_OF_TCG = {
    "type": "max-x86_64-cpu",
    "unavailable-features": [],
    "pcid": False,
    "avx2": True,
    "l3-cache": True,
    "host-cache-info": False,
    "pmu": True,
    "kvmclock": False,
    "kvm-hint-dedicated": False,
    "tsc-frequency": 0,
}
"""Of QEMU 7.2 under TCG; with kvm-hint-dedicated=on and kvmclock=on on its command line, too."""
HOST_OF_KVM = MAX_OF_TCG | {
    "type": "host-x86_64-cpu",
    "pcid": True,
    "kvmclock": True,
    "kvm-hint-dedicated": True,
    "tsc-frequency": 2_596_126_000,
}
NEHALEM = {"type": "Nehalem-x86_64-cpu", "unavailable-features": [], "l3-cache": False, "pmu": False}
BOARDS = {
    ("qom-get", "/machine", "type"): "pc-q35-7.2-machine",
    "query-machines": [
        {"name": "isapc", "default-cpu-type": "486-x86_64-cpu"},
        {"name": "pc-q35-7.2", "default-cpu-type": "qemu64-x86_64-cpu"},
    ],
}
LACKING = {"type": "Haswell-x86_64-cpu", "unavailable-features": ["pcid", "x2apic"]}


def vcpus(count: int, *, cores: int = 1) -> list[dict[str, Any]]:
    """Return an answer to query-cpus-fast, the last vCPU first; cores of two vCPUs' sockets."""
    props = [{"socket-id": n // cores, "core-id": n % cores, "thread-id": 0} for n in range(count)]
    return [
        {"cpu-index": n, "thread-id": 100 + n, "qom-path": CPU, "props": props[n]}
        for n in reversed(range(count))
    ]


def guest(
    properties: Mapping[str, Any] = MAX_OF_TCG,
    *,
    kvm: bool = False,
    board: Mapping[str, Mapping[str, str]] | None = None,
    **parts: Any,
) -> FakeEvidence:
    """Return a guest of two vCPUs whose first has properties, on a board of devices with properties."""
    answers: dict[Any, Any] = {"query-kvm": {"enabled": kvm}, "query-cpus-fast": vcpus(2)}
    answers["qom-list", CPU] = [{"name": name} for name in properties]
    answers |= {("qom-get", CPU, name): value for name, value in properties.items()}
    devices = list((board or {}).items())
    answers["qom-list", BOARD] = [
        {"name": f"device[{n}]", "type": f"child<{kind}>"} for n, (kind, _) in enumerate(devices)
    ]
    for number, (_, said) in enumerate(devices):
        answers |= {("qom-get", f"{BOARD}/device[{number}]", name): value for name, value in said.items()}
    return FakeEvidence(answers | parts.pop("answers", {}), **parts)


def threads(*cpus: tuple[int, ...], policy: int = 0) -> tuple[Thread, ...]:
    """Return threads of QEMU: main, monitor, a worker elsewhere, a thread for a disk, and vCPUs on
    processors.
    """
    others = (
        Thread(90, "qemu-system-x86", (0, 1), 0),
        Thread(91, "IO mon_iothread", (0, 1), 0),
        Thread(92, "worker", (3,), 0),
        Thread(93, "IO iothread1", (2,), 0),
    )
    made = (Thread(100 + n, f"CPU {n}/KVM", one, policy) for n, one in enumerate(cpus))
    return (*others, *made)


PINNED = {"live": ElementTree.fromstring('<domain><vcpu cpuset="0-1">2</vcpu></domain>')}


@pytest.mark.parametrize(
    ("name", "wanted", "seen", "found"),
    [
        ("cpu.mode", "maximum", guest(), "maximum"),
        ("cpu.mode", "host-passthrough", guest(HOST_OF_KVM, kvm=True), "host-passthrough"),
        ("cpu.mode", "host-model", guest(NEHALEM, kvm=True), "host-model"),
        ("cpu.mode", "host-model", guest(LACKING, kvm=True), "Haswell without pcid, x2apic"),
        ("cpu.mode", "host-model", guest(NEHALEM), "Nehalem, as the emulator has it"),
        ("cpu.mode", "maximum", guest(NEHALEM), "custom"),
        ("cpu.mode", "default", guest({"type": "qemu64-x86_64-cpu"}, answers=BOARDS), "default"),
        ("cpu.mode", "default", guest(NEHALEM, answers=BOARDS), "custom (Nehalem, by default it is qemu64)"),
        ("cpu.mode", "default", guest(answers=BOARDS), "maximum"),
        ("cpu.mode", "custom", guest({"type": "qemu64-x86_64-cpu"}), "custom"),
        ("cpu.model", "Nehalem", guest(NEHALEM), "Nehalem"),
        ("cpu.model", "Haswell", guest(LACKING), "Haswell without pcid, x2apic"),
        ("cpu.feature", "avx2=require,pcid=require", guest(), "avx2=require,pcid=disable"),
        ("cpu.feature", "pcid=require", guest(HOST_OF_KVM), "pcid=require"),
        ("cpu.feature", "avx9=disable", guest(), "avx9=unknown"),
        ("cpu.cache", "emulate", guest(), "emulate"),
        ("cpu.cache", "disable", guest(NEHALEM), "disable"),
        ("cpu.cache", "passthrough", guest({**MAX_OF_TCG, "host-cache-info": True}), "passthrough"),
        ("cpu.pmu", "on", guest(), "off"),
        ("cpu.pmu", "on", guest(HOST_OF_KVM, kvm=True), "on"),
        ("cpu.topology", "", guest(), "sockets=2,cores=1,threads=1"),
        (
            "cpu.topology",
            "",
            guest(answers={"query-cpus-fast": vcpus(4, cores=2)}),
            "sockets=2,cores=2,threads=1",
        ),
        ("clock.hpet", "no", guest(board={"isa-pit": {}}), "no"),
        ("clock.hpet", "no", guest(board={"hpet": {}}), "yes"),
        ("clock.rtc", "catchup", guest(board={"mc146818rtc": {"lost_tick_policy": "slew"}}), "catchup"),
        ("clock.rtc", "catchup", guest(board={"mc146818rtc": {"lost_tick_policy": "discard"}}), "delay"),
        ("clock.pit", "discard", guest(board={"kvm-pit": {"lost_tick_policy": "discard"}}), "discard"),
        ("clock.pit", "discard", guest(board={"isa-pit": {}}), "a timer without policy"),
        ("clock.kvmclock", "yes", guest(), "no"),
        ("clock.kvmclock", "yes", guest(HOST_OF_KVM, kvm=True), "yes"),
        ("clock.tsc", "2596126000", guest(HOST_OF_KVM, kvm=True), "2596126000"),
        ("clock.tsc", "2596126000", guest({"tsc-frequency": 2_596_126_000}), "the emulator's own"),
        ("kvm.hint-dedicated", "on", guest(), "off"),
        ("kvm.hint-dedicated", "on", guest(HOST_OF_KVM, kvm=True), "on"),
        ("cpu.vcpupin", "none", guest(threads=threads((0, 1), (0, 1)), **PINNED), "none"),
        ("cpu.vcpupin", "1:1", guest(threads=threads((0,), (1,)), **PINNED), "1:1"),
        ("cpu.vcpupin", "1:1", guest(threads=threads((0,), (0, 1)), **PINNED), "0/0-1"),
        ("cpu.vcpupin", "none", guest(threads=threads((0,), (1,)), **PINNED), "0/1"),
        ("cpu.vcpupin", "0", guest(threads=threads((0,), (0,)), **PINNED), "0"),
        ("cpu.vcpupin", "0/1/0", guest(threads=threads((0,), (1,)), **PINNED), "0/1"),
        ("cpu.emulatorpin", "", guest(threads=threads((5,)), status={"Pid": "90"}), "0-1"),
        ("cpu.iothreadpin", "", guest(threads=threads((5,))), "2"),
        ("cpu.iothreadpin", "", guest(), "there is no I/O thread"),
        ("cpu.vcpusched", "", guest(threads=threads((0,), (1,), policy=3)), "batch"),
        ("cpu.vcpusched", "", guest(threads=threads((0,), (1,), policy=1)), "fifo"),
        ("cpu.shares", "", guest(groups={("", "cpu.shares"): "512"}), "512"),
        ("cpu.shares", "", guest(groups={("", "cpu.weight"): "200"}), "200"),
        ("cpu.shares", "", guest(), "no control group"),
        ("tcg.tb-cache", "64 MiB", guest(answers={"info jit": "gen code size 0/66945024"}), "64 MiB"),
        ("tcg.tb-cache", "2 GiB", guest(answers={"info jit": "gen code size 9/2147478528"}), "2 GiB"),
        ("tcg.tb-cache", "8 MiB", guest(answers={"info jit": "gen code size 0/1073659904"}), "1 GiB"),
        ("tcg.thread", "multi", guest(threads=(Thread(1, "CPU 0/TCG", (0,), 0),)), "multi"),
        ("tcg.thread", "single", guest(threads=(Thread(1, "ALL CPUs/TCG", (0,), 0),)), "single"),
        (
            "guest.mitigations",
            "off",
            guest(answers={("qom-get", "/machine", "append"): "quiet mitigations=auto mitigations=off"}),
            "given on the command line; only a booted guest tells",
        ),
        (
            "guest.mitigations",
            "auto",
            guest(answers={("qom-get", "/machine", "append"): "quiet mitigations=auto mitigations=off"}),
            "off",
        ),
        ("guest.mitigations", "off", guest(answers={("qom-get", "/machine", "append"): ""}), "not given"),
    ],
)
def test_what_is_in_force_is_told_in_the_words_of_levels(
    name: str, wanted: str, seen: FakeEvidence, found: str
) -> None:
    assert FACTORS[name].actual(seen, wanted) == found


def test_vcpus_are_pinned_to_memory_nodes_in_turn() -> None:
    files = {f"/sys/devices/system/node/node{n}/cpulist": text for n, text in enumerate(("0,2", "1,3"))}
    host = FakeHost(files, cpus=(0, 1, 2, 3), nodes=(0, 1))
    near = guest(threads=threads((0, 2), (1, 3)), host=host)
    far = guest(threads=threads((1, 3), (0, 2)), host=host)
    assert FACTORS["cpu.vcpupin"].actual(near, "node") == "node"
    assert FACTORS["cpu.vcpupin"].actual(far, "node") == "1,3/0,2"


def test_processors_of_a_node_without_memory_are_pinned_to_like_all_others() -> None:
    files = {f"/sys/devices/system/node/node{n}/cpulist": text for n, text in enumerate(("0,2", "1,3"))}
    files["/sys/devices/system/node/online"] = "0-1"
    host = FakeHost(files, cpus=(0, 1, 2, 3), nodes=(0,))
    near = guest(threads=threads((0, 2), (1, 3)), host=host)
    assert FACTORS["cpu.vcpupin"].actual(near, "node") == "node"
    assert FACTORS["cpu.vcpupin"].needs(host, "node") is None


def quotas(group: str, *, quota: str, period: str = "100000") -> dict[tuple[str, str], str]:
    return {(group, "cpu.cfs_quota_us"): quota, (group, "cpu.cfs_period_us"): period}


@pytest.mark.parametrize(
    ("groups", "found"),
    [
        (quotas("vcpu0", quota="50000") | quotas("vcpu1", quota="25000", period="50000"), "50 %"),
        (quotas("vcpu0", quota="50000") | quotas("vcpu1", quota="-1"), "50 % and none"),
        ({("vcpu0", "cpu.max"): "12500 100000", ("vcpu1", "cpu.max"): "12500 100000"}, "12.5 %"),
        ({("vcpu0", "cpu.max"): "max 100000", ("vcpu1", "cpu.max"): "max 100000"}, "none"),
        ({}, "no control group"),
    ],
)
def test_a_quota_is_the_share_of_every_vcpu(groups: dict[tuple[str, str], str], found: str) -> None:
    assert FACTORS["cpu.quota"].actual(guest(groups=groups), "") == found


def test_the_quota_of_the_whole_guest_may_lie_in_libvirts_own_group() -> None:
    own, inner = {("", "cpu.max"): "max 100000"}, {("libvirt", "cpu.max"): "150000 100000"}
    found = FACTORS["cpu.global_quota"].actual
    assert found(guest(groups=own | inner), "") == "150 %"
    assert found(guest(groups=quotas("", quota="70000")), "") == "70 %"
    assert found(guest(groups=own), "") == "none"
