"""What is said when a machine cannot be reached or must not be trusted."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from assay.machines import HostKeyError, TimedOutError, TransferError, UnreachableError, open_door
from assay.machines.ssh.background import background
from assay.machines.ssh.claim import claim_folder, folder_of
from assay.machines.ssh.door import SshDoor
from assay.machines.ssh.own import began, command_of
from assay.model.errors import Exit, MissingError
from assay.model.files.home import is_home
from assay.model.files.marker import is_marked
from assay.model.machines.machine import Machine
from tests.hosts import SshHost, make_key

pytestmark = pytest.mark.live


def _open(machine: Machine, tmp_path: Path, *, connect_timeout_s: float = 20.0) -> SshDoor:
    door = open_door(machine, home=tmp_path, connect_timeout_s=connect_timeout_s)
    assert isinstance(door, SshDoor)
    return door


def _refused(machine: Machine, tmp_path: Path, *, connect_timeout_s: float = 20.0) -> UnreachableError:
    with pytest.raises(UnreachableError) as caught:
        _open(machine, tmp_path, connect_timeout_s=connect_timeout_s)
    assert caught.value.exit_code is Exit.UNREACHABLE
    assert caught.value.machine == "bench"
    assert "\n" not in caught.value.message
    assert caught.value.hint
    return caught.value


@pytest.fixture
def door(reached: SshHost, tmp_path: Path) -> Iterator[SshDoor]:
    made = _open(reached.machine(), tmp_path)
    yield made
    made.close()


@pytest.fixture
def other_home(reached: SshHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the user's home folder that a test may spoil."""
    home = tmp_path / "other"
    shutil.copytree(reached.home, home)
    monkeypatch.setenv("HOME", str(home))
    return home


def _fingerprint(path: Path) -> str:
    done = subprocess.run(["ssh-keygen", "-lf", path], capture_output=True, check=True, text=True)
    return done.stdout.split()[1]


def test_an_unknown_host_key_is_refused_and_says_how_to_accept_it(
    reached: SshHost, other_home: Path, tmp_path: Path
) -> None:
    (other_home / ".ssh/known_hosts").unlink()
    error = _refused(reached.machine(), tmp_path)
    assert isinstance(error, HostKeyError)
    assert not error.changed
    assert "is not known" in error.message
    assert _fingerprint(reached.folder / "host_key.pub") in error.message
    assert "ssh-keyscan -p 2222 198.18.1.1 >> ~/.ssh/known_hosts" in (error.hint or "")


def test_the_hint_for_an_unknown_key_works_as_it_is_written(
    reached: SshHost, other_home: Path, tmp_path: Path
) -> None:
    known = other_home / ".ssh/known_hosts"
    known.unlink()
    command = (_refused(reached.machine(), tmp_path).hint or "").rpartition("then: ")[2]
    shell = ["sh", "-c", command.replace("~", str(other_home))]
    subprocess.run(reached.inside(shell), check=True, capture_output=True)
    _open(reached.machine(), tmp_path).close()


def test_a_changed_host_key_is_refused(reached: SshHost, other_home: Path, tmp_path: Path) -> None:
    public = make_key(tmp_path / "former")
    (other_home / ".ssh/known_hosts").write_text(f"[{reached.address}]:{reached.port} {public}")
    error = _refused(reached.machine(), tmp_path)
    assert isinstance(error, HostKeyError)
    assert error.changed
    assert "has changed" in error.message
    assert _fingerprint(tmp_path / "former.pub") in error.message
    assert "ssh-keygen -R '[198.18.1.1]:2222'" in (error.hint or "")


def test_a_host_key_of_another_kind_is_a_changed_one(
    reached: SshHost, other_home: Path, tmp_path: Path
) -> None:
    public = make_key(tmp_path / "former", "ecdsa")
    (other_home / ".ssh/known_hosts").write_text(f"[{reached.address}]:{reached.port} {public}")
    error = _refused(reached.machine(), tmp_path)
    assert isinstance(error, HostKeyError)
    assert error.changed


def test_a_revoked_host_key_is_refused(reached: SshHost, other_home: Path, tmp_path: Path) -> None:
    with (other_home / ".ssh/known_hosts").open("a") as known:
        known.write(f"@revoked * {reached.host_key}\n")
    assert isinstance(_refused(reached.machine(), tmp_path), HostKeyError)


