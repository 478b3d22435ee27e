"""Combinations of memory that are refused before anything runs, with the reason."""

from __future__ import annotations

import pytest

from assay.factors.catalogue import refused
from tests.factors.parts import FakeHost

SMALL = "/sys/kernel/mm/hugepages/hugepages-2048kB"
LARGE = "/sys/kernel/mm/hugepages/hugepages-1048576kB"
POOL = {f"{SMALL}/free_hugepages": "1024", f"{SMALL}/nr_hugepages": "1024", f"{SMALL}/resv_hugepages": "0"}
MOUNT = {
    "/proc/mounts": "proc /proc proc rw 0 0\nhugetlbfs /dev/hugepages hugetlbfs rw,relatime,pagesize=2M 0 0"
}
READY = FakeHost(POOL | MOUNT)
HUGE = {"memory.hugepages": "2 MiB"}


def reasons(settings: dict[str, str], on: FakeHost = READY) -> list[str]:
    return [one.reason for one in refused(settings, on)]


@pytest.mark.parametrize(
    "settings",
    [
        HUGE,
        HUGE | {"memory.size": "2 GiB", "memory.allocation": "immediate", "memory.access": "shared"},
        HUGE | {"memory.nosharepages": "on", "host.thp": "never"},
        {"memory.locked": "on", "memory.allocation": "immediate"},
        {"memory.source": "memfd", "memory.access": "private", "memory.nosharepages": "off"},
        {"memory.access": "shared", "memory.source": "file"},
        {"memory.memballoon": "virtio", "memory.currentMemory": "1 GiB", "memory.freePageReporting": "on"},
        {"memory.size": "1 GiB", "memory.currentMemory": "1 GiB", "memory.autodeflate": "off"},
        {"memory.size": "2 GiB", "memory.hard_limit": "4 GiB"},
        {"memory.hard_limit": "4 GiB"},
        {"numa.cell": "2", "cpu.vcpus": "4", "memory.size": "2 GiB", "numa.distances": "21"},
        {"numa.cell": "1"},
        {"numa.cell": "none"},
        {"numa.cell": "0:1 GiB/1:3 GiB", "cpu.vcpus": "2", "memory.size": "4 GiB"},
        {"numa.memory": "strict:0"},
        HUGE | {"numa.cell": "2", "cpu.vcpus": "2", "memory.size": "2 GiB"},
    ],
)
def test_what_goes_together_is_let_through(settings: dict[str, str]) -> None:
    thp = {"/sys/kernel/mm/transparent_hugepage/enabled": "always madvise [never]"}
    assert reasons(settings, FakeHost(POOL | MOUNT | thp)) == []


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (
            HUGE | {"memory.allocation": "ondemand"},
            (
                "libvirt allocates huge pages at the start: memory.allocation=ondemand and "
                "memory.hugepages=2 MiB"
            ),
        ),
        (
            HUGE | {"memory.nosharepages": "off"},
            "KSM does not merge huge pages: memory.nosharepages=off and memory.hugepages=2 MiB",
        ),
        (HUGE | {"host.ksm": "1"}, "KSM does not merge huge pages: host.ksm=1 and memory.hugepages=2 MiB"),
        (
            HUGE | {"memory.source": "file"},
            (
                "huge pages lie in a file on hugetlbfs or in a memfd: memory.source=file and "
                "memory.hugepages=2 MiB"
            ),
        ),
        (
            HUGE | {"memory.memballoon": "virtio", "memory.currentMemory": "1 GiB"},
            (
                "huge pages are not given back to the host: memory.currentMemory=1 GiB and "
                "memory.hugepages=2 MiB"
            ),
        ),
        (
            {"memory.currentMemory": "1 GiB"},
            "memory.currentMemory=1 GiB without memory.memballoon=virtio is accepted, and nothing moves",
        ),
        (
            {"memory.freePageReporting": "on", "memory.memballoon": "none"},
            "memory.freePageReporting=on without memory.memballoon=virtio is accepted, and nothing moves",
        ),
        (
            {"memory.size": "1 GiB", "memory.currentMemory": "2 GiB", "memory.memballoon": "virtio"},
            "a guest cannot keep more than it has: memory.currentMemory=2 GiB and memory.size=1 GiB",
        ),
        (
            {"memory.locked": "on", "memory.allocation": "ondemand"},
            "locking takes all memory at the start: memory.locked=on and memory.allocation=ondemand",
        ),
        (
            {"memory.locked": "on", "memory.memballoon": "virtio", "memory.currentMemory": "1 GiB"},
            "locked pages are not given back to the host: memory.locked=on and memory.currentMemory=1 GiB",
        ),
        (
            {"memory.access": "shared"},
            "libvirt puts anonymous memory that is shared into a file on the disk: say memory.source=memfd",
        ),
        (
            {"memory.source": "memfd", "memory.nosharepages": "off"},
            "KSM does not merge shared memory: memory.nosharepages=off and memory.source=memfd",
        ),
        (
            {"memory.source": "file", "memory.access": "shared", "memory.nosharepages": "off"},
            "KSM does not merge shared memory: memory.nosharepages=off and memory.access=shared",
        ),
        (
            {"memory.size": "2 GiB", "memory.hard_limit": "2 GiB"},
            (
                "the kernel would kill QEMU at memory.hard_limit=2 GiB: memory.size=2 GiB, 512 "
                "MiB for QEMU itself, 1 GiB for translated code make 3584 MiB"
            ),
        ),
        (
            {"numa.cell": "2", "cpu.vcpus": "3"},
            "numa.cell=2 needs cpu.vcpus, a multiple of 2, got 3",
        ),
        ({"numa.cell": "2"}, "numa.cell=2 needs cpu.vcpus, a multiple of 2, none said"),
        (
            {"numa.cell": "4", "cpu.vcpus": "4", "memory.size": "1025 MiB"},
            "memory.size=1025 MiB does not make 4 cells of whole MiB",
        ),
        (
            {"numa.cell": "0:1 GiB/1:1 GiB"},
            "numa.cell=0:1 GiB/1:1 GiB needs cpu.vcpus and memory.size, to which its cells sum up",
        ),
        (
            {"numa.cell": "0:1 GiB/1:1 GiB", "cpu.vcpus": "2", "memory.size": "4 GiB"},
            "the cells hold 2 GiB, memory.size is 4 GiB",
        ),
        (
            {"numa.cell": "0:1 GiB/0:1 GiB", "cpu.vcpus": "2", "memory.size": "2 GiB"},
            "the cells hold vCPUs 0, cpu.vcpus=2 must each be in one",
        ),
        (
            HUGE | {"numa.cell": "0:1 GiB/1:1023 MiB", "cpu.vcpus": "2", "memory.size": "2047 MiB"},
            "a cell of numa.cell=0:1 GiB/1:1023 MiB is no whole number of pages of 2 MiB",
        ),
        (
            {"guest.transparent_hugepage": "always", "memory.size": "512 MiB"},
            (
                "Linux keeps transparent huge pages off below 512 MiB, and has a little less than "
                "its guest: guest.transparent_hugepage=always and memory.size=512 MiB"
            ),
        ),
        ({"numa.distances": "21"}, "numa.distances=21 needs numa.cell with two cells or more"),
        ({"numa.memory": "strict:0,3"}, "this host has no memory node 3, only 0"),
    ],
)
def test_what_cannot_be_or_has_no_effect_is_refused(settings: dict[str, str], reason: str) -> None:
    assert reason in reasons(settings)


