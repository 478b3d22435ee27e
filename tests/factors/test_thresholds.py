"""Both sides of each threshold: the oldest version that will do, the last number that fits, the first that
does not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assay.factors.base.levels import LevelError
from assay.factors.base.versions import Version, no_device, too_old
from assay.factors.catalogue import FACTORS, refused
from tests.factors.parts import FakeEvidence, FakeHost
from tests.factors.test_cpu_actual import guest
from tests.factors.test_disk import LIVE, evidence

BALLOON, DISK = "/machine/peripheral/balloon0", "/machine/peripheral/virtio-disk0"
NEW = FakeHost(libvirt=(99, 0, 0), qemu=(99, 0, 0), programs=("passt",))
TAP = replace(NEW, files={"/dev/net/tun": ""})
READY = {"statuses": ["VIRTIO_CONFIG_S_DRIVER_OK: Driver is ready"]}


def before(version: Version) -> Version:
    """Return a version just before one."""
    major, minor, _ = version
    return (major, minor - 1, 99) if minor else (major - 1, 99, 99)


@pytest.mark.parametrize("program", ["libvirt", "qemu"])
@pytest.mark.parametrize("least", [(7, 2, 0), (8, 0, 0), (6, 9, 3)])
def test_a_program_is_too_old_below_the_least_version_alone(program: str, least: Version) -> None:
    older = (*least[:2], least[2] - 1) if least[2] else before(least)
    assert too_old(replace(NEW, **{program: least}), **{program: least}) is None
    assert too_old(replace(NEW, **{program: older}), **{program: least}) is not None


@pytest.mark.parametrize(
    ("name", "level", "program", "least"),
    [
        ("memory.freePageReporting", "on", "libvirt", (6, 9, 0)),
        ("memory.freePageReporting", "on", "qemu", (5, 1, 0)),
        ("disk.packed", "on", "libvirt", (6, 3, 0)),
        ("disk.packed", "on", "qemu", (4, 2, 0)),
        ("disk.queue_size", "64", "libvirt", (7, 8, 0)),
        ("disk.extended_l2", "on", "qemu", (5, 2, 0)),
        ("disk.bus", "nvme", "libvirt", (11, 5, 0)),
        ("numa.memory", "restrictive:0", "libvirt", (7, 9, 0)),
        ("net.backend", "passt", "libvirt", (9, 2, 0)),
    ],
)
def test_a_level_needs_its_version_and_no_newer_one(
    name: str, level: str, program: str, least: Version
) -> None:
    needs = FACTORS[name].needs
    assert needs(replace(NEW, **{program: least}), level) is None
    assert needs(replace(NEW, **{program: before(least)}), level) is not None


ENTERPRISE_LINUX = frozenset({"virtio-blk-pci", "virtio-net-pci", "e1000", "e1000e", "rtl8139", "qemu-xhci"})
"""Of the devices that its QEMU was built with."""


@pytest.mark.parametrize(
    ("name", "level", "reason"),
    [
        (
            "data.access",
            "9p",
            "this QEMU has no virtio-9p-pci (Enterprise Linux's has none); data.access: virtiofs",
        ),
        ("disk.bus", "nvme", "this QEMU has no nvme"),
        ("net.model", "vmxnet3", "this QEMU has no vmxnet3"),
    ],
)
def test_a_device_that_qemu_was_built_without_is_told(name: str, level: str, reason: str) -> None:
    needs = FACTORS[name].needs
    assert needs(replace(NEW, devices=ENTERPRISE_LINUX), level) == reason
    assert needs(replace(NEW, devices=ENTERPRISE_LINUX | {"virtio-9p-pci", "nvme", "vmxnet3"}), level) is None
    assert needs(NEW, level) is None, "what is not known refuses nothing"


@pytest.mark.parametrize(
    ("name", "level"),
    [("net.model", "virtio"), ("net.model", "e1000e"), ("disk.bus", "virtio"), ("data.access", "local")],
)
def test_what_qemu_has_is_not_refused(name: str, level: str) -> None:
    assert FACTORS[name].needs(replace(NEW, devices=ENTERPRISE_LINUX), level) is None


def test_a_device_is_looked_for_only_where_devices_are_known() -> None:
    assert no_device(NEW, "nvme") is None
    assert no_device(replace(NEW, devices=frozenset({"nvme"})), "nvme") is None


@pytest.mark.parametrize(("written", "level"), [(True, "yes"), (False, "no"), ("yes", "yes"), ("no", "no")])
@pytest.mark.parametrize("name", ["clock.hpet", "clock.kvmclock"])
def test_the_truth_values_of_yaml_are_yes_and_no(name: str, written: object, level: str) -> None:
    assert FACTORS[name].levels.read(written) == level


@pytest.mark.parametrize(("version", "level"), [((7, 1, 99), "on"), ((7, 2, 0), "offered, but")])
def test_what_a_guests_driver_takes_is_asked_of_the_first_qemu_that_tells(
    version: Version, level: str
) -> None:
    answers: dict[Any, Any] = {
        ("qom-list", "/machine/peripheral"): [{"name": "balloon0", "type": "child<virtio-balloon-pci>"}],
        ("qom-get", BALLOON, "free-page-reporting"): True,
        ("x-query-virtio-status", f"{BALLOON}/virtio-backend"): {
            "status": READY,
            "guest-features": {"dev-features": []},
        },
    }
    seen = FakeEvidence(answers, host=FakeHost(qemu=version))
    assert FACTORS["memory.freePageReporting"].actual(seen, "on").startswith(level)


@pytest.mark.parametrize(("version", "level"), [((7, 1, 99), "on"), ((7, 2, 0), "off, the guest's driver")])
def test_what_a_disks_driver_takes_is_asked_of_the_first_qemu_that_tells(
    version: Version, level: str
) -> None:
    status = {"status": READY, "guest-features": {"transports": ()}}
    answers = {**evidence().answers, ("x-query-virtio-status", f"{DISK}/virtio-backend"): status}
    seen = FakeEvidence(answers, live=LIVE, host=FakeHost(qemu=version))
    assert FACTORS["disk.event_idx"].actual(seen, "on").startswith(level)


@pytest.mark.parametrize(
    ("vcpus", "queues", "reported"),
    [(1, 1, "1"), (2, 1, "1"), (2, 2, "2"), (2, 3, "3, of which 2 vCPUs use 2")],
)
def test_queues_are_used_up_to_one_a_vcpu(vcpus: int, queues: int, reported: str) -> None:
    answers = dict(evidence().answers)
    answers["query-cpus-fast"] = [{}] * vcpus
    answers["info qtree"] = answers["info qtree"].replace("num-queues = 1 (0x1)", f"num-queues = {queues}")
    assert FACTORS["disk.queues"].actual(FakeEvidence(answers, live=LIVE), "1") == reported


@pytest.mark.parametrize(
    ("settings", "host", "fits"),
    [
        ({"disk.queues": "2", "cpu.vcpus": "2"}, NEW, True),
        ({"disk.queues": "3", "cpu.vcpus": "2"}, NEW, False),
        ({"net.queues": "2", "cpu.vcpus": "2", "net.backend": "bridge"}, TAP, True),
        ({"net.queues": "3", "cpu.vcpus": "2", "net.backend": "bridge"}, TAP, False),
        ({"cpu.vcpupin": "1:1", "cpu.vcpus": "2"}, NEW, True),
        ({"cpu.vcpupin": "1:1", "cpu.vcpus": "3"}, NEW, False),
        ({"memory.size": "8 GiB"}, NEW, True),
        ({"memory.size": "8193 MiB"}, NEW, False),
        ({"cpu.shares": "10000"}, replace(NEW, files={"/sys/fs/cgroup/cgroup.controllers": "cpu"}), True),
        ({"cpu.shares": "10001"}, replace(NEW, files={"/sys/fs/cgroup/cgroup.controllers": "cpu"}), False),
        ({"memory.size": "2 GiB", "memory.currentMemory": "2 GiB", "memory.memballoon": "virtio"}, NEW, True),
        (
            {"memory.size": "2 GiB", "memory.currentMemory": "3 GiB", "memory.memballoon": "virtio"},
            NEW,
            False,
        ),
    ],
)
def test_what_just_fits_is_taken_and_one_more_is_refused(
    settings: dict[str, str], host: FakeHost, fits: bool
) -> None:
    assert [one.reason for one in refused(settings, host)] == [] if fits else refused(settings, host) != ()


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("cpu.quota", ("1 %", "102400 %"), ("0.99 %", "102401 %")),
        ("numa.cell", ("1", "64", "0:1 MiB"), ("0", "65", "0:0 MiB")),
        ("disk.queues", ("1", "1024"), ("0", "1025")),
        ("disk.queue_size", ("4", "1024"), ("3", "1025")),
        ("cpu.shares", ("2", "262144"), ("1", "262145")),
        ("clock.tsc", ("100000000", "10000000000"), ("99999999", "10000000001")),
        ("memory.currentMemory", ("128 MiB", "64 TiB"), ("127 MiB", "65 TiB")),
        (
            "cpu.topology",
            ("sockets=1,cores=1,threads=1", "sockets=1024,cores=1,threads=1"),
            ("sockets=0,cores=1,threads=1", "sockets=1025,cores=1,threads=1"),
        ),
    ],
)
def test_both_ends_of_a_range_are_levels_and_what_lies_beyond_is_none(
    name: str, inside: tuple[str, ...], outside: tuple[str, ...]
) -> None:
    levels = FACTORS[name].levels
    assert all(levels.read(level) for level in inside)
    for level in outside:
        with pytest.raises(LevelError):
            levels.read(level)


MIB = 1024**2
LOST = 2560
"""Bytes that QEMU's largest loss of 5 KiB in 2 MiB takes from each MiB."""


@pytest.mark.parametrize(
    ("size", "reported"),
    [
        (2048 * MIB, "2 GiB"),
        (2048 * (MIB - LOST), "2 GiB"),
        (2048 * (MIB - LOST) - 1, "2043 MiB"),
        (2048 * MIB + 1, "2049 MiB"),
    ],
)
def test_a_cache_of_translated_blocks_is_whole_but_for_what_qemu_loses(size: int, reported: str) -> None:
    seen = guest(answers={"info jit": f"gen code size 0/{size}"})
    assert FACTORS["tcg.tb-cache"].actual(seen, "2 GiB") == reported
