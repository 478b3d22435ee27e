"""The treaty of a door, kept by all makes."""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.machines import CommandError, TimedOutError, TransferError, UnreachableError, open_door, pipe
from assay.machines.local import LocalDoor
from assay.machines.part import part_name
from assay.machines.ssh.door import SshDoor
from assay.model.errors import Exit, MissingError
from assay.model.machines.machine import Machine
from tests.hosts import SshHost

AnyDoor = LocalDoor | SshDoor


KINDS = [
    "local",
    pytest.param("ssh", marks=pytest.mark.live),
    pytest.param("slurm", marks=[pytest.mark.live, pytest.mark.long]),
    pytest.param("htcondor", marks=[pytest.mark.live, pytest.mark.long]),
]


@pytest.fixture(params=KINDS)
def door(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AnyDoor]:
    machine, home = Machine("local"), tmp_path / "home"
    if request.param == "ssh":
        machine = request.getfixturevalue("reached").machine()
    if request.param == "slurm":
        machine, home = request.getfixturevalue("node")
    if request.param == "htcondor":
        machine, home = request.getfixturevalue("condor_node")
    made = open_door(machine, home=home)
    yield made
    made.close()


@pytest.fixture
def there(door: AnyDoor) -> Iterator[Path]:
    """A folder of ours over there, which is on this file system for all makes."""
    place = Path(door.folder) / f"test-{os.getpid()}"
    yield place
    shutil.rmtree(place, ignore_errors=True)


def _tree(root: Path) -> Path:
    (root / "sub" / "empty").mkdir(parents=True)
    (root / "data").write_bytes(bytes(range(256)) * 1000)
    (root / "sub" / "run.sh").write_text("#!/bin/sh\necho hello\n")
    (root / "sub" / "run.sh").chmod(0o750)
    (root / "sub" / "read only").write_text("a name with a space\n")
    (root / "sub" / "read only").chmod(0o400)
    (root / "link").symlink_to("data")
    return root


class TestOurProgram:
    def put(self, door: AnyDoor, there: Path, tmp_path: Path) -> tuple[str, str]:
        script = tmp_path / "said"
        script.write_text("#!/bin/sh\nwhile read -r line; do echo $1 $line; done\n")
        door.put(script, f"{there.name}/said", executable=True)
        return str(there / "said"), hashlib.sha256(script.read_bytes()).hexdigest()

    def test_that_is_seen_to_be_the_very_one_is_talked_with(
        self, door: AnyDoor, there: Path, tmp_path: Path
    ) -> None:
        program, digest = self.put(door, there, tmp_path)
        channel = door.open_own(program, digest, ["a b"])
        assert channel is not None
        channel.send(b"c")
        assert channel.receive(20) == b"a b c"
        channel.close()

    def test_of_another_content_is_not_started(self, door: AnyDoor, there: Path, tmp_path: Path) -> None:
        program, digest = self.put(door, there, tmp_path)
        assert door.open_own(program, "0" * 64, []) is None
        assert door.open_own(f"{program}-absent", digest, []) is None

    def test_that_others_may_write_to_is_not_started(
        self, door: AnyDoor, there: Path, tmp_path: Path
    ) -> None:
        program, digest = self.put(door, there, tmp_path)
        Path(program).chmod(0o757)
        assert door.open_own(program, digest, []) is None

    def test_of_another_user_or_a_link_to_ours_is_not_started(
        self, door: AnyDoor, there: Path, tmp_path: Path
    ) -> None:
        program, digest = self.put(door, there, tmp_path)
        (there / "link").symlink_to(program)
        assert door.open_own(str(there / "link"), digest, []) is None
        os.chown(program, 65534, 65534)
        assert door.open_own(program, digest, []) is None