@pytest.mark.parametrize("settings", [HUGE, {"memory.source": "memfd"}, {"memory.source": "file"}])
def test_a_switch_of_transparent_huge_pages_is_refused_where_it_holds_for_nothing(
    settings: dict[str, str],
) -> None:
    thp = {"/sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never"}
    (reason,) = reasons({"host.thp": "always", **settings}, FakeHost(POOL | MOUNT | thp))
    assert reason.endswith("host.thp=always and " + " and ".join(f"{k}={v}" for k, v in settings.items()))


def test_translated_code_is_not_counted_under_kvm() -> None:
    assert reasons({"memory.size": "2 GiB", "memory.hard_limit": "3 GiB"}, FakeHost(accelerator="kvm")) == []


def test_huge_pages_wait_for_a_pool_and_a_mount_with_what_to_type() -> None:
    assert (
        reasons({"memory.hugepages": "1 GiB"}, READY)[0] == "this processor or kernel has no pages of 1 GiB"
    )
    empty = FakeHost(MOUNT | {f"{SMALL}/free_hugepages": "0"})
    assert (
        reasons(HUGE, empty)[0]
        == f"no page of 2 MiB is free; for each GiB of memory: echo 512 > {SMALL}/nr_hugepages"
    )
    large = FakeHost({f"{LARGE}/free_hugepages": "0"})
    assert reasons({"memory.hugepages": "1 GiB"}, large)[0].endswith(f"echo 1 > {LARGE}/nr_hugepages")
    (unmounted,) = reasons(HUGE, FakeHost(POOL))
    assert unmounted.endswith(
        "mkdir -p /dev/hugepages && mount -t hugetlbfs -o pagesize=2M hugetlbfs /dev/hugepages"
    )
    assert reasons(HUGE | {"memory.source": "memfd"}, FakeHost(POOL)) == []


def test_a_pool_that_is_too_small_says_how_large_it_must_be() -> None:
    promised = FakeHost(POOL | MOUNT | {f"{SMALL}/resv_hugepages": "24"})
    (reason,) = reasons(HUGE | {"memory.size": "2 GiB"}, promised)
    assert reason == f"1024 free pages of 2 MiB are needed, there are 1000: echo 1048 > {SMALL}/nr_hugepages"
    (reason,) = reasons(HUGE | {"memory.size": "1025 MiB"})
    assert reason == "memory.size=1025 MiB is no whole number of pages of 2 MiB"