@pytest.mark.parametrize("setting", ["UserKnownHostsFile none", "StrictHostKeyChecking no"])
def test_no_configuration_makes_an_unknown_key_accepted(
    reached: SshHost, other_home: Path, tmp_path: Path, setting: str
) -> None:
    (other_home / ".ssh/known_hosts").write_text("")
    (other_home / ".ssh/config").write_text(f"Host *\n  {setting}\n")
    assert isinstance(_refused(reached.machine(), tmp_path), HostKeyError)


def test_a_given_host_key_is_the_only_one_accepted(reached: SshHost, tmp_path: Path) -> None:
    other = make_key(tmp_path / "other_key")
    error = _refused(reached.machine(host_key=other), tmp_path)  # known_hosts knows the true one
    assert isinstance(error, HostKeyError)
    assert "expected its host key ssh-ed25519 SHA256:" in error.message


def test_a_given_host_key_may_be_a_line_of_known_hosts(reached: SshHost, tmp_path: Path) -> None:
    for line in (reached.host_key, f"{reached.host_key} root@bench\n", f"anything {reached.host_key}"):
        _open(reached.machine(host_key=line), tmp_path).close()


def test_a_given_host_key_that_is_none_is_refused(reached: SshHost, tmp_path: Path) -> None:
    with pytest.raises(HostKeyError, match="cannot read the host key given for bench"):
        _open(reached.machine(host_key="rubbish"), tmp_path)


def test_a_wrong_key_of_the_user_is_one_clear_line(reached: SshHost, tmp_path: Path) -> None:
    make_key(tmp_path / "wrong")
    error = _refused(reached.machine(identity=str(tmp_path / "wrong")), tmp_path)
    assert "none of our keys is accepted" in error.message
    assert "root@198.18.1.1:2222" in error.message


def test_no_key_at_all_is_one_clear_line(reached: SshHost, other_home: Path, tmp_path: Path) -> None:
    (other_home / ".ssh/id_ed25519").unlink()
    assert "none of our keys is accepted" in _refused(reached.machine(), tmp_path).message


