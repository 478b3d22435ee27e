import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from assay.model.files.marker import make_marked
from assay.platforms.bench_network.network import network_token, network_tokens
from assay.platforms.claims import claim, release
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.daemon.device import KVM, ownership
from assay.platforms.daemon.state import state_file
from assay.platforms.guests.guest import find_guest
from assay.platforms.leftovers.clean import clean, leftovers
from assay.platforms.leftovers.groups import group_processes, is_new, our_groups, remove_group
from tests.platforms.guest_parts import PROBE, addresses, fresh_home, real_image, spec_of, ssh

ACTIVITY = f"test-clean-{os.getpid()}"
KILLED = """
import os, signal, sys
from pathlib import Path
from assay.platforms.claims import claim
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.guests.guest import start_guest
from assay.platforms.bench_network.network import bench_network
from assay.workloads import SERVERS
from tests.platforms.guest_parts import PROBE, real_image, spec_of
home, activity, pending = Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "pending"
claim(home, activity)
servers = (SERVERS["iperf3"],)
with (
    bench_network(name=activity, cpus=(0,), servers=servers) as network,
    libvirt_connection(home, subreaper=PROBE) as connection,
):
    guest = start_guest(connection, spec_of(home, real_image(), tap=network.tap, activity=activity))
    if pending:
        guest.mark_pending(pending=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def crash(home: Path, how: str) -> None:
    """Let another process start a guest and die in the middle."""
    done = subprocess.run([sys.executable, "-c", KILLED, str(home), ACTIVITY, how], check=False)
    assert done.returncode == -signal.SIGKILL


def own_daemon(home: Path) -> set[str]:
    """Return the daemon that was left; none where one of the system was used."""
    return {"libvirtd"} if state_file().exists() else set()


def test_an_empty_home_has_no_guests_no_folders_and_no_daemon() -> None:
    with fresh_home() as home:
        kinds = {item.kind for item in leftovers(home, subreaper=PROBE)}
        assert not kinds & {"guest", "folder", "daemon"}


def test_a_group_with_processes_is_told_from_an_empty_one(tmp_path: Path) -> None:
    for name in ("cpu/assay/1", "memory/assay/1", "assay"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "cpu/assay/1/cgroup.procs").write_text("12\n")
    groups = our_groups(tmp_path)
    assert groups.index(tmp_path / "cpu/assay/1") < groups.index(tmp_path / "cpu/assay")
    assert group_processes(tmp_path / "cpu/assay") == (12,)
    assert group_processes(tmp_path / "memory/assay") == ()
    assert is_new(tmp_path / "memory/assay")
    assert not remove_group(tmp_path / "memory/assay")
    assert remove_group(tmp_path / "memory/assay/1")


@pytest.mark.live
def test_all_that_a_killed_process_left_is_listed_and_removed() -> None:
    before, device = addresses(), ownership(KVM)
    with fresh_home() as home:
        crash(home, "plainly")
        found = {(item.kind, item.name) for item in leftovers(home, subreaper=PROBE) if item.removable}
        expected = {
            ("guest", f"assay-{ACTIVITY}-b0"),
            ("network", network_token(ACTIVITY)),
            *[("daemon", name) for name in own_daemon(home)],
        }
        assert expected <= found
        assert expected <= {(item.kind, item.name) for item in clean(home, subreaper=PROBE)}
        assert not expected & {(item.kind, item.name) for item in leftovers(home, subreaper=PROBE)}
        assert list((home / "guests").iterdir()) == []
        assert not state_file().exists()
    assert network_token(ACTIVITY) not in network_tokens()
    assert ownership(KVM) == device
    assert addresses() == before


@pytest.mark.long
@pytest.mark.live
def test_a_guest_that_holds_a_record_stays_with_all_that_it_needs() -> None:
    device = ownership(KVM)
    with fresh_home() as home:
        crash(home, "pending")
        kept = {item.name: item for item in leftovers(home, subreaper=PROBE) if not item.removable}
        guest = f"assay-{ACTIVITY}-b0"
        assert {guest, network_token(ACTIVITY), *own_daemon(home)} <= kept.keys()
        assert f"assay activity resume {ACTIVITY}" in kept[guest].why
        removed = {item.name for item in clean(home, subreaper=PROBE)}
        assert not removed & kept.keys()
        with libvirt_connection(home, subreaper=PROBE) as connection:
            found = find_guest(connection, guest, home=home)
            assert ssh(found, "true").returncode == 0
            found.mark_pending(pending=False)
        assert {guest, *own_daemon(home)} <= {item.name for item in clean(home, subreaper=PROBE)}
        assert list((home / "guests").iterdir()) == []
    assert network_token(ACTIVITY) not in network_tokens()
    assert ownership(KVM) == device


@pytest.mark.live
@pytest.mark.long
def test_what_a_living_process_holds_is_not_listed() -> None:
    with fresh_home() as home:
        crash(home, "plainly")
        guest = f"assay-{ACTIVITY}-b0"
        claim(home, ACTIVITY)
        try:
            assert guest not in {item.name for item in leftovers(home, subreaper=PROBE)}
            assert guest not in {item.name for item in clean(home, subreaper=PROBE)}
        finally:
            release(home, ACTIVITY)
        assert guest in {item.name for item in clean(home, subreaper=PROBE)}


@pytest.mark.live
def test_the_folder_of_a_guest_that_is_gone_is_removed() -> None:
    with fresh_home() as home:
        folder = spec_of(home, real_image()).folder
        make_marked(folder)
        assert [item.name for item in clean(home, subreaper=PROBE) if item.kind == "folder"] == [str(folder)]
        assert not folder.exists()
