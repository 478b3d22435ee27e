"""What is written of a guest's memory, and what is read of it from outside."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from assay.factors.catalogue import FACTORS, apply_to, refused, verify
from assay.platforms.readback.smaps import parse_ram
from tests.factors.parts import FakeEvidence, FakeHost, draft

RECORDED = Path(__file__).parents[1] / "platforms" / "recorded"
PRIVATE = {"share": False, "merge": True, "prealloc": False}
BALLOON = "/machine/peripheral/balloon0"
HUGE = '<hugepages><page size="1048576" unit="KiB" /></hugepages>'
WITHHELD = {"/proc/1/status": "Name:\tinit\nCapBnd:\t000001fffeffffff"}
LIMITED = {"/proc/self/limits": "Max locked memory         8388608              8388608              bytes"}


def recorded(name: str, *, size: int = 256, **flags: bool) -> FakeEvidence:
    """Return a guest with recorded ``smaps``."""
    ram = parse_ram((RECORDED / f"{name}.smaps").read_text(), [size << 20])
    return FakeEvidence({"query-memdev": [PRIVATE | flags]}, ram=ram)


def found(name: str, wanted: str, seen: FakeEvidence) -> str:
    (one,) = verify({name: wanted}, seen)
    return one.actual


@pytest.mark.parametrize(
    ("settings", "written"),
    [
        ({"memory.hard_limit": "4 GiB"}, '<memtune><hard_limit unit="b">4294967296</hard_limit></memtune>'),
        ({"memory.locked": "on"}, "<memoryBacking><locked /></memoryBacking>"),
        (
            {"memory.hugepages": "1 GiB", "memory.source": "memfd", "memory.access": "shared"},
            f'<memoryBacking>{HUGE}<source type="memfd" /><access mode="shared" /></memoryBacking>',
        ),
        (
            {"memory.source": "anonymous", "memory.access": "private"},
            '<memoryBacking><source type="anonymous" /></memoryBacking>',
        ),
        (
            {"memory.source": "file", "memory.access": "private"},
            '<memoryBacking><source type="file" /><access mode="private" /></memoryBacking>',
        ),
        ({"memory.nosharepages": "on"}, "<memoryBacking><nosharepages /></memoryBacking>"),
        (
            {"memory.allocation": "immediate"},
            '<memoryBacking><allocation mode="immediate" /></memoryBacking>',
        ),
        ({"memory.currentMemory": "1 GiB"}, '<currentMemory unit="b">1073741824</currentMemory>'),
        (
            {"memory.memballoon": "virtio", "memory.autodeflate": "on", "memory.freePageReporting": "off"},
            '<devices><memballoon model="virtio" autodeflate="on" freePageReporting="off" /></devices>',
        ),
        ({"numa.memory": "strict:0-1"}, '<numatune><memory mode="strict" nodeset="0-1" /></numatune>'),
    ],
)
def test_levels_are_written_in_libvirts_elements(settings: dict[str, str], written: str) -> None:
    made = draft()
    apply_to(made, settings)
    assert ElementTree.tostring(made.domain, encoding="unicode") == f"<domain>{written}</domain>"


@pytest.mark.parametrize(
    ("name", "level", "element"),
    [
        ("memory.hugepages", "none", "memoryBacking/hugepages"),
        ("memory.locked", "off", "memoryBacking/locked"),
        ("memory.nosharepages", "off", "memoryBacking/nosharepages"),
        ("numa.memory", "none", "numatune"),
        ("numa.cell", "none", "cpu/numa"),
    ],
)
def test_what_shall_not_be_is_taken_out(name: str, level: str, element: str) -> None:
    backing = "<hugepages><page/></hugepages><locked/><nosharepages/>"
    made = draft(f"<domain><memoryBacking>{backing}</memoryBacking><numatune/><cpu><numa/></cpu></domain>")
    assert made.domain.find(element) is not None
    apply_to(made, {name: level})
    assert made.domain.find(element) is None


@pytest.mark.parametrize(
    ("name", "seen", "levels"),
    [
        (
            "anonymous",
            recorded("anonymous", prealloc=True),
            ("none", "anonymous", "private", "off", "immediate"),
        ),
        ("memfd", recorded("memfd", share=True), ("none", "memfd", "shared", None, "ondemand")),
        ("file", recorded("file", share=True), ("none", "file", "shared", None, "ondemand")),
        (
            "hugepages",
            recorded("hugepages", prealloc=True),
            ("2 MiB", "a file on hugetlbfs", "private", None, "immediate"),
        ),
        (
            "hugepages-memfd",
            recorded("hugepages-memfd", prealloc=True),
            ("2 MiB", "memfd", "shared", None, "immediate"),
        ),
        (
            "hugepages-1g",
            recorded("hugepages-1g", size=1024, prealloc=True),
            ("1 GiB", "a file on hugetlbfs", "private", None, "immediate"),
        ),
    ],
)
def test_recorded_guests_show_what_their_memory_is(
    name: str, seen: FakeEvidence, levels: tuple[str | None, ...]
) -> None:
    assert seen.ram, name
    unmerged = "QEMU allows merging, the kernel does not"
    names = ("hugepages", "source", "access", "nosharepages", "allocation")
    for word, level in zip(names, levels, strict=True):
        assert found(f"memory.{word}", level or "off", seen) == (level or unmerged)


@pytest.mark.parametrize(
    ("ram", "merge", "level"),
    [
        ({"VmFlags": "rd wr mg"}, True, "off"),
        ({"VmFlags": "rd wr"}, False, "on"),
        ({"VmFlags": "rd wr mg"}, False, "QEMU forbids merging, the kernel allows it"),
        ({}, False, "the guest's memory was not found in /proc/PID/smaps"),
    ],
)
def test_sharing_of_pages_is_what_both_qemu_and_the_kernel_say(
    ram: dict[str, str], merge: bool, level: str
) -> None:
    seen = FakeEvidence({"query-memdev": [PRIVATE | {"merge": merge}]}, ram=ram)
    assert found("memory.nosharepages", "off", seen) == level


@pytest.mark.parametrize(
    ("ram", "level"),
    [
        ({"VmFlags": "rd wr lo", "Size": "1024 kB", "Rss": "1024 kB"}, "on"),
        (
            {"VmFlags": "rd wr lo", "Size": "1024 kB", "Rss": "64 kB"},
            "locked, but only 64 of 1024 kB are there",
        ),
        ({"VmFlags": "rd wr", "Size": "1024 kB", "Rss": "1024 kB"}, "off"),
        ({}, "the guest's memory was not found in /proc/PID/smaps"),
    ],
)
def test_locked_memory_is_flagged_and_all_there(ram: dict[str, str], level: str) -> None:
    assert found("memory.locked", "on", FakeEvidence(ram=ram)) == level


def test_memory_asked_for_at_once_and_not_there_is_not_in_effect() -> None:
    ram = {"Size": "1024 kB", "Rss": "512 kB"}
    seen = FakeEvidence({"query-memdev": [PRIVATE | {"prealloc": True}]}, ram=ram)
    assert found("memory.allocation", "immediate", seen) == "immediate, but 512 of 1024 kB are there"


@pytest.mark.parametrize(
    ("groups", "files", "level"),
    [
        (
            "4:memory:/machine/qemu-1-a\n0::/machine/qemu-1-a/emulator",
            {
                "/sys/fs/cgroup/memory/machine/qemu-1-a/memory.limit_in_bytes": str(4 << 30),
                "/sys/fs/cgroup/memory/machine/memory.limit_in_bytes": "9223372036854771712",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712",
            },
            "4 GiB",
        ),
        (
            "0::/machine.slice/machine-qemu1.scope/libvirt/emulator",
            {
                "/sys/fs/cgroup/machine.slice/machine-qemu1.scope/libvirt/emulator/memory.max": "max",
                "/sys/fs/cgroup/machine.slice/machine-qemu1.scope/memory.max": str(4 << 30),
                "/sys/fs/cgroup/machine.slice/memory.max": str(2 << 30),
            },
            "2 GiB",
        ),
        (
            "4:memory:/machine",
            {"/sys/fs/cgroup/memory/machine/memory.limit_in_bytes": "9223372036854771712"},
            "none",
        ),
        ("", {}, "none"),
    ],
)
def test_the_hard_limit_is_the_least_of_all_groups_above_qemu(
    groups: str, files: dict[str, str], level: str
) -> None:
    seen = FakeEvidence(host=FakeHost(files), files={"cgroup": groups})
    assert found("memory.hard_limit", "4 GiB", seen) == level


def status(*features: str, driver: bool) -> dict[str, Any]:
    words = ["VIRTIO_CONFIG_S_DRIVER_OK: Driver setup and ready"] if driver else []
    said = [f"VIRTIO_BALLOON_F_{feature}: as QEMU words it" for feature in features]
    return {"status": {"statuses": words}, "guest-features": {"dev-features": said}}


@pytest.mark.parametrize(
    ("offered", "reported", "level"),
    [
        (True, status(driver=False), "on"),
        (True, status("REPORTING", driver=True), "on"),
        (True, status(driver=True), "offered, but the guest's driver does not take it"),
        (False, status(driver=True), "off"),
    ],
)
def test_what_a_balloon_offers_counts_once_the_guests_driver_takes_it(
    offered: bool, reported: dict[str, Any], level: str
) -> None:
    seen = FakeEvidence(
        {
            ("qom-list", "/machine/peripheral"): [{"name": "balloon0", "type": "child<virtio-balloon-pci>"}],
            ("qom-get", BALLOON, "free-page-reporting"): offered,
            ("x-query-virtio-status", f"{BALLOON}/virtio-backend"): reported,
        }
    )
    assert found("memory.freePageReporting", "on", seen) == level


@pytest.mark.parametrize(("devices", "kept"), [([], "1 GiB"), (["virtio-balloon-pci"], "512 MiB")])
def test_memory_kept_is_all_where_nothing_gives_any_back(devices: list[str], kept: str) -> None:
    seen = FakeEvidence(
        {
            ("qom-list", "/machine/peripheral"): [
                {"name": "balloon0", "type": f"child<{one}>"} for one in devices
            ],
            "query-balloon": {"actual": 512 << 20},
            "query-memory-size-summary": {"base-memory": 1 << 30},
        }
    )
    assert found("memory.currentMemory", "512 MiB", seen) == kept
    assert found("memory.memballoon", "none", seen) == ("virtio" if devices else "none")
    if not devices:
        assert found("memory.autodeflate", "on", seen) == "the guest has no balloon"


@pytest.mark.parametrize(
    ("files", "refused_for"),
    [
        ({}, None),
        ({"/proc/1/status": "CapBnd:\t000001ffffffffff"}, None),
        (
            WITHHELD
            | {"/proc/self/limits": "Max locked memory         unlimited            unlimited   bytes"},
            None,
        ),
        (WITHHELD | LIMITED, "over 8388608 bytes, and this machine withholds the capability"),
        (WITHHELD, "of locked memory, and this machine withholds the capability"),
    ],
)
def test_locking_is_refused_where_no_process_may_raise_the_limit(
    files: dict[str, str], refused_for: str | None
) -> None:
    for settings in ({"memory.locked": "on"}, {"memory.hard_limit": "8 GiB"}):
        reasons = [one.reason for one in refused(settings, FakeHost(files))]
        assert [refused_for in reason for reason in reasons] == ([True] if refused_for else [])  # type: ignore[operator]
    assert refused({"memory.locked": "off"}, FakeHost(files)) == ()


def test_a_guest_larger_than_its_host_is_refused() -> None:
    (one,) = refused({"memory.size": "16 GiB"}, FakeHost())
    assert one.reason == "this host has 8 GiB"
    assert FACTORS["memory.size"].needs(FakeHost(), None) is None


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"numa.memory": "restrictive:0"}, "needs libvirt 7.9, here is 6.0"),
        (
            {"memory.freePageReporting": "on", "memory.memballoon": "virtio"},
            "needs libvirt 6.9, here is 6.0",
        ),
    ],
)
def test_a_level_that_an_old_libvirt_does_not_know_is_refused(settings: dict[str, str], reason: str) -> None:
    assert [one.reason for one in refused(settings, FakeHost(libvirt=(6, 0, 0)))] == [reason]
