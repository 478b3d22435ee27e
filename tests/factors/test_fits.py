"""What just fits a host, a kernel or another level, and what is one too many, for the rules of each part."""

from __future__ import annotations

import pytest

from assay.factors.catalogue import FACTORS, refused
from assay.factors.data.share import mounted_msize
from assay.factors.disk.place import direct_on_tmpfs
from assay.factors.host.huge_pages import small_pool
from assay.factors.memory.numa_cells import Cell, are_equal
from tests.factors.parts import FakeEvidence, FakeHost
from tests.factors.test_disk import QCOW2, evidence, found

MIB, GIB = 1024**2, 1024**3
POOL = "/sys/kernel/mm/hugepages/hugepages-2048kB"
RELEASE = "/proc/sys/kernel/osrelease"
VM = "/proc/sys/vm"


@pytest.mark.parametrize("nodes", [(0,), (0, 1)])
@pytest.mark.parametrize(("name", "level"), [("cpu.vcpupin", "node"), ("host.numa_balancing", "1")])
def test_what_is_for_memory_nodes_needs_two(name: str, level: str, nodes: tuple[int, ...]) -> None:
    host = FakeHost({"/proc/sys/kernel/numa_balancing": "0"}, nodes=nodes)
    assert (FACTORS[name].needs(host, level) is None) is (len(nodes) == 2)


@pytest.mark.parametrize("cpus", [(0,), (0, 1)])
def test_a_real_time_policy_needs_a_second_processor(cpus: tuple[int, ...]) -> None:
    assert (FACTORS["cpu.vcpusched"].needs(FakeHost(cpus=cpus), "fifo") is None) is (len(cpus) == 2)


@pytest.mark.parametrize(("vcpus", "fits"), [("1", True), ("2", False), ("3", False)])
def test_real_time_vcpus_leave_a_processor_to_the_host(vcpus: str, fits: bool) -> None:
    reasons = refused({"cpu.vcpusched": "fifo", "cpu.vcpus": vcpus}, FakeHost())
    assert (reasons == ()) is fits


@pytest.mark.parametrize(("allocated", "level"), [(GIB - 1, "off"), (GIB, "full"), (GIB + 4096, "full")])
def test_a_raw_file_as_large_as_its_disk_is_allocated_whole(allocated: int, level: str) -> None:
    disk = {**QCOW2, "format": "raw", "allocated": allocated, "virtual-size": GIB, "unwritten": 0}
    assert found("disk.preallocation=off", evidence(disk=disk)) == level


@pytest.mark.parametrize(("size", "fits"), [("8 KiB", False), ("16 KiB", True), ("32 KiB", True)])
def test_subclusters_need_clusters_of_16_kib(size: str, fits: bool) -> None:
    reasons = [
        one.reason for one in refused({"disk.extended_l2": "on", "disk.cluster_size": size}, FakeHost())
    ]
    assert any("clusters of 16 KiB" in reason for reason in reasons) is not fits


@pytest.mark.parametrize(
    ("release", "takes"), [("6.5.13", False), ("6.6.0", True), ("7.0.0", True), ("5.10", False)]
)
def test_tmpfs_takes_direct_access_from_6_6_on(release: str, takes: bool) -> None:
    assert direct_on_tmpfs(FakeHost({RELEASE: release})) is takes


@pytest.mark.parametrize(
    ("release", "level", "fits"),
    [("5.7.0", "100", True), ("5.7.0", "101", False), ("5.8.0", "101", True), ("4.18", "200", False)],
)
def test_a_kernel_takes_more_swappiness_than_100_from_5_8_on(release: str, level: str, fits: bool) -> None:
    host = FakeHost({RELEASE: release, f"{VM}/swappiness": "60"})
    assert (FACTORS["host.swappiness"].needs(host, level) is None) is fits


@pytest.mark.parametrize(
    ("low", "high", "fits"), [("9", "10", True), ("10", "10", False), ("0", "10", True), ("9", "0", True)]
)
def test_the_background_ratio_lies_below_the_other(low: str, high: str, fits: bool) -> None:
    host = FakeHost({f"{VM}/dirty_ratio": "20", f"{VM}/dirty_background_ratio": "10"})
    reasons = refused({"host.dirty_ratio": high, "host.dirty_background_ratio": low}, host)
    assert not any("is not below" in one.reason for one in reasons) is fits