def test_a_locked_private_key_says_so(reached: SshHost, tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", locked], check=True)
    error = _refused(reached.machine(identity=str(locked)), tmp_path)
    assert "private key cannot be read" in error.message
    assert "ssh-add" in (error.hint or "")


def test_a_private_key_that_is_not_there_is_missing(reached: SshHost, tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="no private key /nowhere/key"):
        _open(reached.machine(identity="/nowhere/key"), tmp_path)


def test_a_closed_port_refuses(reached: SshHost, tmp_path: Path) -> None:
    assert "refuses connections" in _refused(reached.machine(port=2), tmp_path).message


def test_a_name_that_is_not_resolved_is_named(reached: SshHost, tmp_path: Path) -> None:
    error = _refused(reached.machine(host="nowhere.invalid"), tmp_path)
    assert "the name 'nowhere.invalid' is not resolved" in error.message


def test_a_place_without_a_route_is_one_clear_line(reached: SshHost, tmp_path: Path) -> None:
    assert "unreachable" in _refused(reached.machine(host="203.0.113.1"), tmp_path).message


def test_a_silent_machine_is_given_up_in_time(reached: SshHost, tmp_path: Path) -> None:
    reached.process.send_signal(signal.SIGSTOP)  # the kernel still accepts, nobody greets
    before = time.monotonic()
    try:
        error = _refused(reached.machine(), tmp_path, connect_timeout_s=1.0)
    finally:
        reached.process.send_signal(signal.SIGCONT)
    assert "no answer within 1 s" in error.message
    assert time.monotonic() - before < 8


def test_a_configuration_that_cannot_be_read_is_named(
    reached: SshHost, other_home: Path, tmp_path: Path
) -> None:
    (other_home / ".ssh/config").write_text("Host *\n  Port many\n")
    assert "SSH configuration cannot be used" in _refused(reached.machine(port=None), tmp_path).message


def test_jump_hosts_in_a_circle_are_named(reached: SshHost, other_home: Path, tmp_path: Path) -> None:
    (other_home / ".ssh/config").write_text("Host *\n  ProxyJump nowhere.invalid\n")
    assert "run in a circle" in _refused(reached.machine(), tmp_path).message


def test_a_machine_without_sftp_is_told(reached: SshHost, tmp_path: Path) -> None:
    config = reached.folder / "sshd_config"
    whole = config.read_text()
    config.write_text(whole.replace("Subsystem", "#Subsystem"))
    reached.restart()
    try:
        door = _open(reached.machine(), tmp_path)
        with closing(door), pytest.raises(MissingError, match="cannot open SFTP on bench"):
            door.size("x")
    finally:
        config.write_text(whole)
        reached.restart()


def test_a_file_that_came_home_before_a_connection_was_lost_does_not_come_again(
    reached: SshHost, tmp_path: Path
) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    for name in ("one", "two", "three"):
        (there / name).write_text(name)
    with closing(_open(reached.machine(), tmp_path)) as door:
        door.get(str(there), here)
        for name in ("one", "two", "three"):  # so that it shows which of them come again
            seen = (here / name).stat()
            (here / name).write_text(name.upper())
            os.utime(here / name, ns=(seen.st_mtime_ns, seen.st_mtime_ns))
        os.utime(there / "two", (1, 1))
        (there / "three").write_text("more")
        os.utime(there / "three", ns=(seen.st_mtime_ns, seen.st_mtime_ns))
        door.get(str(there), here)
    assert {path.name: path.read_text() for path in here.iterdir()} == {
        "one": "ONE",
        "two": "two",
        "three": "more",
    }


def test_an_sshd_that_is_killed_in_mid_session_is_noticed_at_once(
    reached: SshHost, door: SshDoor, tmp_path: Path
) -> None:
    channel = door.open(["cat"])
    channel.send(b"one")
    assert channel.receive(20) == b"one"
    try:
        reached.kill()
        before = time.monotonic()
        with pytest.raises(UnreachableError, match="the connection was lost"):
            channel.receive(30)
        with pytest.raises(UnreachableError):
            channel.send(b"two")
        for act in (
            lambda: door.put(Path(__file__), "x"),
            lambda: door.get("x", tmp_path / "x"),
            lambda: door.size("x"),
            lambda: door.run(["true"], timeout_s=20),
            lambda: door.open(["cat"]),
        ):
            with pytest.raises(UnreachableError, match="the connection was lost"):
                act()
        door.close()
        assert time.monotonic() - before < 10
    finally:
        reached.restart()


def test_a_machine_that_falls_silent_in_mid_session_is_given_up_in_time(
    reached: SshHost, door: SshDoor
) -> None:
    channel = door.open(["cat"])
    _link(reached, "down")
    before = time.monotonic()
    try:
        channel.send(b"into the void")
        with pytest.raises(TimedOutError):
            channel.receive(1.0)
        with pytest.raises(TimedOutError):
            door.run(["true"], timeout_s=1.0)
        assert time.monotonic() - before < 10
    finally:
        _link(reached, "up")


@pytest.mark.long
def test_a_machine_that_stays_silent_is_lost_within_a_minute(reached: SshHost, door: SshDoor) -> None:
    channel = door.open(["cat"])
    _link(reached, "down")
    try:
        with pytest.raises(UnreachableError, match="the connection was lost"):
            channel.receive(90.0)
    finally:
        _link(reached, "up")


def _link(host: SshHost, state: str) -> None:
    # only the server's end: without a route the client would be told at once
    argv = ["ip", "-n", host.server_namespace, "addr", "add" if state == "up" else "del"]
    subprocess.run([*argv, f"{host.address}/30", "dev", "up0"], check=True)


class TestOurFolderThere:
    def test_it_is_made_for_us_alone(self, door: SshDoor, tmp_path: Path) -> None:
        _claim(door, tmp_path / "new")
        assert (tmp_path / "new").stat().st_mode & 0o7777 == 0o700
        _claim(door, tmp_path / "new")
        assert [path.name for path in tmp_path.iterdir()] == ["new"]

    def test_a_link_is_refused(self, door: SshDoor, tmp_path: Path) -> None:
        (tmp_path / "new").symlink_to(tmp_path)
        with pytest.raises(MissingError, match="it is a symbolic link"):
            _claim(door, tmp_path / "new")

    def test_a_file_is_refused(self, door: SshDoor, tmp_path: Path) -> None:
        (tmp_path / "new").write_text("")
        with pytest.raises(MissingError, match="it is no folder"):
            _claim(door, tmp_path / "new")

    def test_one_that_belongs_to_another_is_refused(self, door: SshDoor, tmp_path: Path) -> None:
        (tmp_path / "new").mkdir(mode=0o700)
        os.chown(tmp_path / "new", 65534, 65534)
        with pytest.raises(MissingError, match="it belongs to user 65534, we are user 0") as caught:
            _claim(door, tmp_path / "new")
        assert caught.value.hint

    def test_one_that_others_may_write_to_is_refused(self, door: SshDoor, tmp_path: Path) -> None:
        (tmp_path / "new").mkdir()
        (tmp_path / "new").chmod(0o1777)
        with pytest.raises(MissingError, match=r"others may write to it \(mode 1777\)"):
            _claim(door, tmp_path / "new")

    def test_a_place_that_is_not_there_is_told(self, door: SshDoor, tmp_path: Path) -> None:
        with pytest.raises(TransferError, match="no such file"):
            _claim(door, tmp_path / "no" / "where")

    def test_it_has_a_marker_and_what_is_not_ours_is_refused(self, door: SshDoor, tmp_path: Path) -> None:
        _claim(door, tmp_path / "new")
        assert is_home(tmp_path / "new")
        (tmp_path / "mine").mkdir(mode=0o700)
        _claim(door, tmp_path / "mine")
        assert is_home(tmp_path / "mine")
        (tmp_path / "other" / "thesis").mkdir(parents=True, mode=0o700)
        with pytest.raises(MissingError, match="it is not empty, and assay has not made it"):
            _claim(door, tmp_path / "other")
        assert [path.name for path in (tmp_path / "other").iterdir()] == ["thesis"]

    def test_that_of_an_earlier_assay_is_marked_with_the_folders_of_its_activities(
        self, door: SshDoor, tmp_path: Path
    ) -> None:
        for name in ("0123abcd", "mine"):
            (tmp_path / "old" / name).mkdir(parents=True)
        (tmp_path / "old" / "probe-0123").touch()
        _claim(door, tmp_path / "old")
        assert is_home(tmp_path / "old")
        assert [is_marked(tmp_path / "old" / name) for name in ("0123abcd", "mine")] == [True, False]

    def test_a_strange_users_name_stays_a_name(self) -> None:
        assert folder_of("DOM\\al/../ice") == "/var/tmp/assay-DOM_al_.._ice"


class TestAProgramOfOurFolder:
    """What is looked at by one command, before it is started."""

    def starts(self, door: SshDoor, folder: Path, program: Path) -> bool:
        argv = command_of(str(folder), str(program), sha256(b"#!/bin/sh\n").hexdigest(), [])
        channel = door.open(argv)
        try:
            return began(channel)
        finally:
            channel.close()

    def test_starts_in_a_folder_that_is_ours_alone_and_in_no_other(
        self, door: SshDoor, tmp_path: Path
    ) -> None:
        folder, program = tmp_path / "it's ours", tmp_path / "it's ours/said"
        _claim(door, folder)
        program.write_bytes(b"#!/bin/sh\n")
        program.chmod(0o755)
        assert self.starts(door, folder, program)
        for mode in (0o720, 0o702, 0o1777):
            folder.chmod(mode)
            assert not self.starts(door, folder, program), oct(mode)
        folder.chmod(0o755)
        assert self.starts(door, folder, program)
        program.chmod(0o775)
        assert not self.starts(door, folder, program)
        program.chmod(0o755)
        (tmp_path / "link").symlink_to(folder)
        assert not self.starts(door, tmp_path / "link", tmp_path / "link/said")
        (folder / ".assay").unlink()
        assert not self.starts(door, folder, program)
        _claim(door, tmp_path / "new")
        os.chown(tmp_path / "new", 65534, 65534)
        assert not self.starts(door, tmp_path / "new", program)

    def test_a_machine_that_is_lost_meanwhile_is_told(self, reached: SshHost, door: SshDoor) -> None:
        channel = door.open(["sleep", "60"])
        try:
            reached.kill()
            with pytest.raises(UnreachableError):
                began(channel)
        finally:
            reached.restart()


def _claim(door: SshDoor, folder: Path) -> None:
    door._wait("claim", claim_folder(door._sftp, str(folder), "bench"))


def test_a_door_left_open_does_not_keep_a_process_from_ending(reached: SshHost) -> None:
    code = (
        "from assay.machines import open_door;"
        "from assay.model.machines.machine import Machine, Reach; from pathlib import Path;"
        f"m = Machine('bench', Reach.SSH, {reached.address!r}, 'root', {reached.port});"
        "d = open_door(m, home=Path('/nowhere'));"
        "c = d.open(['cat']); c.send(b'x'); print(c.receive(20).decode())"
    )
    argv = reached.inside([sys.executable, "-W", "error", "-c", code])
    done = subprocess.run(argv, capture_output=True, timeout=60, check=True, text=True)
    assert (done.stdout, done.stderr) == ("x\n", "")


def test_the_loop_ends_what_takes_too_long() -> None:
    with pytest.raises(TimeoutError):
        background().call(asyncio.sleep(30), timeout_s=0.1)
