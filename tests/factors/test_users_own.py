"""What a plain user's own libvirt cannot give is refused, and nothing else is."""

import pytest

from assay.factors.catalogue import FACTORS, refused
from tests.factors.parts import FakeHost

OWN = FakeHost(
    {"/proc/self/limits": "Max locked memory  8388608  8388608  bytes\n"}, of_system=False, root=False
)


@pytest.mark.parametrize("name", ["cpu.quota", "cpu.emulator_quota", "cpu.global_quota"])
def test_quotas_take_a_control_group(name: str) -> None:
    (refusal,) = refused({name: "50 %"}, OWN)
    assert "no control group" in refusal.reason
    assert refused({name: "50 %"}, FakeHost()) == ()
    assert refused({name: "none"}, OWN) != ()


def test_weights_and_hard_limits_take_one_too() -> None:
    assert [one.name for one in refused({"cpu.shares": "512", "memory.hard_limit": "4 GiB"}, OWN)] == [
        "cpu.shares",
        "memory.hard_limit",
    ]


def test_real_time_is_roots_and_other_schedulers_are_anybodys() -> None:
    assert "only root" in refused({"cpu.vcpusched": "fifo"}, OWN)[0].reason
    assert refused({"cpu.vcpusched": "batch"}, OWN) == ()


def test_what_a_tap_carries_takes_root() -> None:
    said = {"net.driver": "vhost", "net.mtu": "9000"}
    own = FakeHost(accelerator="kvm", of_system=False, root=False)
    assert {one.reason for one in refused(said, own)} == {"only root can make the tap that it needs"}
    assert refused({"net.driver": "qemu"}, own) == ()


def test_locked_memory_is_refused_over_the_users_own_limit() -> None:
    assert "may lock 8388608 bytes" in refused({"memory.locked": "on"}, OWN)[0].reason
    unlimited = FakeHost(
        {"/proc/self/limits": "Max locked memory  unlimited  unlimited  bytes\n"}, of_system=False
    )
    assert refused({"memory.locked": "on"}, unlimited) == ()
    assert refused({"memory.locked": "off"}, OWN) == ()


def test_huge_pages_of_a_closed_folder_need_a_source_without_one() -> None:
    pool = {"/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages": "512"}
    for number in (0,):
        pool[f"/sys/devices/system/node/node{number}/hugepages/hugepages-2048kB/free_hugepages"] = "512"
    host = FakeHost(pool, of_system=False, root=False)
    said = [one.reason for one in refused({"memory.hugepages": "2 MiB"}, host)]
    assert any("memory.source=memfd" in reason for reason in said)
    both = {"memory.hugepages": "2 MiB", "memory.source": "memfd"}
    assert not any("is root's to write" in one.reason for one in refused(both, host))


def test_a_level_that_no_host_could_have_is_refused_as_before() -> None:
    plain = FakeHost(of_system=False, root=False)
    assert "only root" in str(FACTORS["net.backend"].needs(plain, "bridge"))
    assert FACTORS["disk.cache"].needs(plain, "none") is None
