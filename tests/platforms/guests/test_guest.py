import os
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.platforms.bench_network.bench_links import BenchNetwork
from assay.platforms.bench_network.network import bench_network
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.errors import GuestBootError, PlatformError
from assay.platforms.guests.boot import kept_console
from assay.platforms.guests.guest import Guest, find_guest, pick_port, start_guest
from assay.platforms.readback.cpu import threads_cpus
from assay.workloads import SERVERS
from tests.platforms.guest_parts import CORE, PROBE, addresses, fresh_home, real_image, spec_of, ssh
from tests.platforms.watched import MEMORY, grown, watched

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with fresh_home() as folder:
        yield folder


@pytest.fixture(scope="module")
def connection(home: Path) -> Iterator[Any]:
    with libvirt_connection(home, subreaper=PROBE) as opened:
        yield opened


@pytest.fixture(scope="module")
def network() -> Iterator[BenchNetwork]:
    name, cpus = f"test-guest-{os.getpid()}", (min(os.sched_getaffinity(0)),)
    with bench_network(name=name, cpus=cpus, servers=(SERVERS["iperf3"],)) as made:
        yield made


@pytest.fixture(scope="module")
def guest(home: Path, connection: Any, network: BenchNetwork) -> Iterator[Guest]:
    started = start_guest(connection, spec_of(home, real_image(), tap=network.tap))
    yield started
    started.destroy()
    assert not started.spec.folder.exists()


def test_a_guest_is_usable_within_30_seconds(guest: Guest) -> None:
    assert guest.boot_s < 30


def test_every_thread_of_qemu_stays_on_the_given_processor(guest: Guest) -> None:
    seen = threads_cpus(guest.pid)
    assert len(seen) >= 3
    assert set(seen.values()) == {(CORE,)}


def test_a_thread_that_may_leave_its_processors_is_an_error(guest: Guest) -> None:
    elsewhere = Guest(guest._domain, replace(guest.spec, cpus=(CORE + 1,)), boot_s=None)
    with pytest.raises(PlatformError, match="cannot confine the guest"):
        elsewhere.platform()


def test_the_platform_is_what_was_asked_for_read_back(guest: Guest) -> None:
    platform = guest.platform()
    assert (platform.kind, platform.accelerator, platform.vcpus) == ("libvirt", "tcg", 1)
    assert platform.memory_bytes == 2 * 1024**3
    assert (platform.disk_format, platform.disk_cache) == ("qcow2", "none")
    assert platform.machine.startswith("pc-q35-")
    assert platform.hypervisor.startswith("QEMU ")
    assert platform.library.startswith("libvirt ")
    assert platform.cpus == (CORE,)
    assert platform.image == guest.spec.image.digest
    assert "urn:assay:guest" in platform.domain_xml


def test_work_in_the_guest_is_seen_as_cpu_of_the_vcpu(guest: Guest) -> None:
    before = guest.hypervisor_cpu()
    assert ssh(guest, "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done").returncode == 0
    after = guest.hypervisor_cpu()
    assert after.vcpu_s - before.vcpu_s > 0.2
    assert after.other_s >= before.other_s
    assert after.vcpu_s - before.vcpu_s > after.other_s - before.other_s
    if Path("/proc/self/sched").exists():
        assert before.vcpu_migrations is not None
        assert after.vcpu_migrations is not None
        assert len(before.vcpu_migrations) == len(after.vcpu_migrations) == 1
        assert after.vcpu_migrations >= before.vcpu_migrations


def test_a_guest_is_reached_by_its_own_keys_and_nobody_else_reads_them(guest: Guest) -> None:
    done = ssh(guest, "hostname")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == guest.name
    assert Path(guest.machine.identity).parents[1] == guest.spec.folder
    assert Path(guest.machine.identity).stat().st_mode & 0o777 == 0o600


def test_no_other_user_may_read_what_a_guest_is_made_of(guest: Guest) -> None:
    spec = guest.spec
    assert spec.folder.stat().st_mode & 0o777 == 0o750
    files = (spec.image.disk, spec.image.kernel, spec.image.initrd, spec.disk, spec.initrd, spec.console)
    assert [path for path in files if path.stat().st_mode & 0o007] == []
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "ls"]
    for folder in (spec.folder, spec.folder.parent, spec.image.folder, spec.image.folder.parent):
        assert subprocess.run([*nobody, str(folder)], capture_output=True, check=False).returncode != 0


@pytest.mark.long
def test_guests_have_different_keys(guest: Guest, connection: Any, home: Path) -> None:
    other = start_guest(connection, spec_of(home, real_image(), block=9))
    try:
        keys = {ssh(one, "cat /etc/ssh/ssh_host_ed25519_key").stdout for one in (guest, other)}
        assert len(keys) == 2
        assert all(key.startswith("-----BEGIN OPENSSH PRIVATE KEY-----") for key in keys)
        assert ssh(other, "true", host_key=guest.machine.host_key).returncode == 255
        crossed = replace(other.login, identity=guest.login.identity)
        other.__dict__["login"] = crossed
        assert ssh(other, "true").returncode == 255
    finally:
        other.destroy()
    assert not other.spec.folder.exists()


