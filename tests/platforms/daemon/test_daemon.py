import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.model.errors import MissingError
from assay.platforms.daemon import daemon, launch
from assay.platforms.daemon import state as daemon_state
from assay.platforms.daemon.daemon import connect, import_libvirt, libvirt_connection, require_libvirt
from assay.platforms.daemon.device import KVM, Ownership, kvm_group, lend, ownership, put_back, to_lend
from assay.platforms.daemon.state import DaemonState, read_state, state_file, write_state
from assay.platforms.hypervisor import Hypervisor, users_own
from assay.platforms.process import is_alive, this_process
from tests.passing import pass_by
from tests.plain_user import plain_user
from tests.platforms.guest_parts import PROBE, fresh_home

HOLD = """
import sys, time
from pathlib import Path
from assay.platforms.daemon.daemon import libvirt_connection
with libvirt_connection(Path(sys.argv[1]), subreaper=Path(sys.argv[2])):
    print("held", flush=True)
    time.sleep(600)
"""


def hold(home: Path) -> subprocess.Popen[str]:
    """Start another process that holds a connection."""
    command = [sys.executable, "-c", HOLD, str(home), str(PROBE)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    process.stdout.close()
    return process


def daemon_answers() -> bool:
    import_libvirt()
    connection = connect()
    if connection is not None:
        connection.close()
    return connection is not None


def need_no_daemon() -> None:
    """Pass a test by where the system's own libvirtd runs, or is systemd's to start; in CI neither may be, so
    that nothing is passed by.
    """
    if launch.SYSTEMD.is_dir():
        pass_by("systemd starts libvirt here")
    if daemon_answers():
        pass_by("a libvirtd of the system runs here")


def test_a_state_is_read_back_as_it_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daemon_state, "MACHINE", tmp_path)  # in the machine's own, it would end this process
    me = this_process()
    state = DaemonState(daemons=(me,), users=(me,), kvm=Ownership(0, 0, 0o600))
    write_state(state)
    assert read_state() == state
    assert state.joined(me).left(me) == state


def test_a_device_is_lent_to_the_group_and_put_back(tmp_path: Path) -> None:
    device = tmp_path / "kvm"
    device.touch(mode=0o600)
    group = kvm_group()
    if group is None or os.getuid() != 0:
        pass_by("needs root and group kvm")
    before = to_lend(device, group)
    assert before == ownership(device)
    lend(device, group)
    assert ownership(device) == Ownership(0, group, 0o660)
    assert to_lend(device, group) is None
    put_back(device, before)
    assert ownership(device) == before


def test_a_device_that_somebody_else_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    device = tmp_path / "kvm"
    device.touch(mode=0o640)
    put_back(device, Ownership(0, 0, 0o600))
    assert ownership(device).mode == 0o640


def test_a_plain_user_without_a_home_gets_one_line_and_a_hint() -> None:
    code = """
import sys
from pathlib import Path
from assay.model.errors import MissingError
from assay.platforms.daemon.daemon import libvirt_connection
try:
    with libvirt_connection(Path(sys.argv[1]), subreaper=Path("/nowhere")):
        pass
except MissingError as error:
    print(error.message, error.hint, sep="|")
"""
    with plain_user() as user:
        words = user.wrap([sys.executable, "-c", code, str(user.folder)], HOME="/nonexistent")
        done = subprocess.run(words, capture_output=True, text=True, check=True)
    message, hint = done.stdout.strip().split("|")
    assert message.startswith("cannot use libvirt: /nonexistent/.cache/assay, ")
    assert "HOME" in hint


@pytest.fixture
def silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hypervisor:
    """Have a machine whose libvirt is installed and does not run, under systemd."""
    for name in ("libvirtd", "virtlogd"):
        (tmp_path / name).touch(mode=0o755)
    (tmp_path / "systemd").mkdir()
    uri = f"qemu+unix:///system?socket={tmp_path / 'nobody listens'}"
    sockets = {"virtlogd": tmp_path / "virtlogd-sock", "libvirtd": tmp_path / "libvirt-sock"}
    machines = Hypervisor(uri, of_system=True, sockets=sockets)
    monkeypatch.setattr(launch, "PATH", str(tmp_path))
    monkeypatch.setattr(launch, "SYSTEMD", tmp_path / "systemd")
    monkeypatch.setattr(daemon, "local_hypervisor", lambda: machines)
    monkeypatch.setattr(daemon_state, "MACHINE", tmp_path / "state")
    return machines


