"""What is told of guests that others made: their XML, their process, and whether a machine is one of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.model.machines.machine import Machine, Reach
from assay.model.platforms.existing import DomainSpec
from assay.platforms.errors import HypervisorError
from assay.platforms.existing.connect import _knocked
from assay.platforms.existing.described import Described, parse_domain
from assay.platforms.existing.guest import ExistingGuest
from assay.platforms.existing.identity import Inside, NotThatDomainError, check_identity
from assay.platforms.existing.process import QemuProcess, find_process
from assay.platforms.readback.weight import weigh

GIB = 1024**3
UUID = "b29aec3b-be36-567d-a280-ce42d25fc7e2"
DESKTOP = """\
<domain type='kvm' id='3'>
  <name>desktop</name>
  <uuid>b29aec3b-be36-567d-a280-ce42d25fc7e2</uuid>
  <memory unit='KiB'>4194304</memory>
  <currentMemory unit='KiB'>2097152</currentMemory>
  <vcpu placement='static' current='2'>4</vcpu>
  <os><type arch='x86_64' machine='pc-q35-7.2'>hvm</type></os>
  <cpu mode='custom' match='exact'><model fallback='forbid'>Skylake-Server</model>
    <numa><cell id='0' cpus='0-1' memory='2097152' unit='KiB'/><cell id='1' cpus='2-3' memory='2' unit='GiB'/></numa>
  </cpu>
  <devices>
    <disk type='file' device='cdrom'><driver name='qemu' type='raw'/><source file='/iso'/></disk>
    <disk type='file' device='disk'><driver name='qemu' type='qcow2' cache='none'/><source file='/d.qcow2'/></disk>
    <interface type='network'><mac address='52:54:00:AA:00:01'/></interface>
    <interface type='bridge'><mac address='52:54:00:aa:00:02'/></interface>
  </devices>
</domain>
"""  # noqa: E501
BARE = """\
<domain type='qemu'><memory>1048576</memory><vcpu>1</vcpu><os><type machine='pc'>hvm</type></os>
<devices><disk type='network' device='disk'><driver name='qemu'/><source protocol='rbd'/></disk></devices></domain>
"""  # noqa: E501


def test_a_domain_is_read_as_it_is_now() -> None:
    assert parse_domain(DESKTOP) == Described(
        accelerator="kvm",
        machine="pc-q35-7.2",
        cpu_model="Skylake-Server",
        vcpus=2,
        memory_bytes=2 * GIB,
        cells=(2 * GIB, 2 * GIB),
        disk_format="qcow2",
        disk_cache="none",
        disk=Path("/d.qcow2"),
        macs=("52:54:00:aa:00:01", "52:54:00:aa:00:02"),
    )


def test_what_the_xml_leaves_open_is_not_told_and_no_default() -> None:
    reported = parse_domain(BARE)
    assert (reported.disk_format, reported.disk_cache, reported.disk, reported.macs) == (None, None, None, ())
    assert (reported.accelerator, reported.cpu_model, reported.memory_bytes) == ("tcg", "QEMU's default", GIB)


def test_a_machine_with_the_domain_s_uuid_is_it_whatever_the_order_of_bytes() -> None:
    for uuid in (UUID, UUID.upper(), "3bec9ab2-36be-7d56-a280-ce42d25fc7e2"):
        assert _checked(Inside(uuid, ())) == "its UUID"


def test_another_uuid_is_another_machine_even_with_the_same_hardware_address() -> None:
    with pytest.raises(NotThatDomainError, match="machine vm is not domain web: its UUID is 0000"):
        _checked(Inside("00000000-be36-567d-a280-ce42d25fc7e2", ("52:54:00:aa:00:01",)))


def test_without_a_uuid_a_hardware_address_tells() -> None:
    assert _checked(Inside(None, ("00:00:00:00:00:00", "52:54:00:aa:00:01"))).endswith("52:54:00:aa:00:01")
    for macs in ((), ("00:00:00:00:00:00",)):
        with pytest.raises(NotThatDomainError, match=r"its hardware addresses are .*, the domain's 52:54:"):
            _checked(Inside(None, macs))


def _checked(inside: Inside) -> str:
    macs = ("52:54:00:aa:00:01",)
    return check_identity(inside, machine="vm", domain="web", domain_uuid=UUID, macs=macs)


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    """Return a ``/proc`` with a shell and a QEMU of 4 KiB of memory, of which half is touched."""
    for pid, words in ((7, ["sh"]), (42, ["qemu", "-uuid", UUID, "-smp", "2"])):
        (tmp_path / str(pid) / "task").mkdir(parents=True)
        (tmp_path / str(pid) / "cmdline").write_bytes("".join(f"{word}\0" for word in words).encode())
    for thread, name in ((42, "qemu-system-x86"), (44, "CPU 0/KVM"), (45, "CPU 1/KVM"), (46, "worker")):
        (tmp_path / "42" / "task" / str(thread)).mkdir()
        (tmp_path / "42" / "task" / str(thread) / "comm").write_text(f"{name}\n")
    (tmp_path / "42" / "smaps").write_text("1000-2000 rw-p 0 00:00 0 \nSize: 4 kB\nRss: 2 kB\n")
    (tmp_path / "42" / "status").write_text("Name:\tqemu\nVmRSS:\t5 kB\n")
    (tmp_path / "42" / "stat").write_text("42 (qemu (x)) S " + " ".join(["0"] * 18) + " 100 0 0\n")
    return tmp_path


def test_the_process_of_a_domain_is_found_by_its_uuid_and_its_vcpus_by_their_names(proc: Path) -> None:
    assert find_process(UUID, proc=proc) == 42
    assert find_process(UUID.replace("b", "c"), proc=proc) is None
    assert QemuProcess(42, (4096,), proc).vcpu_threads == {44, 45}


def test_a_process_is_weighed_without_its_monitor(proc: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.write_bytes(b"x" * 5000)
    weight = weigh(QemuProcess(42, (4096,), proc), memory_bytes=4096, disk=disk)
    assert weight is not None
    assert (weight.touched_bytes, weight.beside_bytes) == (2048, 3072)
    assert weigh(QemuProcess(42, (8192,), proc), memory_bytes=8192, disk=disk) is None


@pytest.mark.parametrize("where", ["root@node:70000", "[12:::3]", "node:port"])
def test_an_address_that_cannot_be_read_is_a_hypervisor_that_cannot_be_reached(where: str) -> None:
    with pytest.raises(HypervisorError, match="cannot reach the hypervisor"):
        _knocked(f"qemu+ssh://{where}/system")


def test_a_disk_that_we_may_not_look_at_has_no_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    reported = parse_domain(DESKTOP)
    assert reported.disk is not None
    wanted, machine = DomainSpec("web", "qemu:///system"), Machine("vm", Reach.SSH, "vm")
    guest = ExistingGuest(None, wanted, machine)  # type: ignore[arg-type]
    monkeypatch.setattr(guest, "described", lambda: reported)
    monkeypatch.setattr(guest, "_process", lambda: QemuProcess(1, (GIB,)))
    monkeypatch.setattr(Path, "is_file", refuse)
    assert guest.weight() is None
