"""A recorded machine in the place of this one."""

from __future__ import annotations

from pathlib import Path

from assay.factors.data.share import needs_share
from assay.platforms.host.recorded_host import RecordedHost
from assay.platforms.host.this_host import ThisHost

MACHINES = Path(__file__).parents[3] / "probe/tests/machines"


def test_what_a_record_tells() -> None:
    host = RecordedHost(MACHINES / "tcg-epyc")
    assert (host.cpus, host.nodes) == ((0, 1), (0,))
    assert host.memory_bytes > 1 << 29
    assert host.read("/sys/devices/system/cpu/online") == "0-1"
    assert host.read("/etc/no-such-file") is None
    assert host.writable("/proc/cpuinfo")
    assert not host.writable("/etc/no-such-file")
    assert host.has("anything")
    assert (host.qemu, host.devices) == (ThisHost().qemu, ThisHost().devices)


def test_a_processor_that_can_virtualise_carries_guests_by_kvm(tmp_path: Path) -> None:
    assert RecordedHost(tmp_path).accelerator == "tcg"
    assert (RecordedHost(tmp_path).cpus, RecordedHost(tmp_path).memory_bytes) == ((0,), 0)
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_text("flags\t\t: fpu vmx sse\n")
    assert RecordedHost(tmp_path).accelerator == "kvm"


def test_nodes_are_those_that_have_memory_or_all_where_an_older_kernel_does_not_tell(tmp_path: Path) -> None:
    assert RecordedHost(tmp_path).nodes == (0,)
    nodes = tmp_path / "sys/devices/system/node"
    nodes.mkdir(parents=True)
    (nodes / "online").write_text("0-3\n")
    assert RecordedHost(tmp_path).nodes == (0, 1, 2, 3)
    (nodes / "has_memory").write_text("0,2\n")
    assert RecordedHost(tmp_path).nodes == (0, 2)


def test_what_packages_of_programs_bring_is_taken_to_be_there_as_programs_are(tmp_path: Path) -> None:
    host = RecordedHost(tmp_path)
    assert needs_share(host, "virtiofs") is None
    assert (host.has("virtiofsd"), host.read("/usr/share/doc/virtiofsd")) == (True, None)