def test_a_wrong_host_key_is_refused(guest: Guest, tmp_path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / "key")], check=True)
    wrong = (tmp_path / "key.pub").read_text().strip()
    assert ssh(guest, "true", host_key=wrong).returncode == 255


def test_the_guest_reaches_the_server_over_the_measured_network(guest: Guest, network: BenchNetwork) -> None:
    before = addresses()
    assert "198.18." not in before
    done = ssh(guest, "iperf3", "-c", network.server_address, "-t", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert addresses() == before


def test_the_probe_on_the_host_tells_what_the_guest_does(
    guest: Guest, network: BenchNetwork, home: Path
) -> None:
    before = guest.hypervisor_cpu()
    with watched(guest, home) as rows:
        assert ssh(guest, "iperf3", "-c", network.server_address, "-t", "2").returncode == 0
        assert ssh(guest, "dd if=/dev/zero of=/root/x bs=1M count=8 oflag=direct").returncode == 0
    after = guest.hypervisor_cpu()
    vcpu, tap, whole = (grown(rows, part) for part in ("vcpu 0", f"net {network.tap}", "guest"))
    assert 0.2 < vcpu["run_s"] <= after.vcpu_s - before.vcpu_s
    assert vcpu["wait_s"] >= 0
    assert (
        vcpu["run_s"] - 0.02
        <= whole["run_s"]
        <= after.vcpu_s - before.vcpu_s + after.other_s - before.other_s
    )
    assert whole["write_bytes"] >= 8 << 20
    assert tap["sent_bytes"] > 10 * tap["received_bytes"] > 0
    assert {row["guest"] for row in rows} == {guest.name}
    assert not any(
        row[name] for row in rows for name in row if name.endswith("exits_count")
    )  # none under TCG
    memory = [{name: int(row[name]) for name in MEMORY} for row in rows if row["part"] == "memory"]
    assert memory
    for row in memory:
        assert row["rss_bytes"] == row["memory_bytes"] + row["overhead_bytes"]
        assert 100 << 20 < row["memory_bytes"] <= 2 << 30
        assert row["overhead_bytes"] > 10 << 20


def test_the_management_network_leads_nowhere(guest: Guest) -> None:
    assert ssh(guest, "busybox", "nc", "-w", "3", "10.0.2.2", str(guest.spec.port)).returncode != 0


def test_a_guest_is_found_again_by_its_name(guest: Guest, connection: Any, home: Path) -> None:
    found = find_guest(connection, guest.name, home=home)
    assert found.spec == guest.spec
    assert found.machine == guest.machine
    assert find_guest(connection, guest.name, home=home / "other") is None
    assert find_guest(connection, "assay-none-b0") is None


def test_a_guest_that_holds_a_record_is_not_replaced(guest: Guest, connection: Any) -> None:
    guest.mark_pending(pending=True)
    try:
        with pytest.raises(PlatformError, match="holds a record"):
            start_guest(connection, guest.spec)
    finally:
        guest.mark_pending(pending=False)
    assert ssh(guest, "true").returncode == 0


def test_a_guest_that_ends_at_once_leaves_its_console_and_nothing_else(home: Path, connection: Any) -> None:
    broken = home / "initrd"
    broken.write_bytes(b"")
    broken.chmod(0o644)
    spec = spec_of(home, replace(real_image(), initrd=broken), block=7)
    with pytest.raises(GuestBootError, match="Kernel panic") as caught:
        start_guest(connection, spec, timeout_s=30)
    assert caught.value.log == kept_console(spec)
    assert "Kernel panic" in caught.value.log.read_text(errors="replace")
    assert_nothing_left(connection, spec.name, spec.folder)


def test_a_guest_that_never_boots_is_given_up_in_time(home: Path, connection: Any) -> None:
    waited: list[float] = []
    spec = spec_of(home, real_image(), block=8)
    spec = replace(spec, port=pick_port())
    start = time.monotonic()
    with pytest.raises(GuestBootError, match="not usable within 1 s"):
        start_guest(connection, spec, timeout_s=1, on_wait=waited.append)
    assert time.monotonic() - start < 10
    assert waited == sorted(waited)
    assert_nothing_left(connection, spec.name, spec.folder)


def test_a_guest_without_its_disk_is_refused_and_leaves_nothing(home: Path, connection: Any) -> None:
    spec = spec_of(home, replace(real_image(), disk=home / "absent.raw"), block=9)
    with pytest.raises(PlatformError, match="cannot make the guest's disk"):
        start_guest(connection, spec)
    assert_nothing_left(connection, spec.name, spec.folder)


def test_destroying_twice_is_no_error(home: Path, connection: Any) -> None:
    small = replace(spec_of(home, real_image(), block=10), disk_cache="writeback")
    started = start_guest(connection, small)
    assert started.platform().disk_cache == "writeback"
    started.destroy()
    started.destroy()
    assert_nothing_left(connection, small.name, small.folder)


def assert_nothing_left(connection: Any, name: str, folder: Path) -> None:
    assert name not in [domain.name() for domain in connection.listAllDomains()]
    assert not folder.exists()