@pytest.mark.parametrize(("deepest", "off"), [("0", [0, 1, 1]), ("1", [0, 0, 1]), ("2", [0, 0, 0])])
def test_idle_states_deeper_than_the_level_alone_are_forbidden(deepest: str, off: list[int]) -> None:
    place = "/sys/devices/system/cpu/cpu0/cpuidle/state"
    host = FakeHost({f"{place}{state}/disable": "0" for state in range(3)}, cpus=(0,))
    acts = FACTORS["host.cpuidle-state"].acts
    assert acts is not None
    assert [int(act.value) for act in acts(host, deepest)] == off


@pytest.mark.parametrize(("free", "fits"), [(511, False), (512, True), (513, True)])
def test_a_pool_of_just_the_pages_that_are_wanted_is_large_enough(free: int, fits: bool) -> None:
    host = FakeHost({f"{POOL}/free_hugepages": str(free), f"{POOL}/nr_hugepages": str(free)})
    assert (small_pool(host, "2 MiB", GIB) is None) is fits
    assert small_pool(host, "2 MiB", GIB + 2 * MIB) is None or free < 513


@pytest.mark.parametrize(("size", "refused_for"), [("512 MiB", True), ("513 MiB", False)])
def test_a_guest_of_512_mib_has_no_transparent_huge_pages(size: str, refused_for: bool) -> None:
    reasons = refused({"guest.transparent_hugepage": "always", "memory.size": size}, FakeHost())
    assert any("below 512 MiB" in one.reason for one in reasons) is refused_for


def test_a_hard_limit_of_just_what_qemu_needs_is_high_enough() -> None:
    host = FakeHost(accelerator="kvm")
    (one,) = refused({"memory.size": "1 GiB", "memory.hard_limit": "1 GiB"}, host)
    least = one.reason.rpartition(" make ")[2]
    assert refused({"memory.size": "1 GiB", "memory.hard_limit": least}, host) == ()
    below = f"{int(least.split()[0]) - 1} {least.split()[1]}"
    assert refused({"memory.size": "1 GiB", "memory.hard_limit": below}, host) != ()


@pytest.mark.parametrize(("spare", "alike"), [(MIB, True), (2 * MIB, False)])
def test_cells_are_equal_but_for_a_mebibyte_that_could_not_be_divided(spare: int, alike: bool) -> None:
    assert are_equal([Cell((0,), GIB), Cell((1,), GIB + spare)]) is alike
    assert not are_equal([Cell((0, 1), GIB), Cell((2,), GIB)])


@pytest.mark.parametrize(("libvirt", "names"), [((9, 1, 99), "9.1.99"), ((9, 2, 0), None)])
def test_passt_is_had_from_the_libvirt_that_starts_it(
    libvirt: tuple[int, int, int], names: str | None
) -> None:
    reason = FACTORS["net.backend"].needs(FakeHost(libvirt=libvirt, programs=("passt",)), "passt")
    assert (reason is None) if names is None else (names in str(reason))


def test_a_line_of_mounts_with_four_fields_is_one_and_the_last_of_a_place_counts() -> None:
    lines = "data /mnt 9p rw,msize=8192\ndata /mnt 9p rw,msize=524288"
    assert mounted_msize(lines, "/mnt") != mounted_msize(lines.splitlines()[0], "/mnt")
    assert mounted_msize("data /mnt 9p", "/mnt") == mounted_msize("", "/mnt")


def test_a_bound_that_is_no_bound_is_none() -> None:
    place = "/sys/fs/cgroup/memory/machine/memory.limit_in_bytes"
    for bound, level in ((9223372036854771712, "none"), (2 << 30, "2 GiB")):
        seen = FakeEvidence(host=FakeHost({place: str(bound)}), files={"cgroup": "4:memory:/machine"})
        assert FACTORS["memory.hard_limit"].actual(seen, "4 GiB") == level