@pytest.mark.usefixtures("silent")
def test_what_systemd_is_to_start_is_not_started(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="systemd is to start it") as refused:
        require_libvirt()
    assert refused.value.hint == "systemctl start libvirtd"
    with (
        pytest.raises(MissingError, match="systemd is to start it"),
        libvirt_connection(tmp_path, subreaper=tmp_path / "no probe"),
    ):
        pass
    assert not state_file().exists()


@pytest.mark.usefixtures("silent")
def test_modular_daemons_are_named_and_missing_ones_are_missing(tmp_path: Path) -> None:
    (tmp_path / "virtqemud").touch(mode=0o755)
    with pytest.raises(MissingError) as refused:
        require_libvirt()
    assert refused.value.hint == "systemctl start virtqemud.socket or systemctl start libvirtd"
    for file in (tmp_path / "virtqemud", tmp_path / "libvirtd"):
        file.unlink()
    with pytest.raises(MissingError, match="libvirtd is not installed"):
        require_libvirt()


def test_without_systemd_and_for_a_users_own_daemon_nothing_is_refused(
    silent: Hypervisor, tmp_path: Path
) -> None:
    launch.require_daemons(users_own(tmp_path))
    launch.SYSTEMD.rmdir()
    launch.require_daemons(silent)
    require_libvirt()


@pytest.mark.live
def test_a_missing_probe_is_one_clear_error_and_leaves_nothing() -> None:
    with fresh_home() as home:
        need_no_daemon()
        before = ownership(KVM)
        with (
            pytest.raises(MissingError, match="no executable probe"),
            libvirt_connection(home, subreaper=home / "x"),
        ):
            pass
        assert not state_file().exists()
        assert ownership(KVM) == before


@pytest.mark.live
def test_a_daemon_of_ours_runs_only_while_somebody_uses_it() -> None:
    need_no_daemon()
    before = ownership(KVM)
    with fresh_home() as home:
        with libvirt_connection(home, subreaper=PROBE) as connection:
            state = read_state()
            assert connection.getLibVersion() >= 9_000_000
            assert all(is_alive(mark) for mark in state.daemons)
            assert len(state.daemons) == 4
            assert ownership(KVM).mode & 0o660 == 0o660
            with libvirt_connection(home, subreaper=PROBE) as second:
                assert second.isAlive()
            assert connection.isAlive()
        assert not state_file().exists()
        assert not any(is_alive(mark) for mark in state.daemons)
    assert ownership(KVM) == before
    assert not daemon_answers()


@pytest.mark.live
def test_the_daemon_of_a_killed_process_is_adopted_and_stopped_at_the_end() -> None:
    need_no_daemon()
    before = ownership(KVM)
    with fresh_home() as home:
        holder = hold(home)
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        left = read_state()
        assert all(is_alive(mark) for mark in left.daemons)
        with libvirt_connection(home, subreaper=PROBE):
            assert read_state().daemons == left.daemons
        assert not any(is_alive(mark) for mark in left.daemons)
    assert ownership(KVM) == before


@pytest.mark.live
def test_a_daemon_is_not_stopped_while_another_process_uses_it() -> None:
    need_no_daemon()
    with fresh_home() as home:
        holder = hold(home)
        try:
            with libvirt_connection(home, subreaper=PROBE):
                pass
            assert daemon_answers()
        finally:
            holder.send_signal(signal.SIGINT)
            holder.wait()
        deadline = time.monotonic() + 10
        while daemon_answers() and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not daemon_answers()


@pytest.mark.live
def test_a_daemon_that_was_found_running_is_left_as_it_is() -> None:
    need_no_daemon()
    with fresh_home() as home:
        holder = hold(home)
        aside = state_file().with_suffix(".aside")
        state_file().rename(aside)  # now it is somebody else's
        try:
            with libvirt_connection(home, subreaper=PROBE):
                assert not state_file().exists()
            assert daemon_answers()
        finally:
            aside.rename(state_file())
            holder.send_signal(signal.SIGINT)
            holder.wait()