class TestDoor:
    def test_its_folder_is_ours_alone(self, door: AnyDoor) -> None:
        door.size("what is not there")
        seen = os.lstat(door.folder)
        assert (seen.st_mode & 0o777, seen.st_uid) == (0o700, os.getuid())
        assert door.folder.startswith("/")

    def test_a_file_goes_there_and_comes_back(self, door: AnyDoor, there: Path, tmp_path: Path) -> None:
        (tmp_path / "a").write_bytes(b"\0one\n")
        door.put(tmp_path / "a", f"{there}/deep/er/a")
        assert door.size(f"{there}/deep/er/a") == 5
        door.get(f"{there}/deep/er/a", tmp_path / "back" / "a")
        assert (tmp_path / "back" / "a").read_bytes() == b"\0one\n"

    def test_a_file_replaces_an_older_one_and_leaves_nothing_beside_it(
        self, door: AnyDoor, there: Path, tmp_path: Path
    ) -> None:
        for text in ("old and long", "new"):
            (tmp_path / "a").write_text(text)
            door.put(tmp_path / "a", f"{there}/a")
        assert (there / "a").read_text() == "new"
        assert [path.name for path in there.iterdir()] == ["a"]

    def test_a_program_takes_away_what_copies_of_it_that_were_cut_off_left(
        self, door: AnyDoor, there: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "a").write_text("whole")
        there.mkdir()
        ours = part_name("a")
        dead = ours.replace(f".{os.getpid()}.", ".4194305.")
        elsewhere = dead.replace(dead.split(".")[2], "0123abcd")
        for name in (ours, dead, elsewhere, dead.replace(".a.", ".b."), ".a.part"):
            (there / name).touch()
        left = {path.name for path in there.iterdir()}
        door.put(tmp_path / "a", f"{there}/a", executable=True)
        assert {path.name for path in there.iterdir()} == {*left, "a"} - {dead}

    def test_a_digest_is_told_of_a_file_that_is_ours_alone(self, door: AnyDoor, there: Path) -> None:
        there.mkdir()
        file = there / "a"
        file.write_bytes(b"abc")
        file.chmod(0o644)
        digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        assert door.digest(str(file)) == digest
        assert door.digest(f"{there.name}/a") == digest
        (there / "link").symlink_to(file)
        assert [door.digest(f"{there}/{name}") for name in ("absent", "link", ".")] == [None, None, None]
        file.chmod(0o666)
        assert door.digest(str(file)) is None

    def test_a_running_program_can_be_replaced(self, door: AnyDoor, there: Path, tmp_path: Path) -> None:
        shutil.copy("/usr/bin/sleep", tmp_path / "nap")
        door.put(tmp_path / "nap", f"{there}/nap", executable=True)
        with subprocess.Popen([there / "nap", "30"]) as nap:
            door.put(tmp_path / "nap", f"{there}/nap", executable=True)
            nap.kill()

    def test_an_executable_is_made_one(self, door: AnyDoor, there: Path, tmp_path: Path) -> None:
        (tmp_path / "a").write_text("#!/bin/sh\necho it ran\n")
        (tmp_path / "a").chmod(0o600)
        door.put(tmp_path / "a", f"{there}/a", executable=True)
        assert door.run([f"{there}/a"], timeout_s=20) == b"it ran\n"

    def test_a_folder_goes_there_with_its_modes_and_its_links_followed(
        self, door: AnyDoor, there: Path, tmp_path: Path
    ) -> None:
        door.put(_tree(tmp_path / "tree"), f"{there}/tree")
        assert (there / "tree/data").stat().st_size == 256_000
        assert (there / "tree/sub/run.sh").stat().st_mode & 0o777 == 0o750
        assert (there / "tree/sub/read only").stat().st_mode & 0o777 == 0o400
        assert (there / "tree/sub/empty").is_dir()
        assert not (there / "tree/link").is_symlink()
        assert (there / "tree/link").stat().st_size == 256_000

    def test_a_folder_comes_back_without_its_links_and_pipes(
        self, door: AnyDoor, there: Path, tmp_path: Path
    ) -> None:
        _tree(there / "tree")
        os.mkfifo(there / "tree/pipe")
        (there / "tree/secret").symlink_to("/etc/shadow")
        door.get(f"{there}/tree", tmp_path / "back")
        found = sorted(str(path.relative_to(tmp_path / "back")) for path in (tmp_path / "back").rglob("*"))
        assert found == ["data", "sub", "sub/empty", "sub/read only", "sub/run.sh"]
        assert (tmp_path / "back/sub/run.sh").stat().st_mode & 0o777 == 0o750

    def test_a_place_without_a_slash_lies_in_our_folder(
        self, door: AnyDoor, there: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "a").write_text("x")
        door.put(tmp_path / "a", f"{there.name}/a")
        assert (there / "a").read_text() == "x"

    def test_a_file_that_is_not_here_is_a_clear_error(
        self, door: AnyDoor, there: Path, tmp_path: Path
    ) -> None:
        with pytest.raises(TransferError, match="No such file"):
            door.put(tmp_path / "absent", f"{there}/a")

    def test_a_file_that_is_not_there_is_a_clear_error(
        self, door: AnyDoor, there: Path, tmp_path: Path
    ) -> None:
        assert door.size(f"{there}/absent") is None
        with pytest.raises(TransferError, match=r"(?i)no such file") as caught:
            door.get(f"{there}/absent", tmp_path / "a")
        assert caught.value.exit_code is Exit.MISSING

    def test_a_circle_of_links_is_refused(self, door: AnyDoor, there: Path, tmp_path: Path) -> None:
        (tmp_path / "tree").mkdir()
        (tmp_path / "tree" / "again").symlink_to(".")
        with pytest.raises(TransferError, match="circle"):
            door.put(tmp_path / "tree", f"{there}/tree")

    def test_a_command_gets_its_words_as_they_are(self, door: AnyDoor) -> None:
        words = ["a b", "$HOME", "'", '"', "*", ";false", "\\", "", "ü\n"]
        assert door.run(["printf", "%s|", *words], timeout_s=20) == "".join(f"{w}|" for w in words).encode()

    def test_a_command_that_fails_says_how(self, door: AnyDoor) -> None:
        with pytest.raises(CommandError, match="exit code 3: it broke") as caught:
            door.run(["sh", "-c", "echo it broke >&2; exit 3"], timeout_s=20)
        assert caught.value.code == 3

    def test_a_killed_command_has_a_shells_exit_code(self, door: AnyDoor) -> None:
        with pytest.raises(CommandError, match="exit code 137"):
            door.run(["sh", "-c", "kill -9 $$"], timeout_s=20)

    def test_a_program_that_is_not_there_is_missing(self, door: AnyDoor) -> None:
        with pytest.raises(MissingError, match=r"(?i)no such"):
            door.run(["no-such-program"], timeout_s=20)

    def test_a_command_that_does_not_end_is_given_up_in_time(self, door: AnyDoor) -> None:
        before = time.monotonic()
        with pytest.raises(TimedOutError, match=r"no end within 0\.5 s"):
            door.run(["sleep", "60"], timeout_s=0.5)
        assert time.monotonic() - before < 40

    def test_a_channel_echoes_lines_whole_and_in_order(self, door: AnyDoor) -> None:
        channel = door.open(["cat"])
        lines = [b"", b"one", "zwölf".encode(), b"x" * 40_000]
        for line in lines:
            channel.send(line)
            assert channel.receive(20) == line
        channel.close()

    def test_a_silent_channel_times_out_and_stays_open(self, door: AnyDoor) -> None:
        channel = door.open(["cat"])
        with pytest.raises(TimedOutError, match="no answer within"):
            channel.receive(0.2)
        channel.send(b"still here")
        assert channel.receive(20) == b"still here"

    def test_a_line_is_heard_before_it_is_received_and_not_after(self, door: AnyDoor) -> None:
        channel = door.open(["cat"])
        assert not channel.hears(0)
        with pytest.raises(TimedOutError, match="no answer in time"):
            channel.receive(0)
        channel.send(b"one\n\nthree")
        for line in (b"one", b"", b"three"):
            assert channel.hears(20)
            assert channel.hears(0)
            assert channel.receive(0) == line
        assert not channel.hears(0.1)

    def test_half_a_line_is_not_heard(self, door: AnyDoor) -> None:
        channel = door.open(["sh", "-c", "printf half; read a; echo ' a line'; cat"])
        assert not channel.hears(0.5)
        with pytest.raises(TimedOutError):
            channel.receive(0.1)
        channel.send(b"go on")
        assert channel.hears(20)
        assert channel.receive(20) == b"half a line"

    def test_the_end_of_a_program_is_heard_and_stays_the_end(self, door: AnyDoor) -> None:
        channel = door.open(["sh", "-c", "echo last; printf half; echo it broke >&2; exit 3"])
        assert channel.hears(20)
        assert channel.receive(20) == b"last"
        for _ in range(2):
            assert channel.hears(20)
            with pytest.raises(UnreachableError, match=r"it has ended.*it broke"):
                channel.receive(20)
        channel.close()
        assert channel.hears(20)
        with pytest.raises(UnreachableError):
            channel.receive(20)

    def test_a_channel_that_was_closed_is_not_waited_for(self, door: AnyDoor) -> None:
        channel = door.open(["cat"])
        channel.close()
        for _ in range(2):
            assert channel.hears(20)
            with pytest.raises(UnreachableError):
                channel.receive(20)

    def test_a_channel_whose_program_ends_says_its_last_words(self, door: AnyDoor) -> None:
        channel = door.open(["sh", "-c", "echo first; echo it broke >&2; exit 3"])
        assert channel.receive(20) == b"first"
        for _ in range(2):
            with pytest.raises(UnreachableError, match=r"it has ended.*it broke"):
                channel.receive(20)
        channel.close()

    def test_a_closed_channel_ends_its_programs_input(self, door: AnyDoor, there: Path) -> None:
        there.mkdir()
        channel = door.open(["sh", "-c", f"cat; echo ended > {there}/mark"])
        channel.close()
        channel.close()
        assert (there / "mark").read_text() == "ended\n"
        with pytest.raises(UnreachableError):
            channel.send(b"x")
        with pytest.raises(UnreachableError):
            channel.receive(1)

    def test_a_program_that_ignores_the_end_of_its_input_does_not_hold_up_the_close(
        self, door: AnyDoor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(pipe, "CLOSE_S", 0.2)
        channel = door.open(["sleep", "60"])
        before = time.monotonic()
        channel.close()
        assert time.monotonic() - before < 40

    def test_a_door_closes_its_channels_and_may_be_closed_again(self, door: AnyDoor) -> None:
        channel = door.open(["cat"])
        door.close()
        door.close()
        with pytest.raises(UnreachableError):
            channel.receive(5)


@pytest.mark.live
def test_a_machine_described_by_its_keys_needs_no_configuration(
    reached: SshHost, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh/config").write_text("Host *\n  ProxyJump nowhere.invalid\n  User nobody\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    door = open_door(reached.described(), home=tmp_path)
    assert door.run(["id", "-un"], timeout_s=20) == b"root\n"
    door.close()


@pytest.mark.live
def test_the_users_configuration_gives_name_port_and_user(
    reached: SshHost, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shutil.copytree(reached.home / ".ssh", tmp_path / ".ssh")
    lines = f"Host bench\n  HostName {reached.address}\n  Port {reached.port}\n  User root\n"
    (tmp_path / ".ssh/config").write_text(lines)
    monkeypatch.setenv("HOME", str(tmp_path))
    door = open_door(reached.machine(host="bench", user=None, port=None), home=tmp_path)
    assert door.run(["hostname"], timeout_s=20).decode().strip() == socket.gethostname()
    door.close()


@pytest.mark.live
def test_a_jump_host_of_the_configuration_is_used(
    reached: SshHost, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shutil.copytree(reached.home / ".ssh", tmp_path / ".ssh")
    jump = f"root@{reached.address}:{reached.port}"
    (tmp_path / ".ssh/config").write_text(f"Host behind\n  HostName {reached.address}\n  ProxyJump {jump}\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    door = open_door(reached.machine(host="behind"), home=tmp_path)
    words = door.run(["sh", "-c", "echo $SSH_CLIENT"], timeout_s=20).split()
    assert words[0].decode() == reached.address  # the client's own address would be another
    door.close()


@pytest.mark.live
def test_a_key_of_the_agent_opens_the_door(
    reached: SshHost, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".ssh").mkdir()
    shutil.copy(reached.home / ".ssh/known_hosts", tmp_path / ".ssh")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SSH_AUTH_SOCK", str(tmp_path / "agent"))
    with subprocess.Popen(["ssh-agent", "-D", "-a", tmp_path / "agent"], stdout=subprocess.DEVNULL) as agent:
        try:
            while not (tmp_path / "agent").exists():
                time.sleep(0.05)
            subprocess.run(["ssh-add", "-q", reached.identity], check=True)
            open_door(reached.machine(), home=tmp_path).close()
        finally:
            agent.terminate()
