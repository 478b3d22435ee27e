"""A machine that talks without end is left at a size, whoever listens."""

from __future__ import annotations

import asyncio
import stat
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import asyncssh
import pytest

from assay.machines import open_door
from assay.machines.errors import CommandError, TimedOutError, TooMuchError, UnreachableError
from assay.machines.local import LocalDoor
from assay.machines.ssh import sftp, stream
from assay.machines.ssh.door import SshDoor
from assay.machines.ssh.stream import SshChannel, _Lines
from assay.machines.tree import Entry
from assay.model.errors import NoRoomError
from tests.hosts import SshHost


class Wire:
    """The far end of a session, which notes that it was cut."""

    def __init__(self) -> None:
        self.cut = False

    def abort(self) -> None:
        self.cut = True

    def get_exit_status(self) -> None:
        """It was lost, not ended."""


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> _Lines:
    """Return a session that holds 1 MiB at most."""
    monkeypatch.setattr(stream, "MOST_BYTES", 1 << 20)
    made = _Lines()
    made.connection_made(Wire())
    return made


def pour(session: _Lines, data: bytes, times: int) -> None:
    for _ in range(times):
        session.data_received(data, None)


def test_lines_are_cut_wherever_the_packets_end(session: _Lines) -> None:
    for packet in (b"on", b"e\ntwo\nth", b"r", b"ee\n\n"):
        session.data_received(packet, None)
    channel = SshChannel("far", "probe", session)
    assert [channel.receive(1) for _ in range(4)] == [b"one", b"two", b"three", b""]


def test_a_line_by_packets_is_heard_once_it_is_whole_and_waits_to_be_received(session: _Lines) -> None:
    channel = SshChannel("far", "probe", session)
    session.data_received(b"on", None)
    assert not channel.hears(0)
    session.data_received(b"e\ntwo\n", None)
    assert [channel.hears(0), channel.hears(0), channel.receive(0)] == [True, True, b"one"]
    assert [channel.receive(0), channel.hears(0)] == [b"two", False]
    with pytest.raises(TimedOutError, match="cannot hear probe on far: no answer in time"):
        channel.receive(0)


def test_the_end_of_a_session_is_heard_and_stays_the_end(session: _Lines) -> None:
    channel = SshChannel("far", "probe", session)
    session.data_received(b"last\nhalf", None)
    session.connection_lost(None)
    assert [channel.hears(0), channel.receive(0)] == [True, b"last"]
    for _ in range(2):
        assert channel.hears(0)
        with pytest.raises(UnreachableError, match="the connection was lost"):
            channel.receive(0)


@pytest.mark.parametrize("packet", [b"a" * 4096, b"\n" * 4096, b'{"id":0}\n' * 100])
def test_what_nobody_asked_for_is_cut_off_at_its_size(session: _Lines, packet: bytes) -> None:
    pour(session, packet, 1000)
    assert session._channel.cut
    assert session.lines.qsize() * stream._LINE_BYTES <= 1 << 20
    assert len(session._partial) <= 1 << 20


def test_the_caller_is_told_why_a_machine_was_left(session: _Lines) -> None:
    pour(session, b"a" * 4096, 1000)
    session.connection_lost(None)
    channel = SshChannel("far", "probe", session)
    for _ in range(2):
        with pytest.raises(TooMuchError, match="cannot hear probe on far: it says more than 1 MiB"):
            channel.receive(1)


def test_what_was_heard_does_not_count_any_more(session: _Lines) -> None:
    channel = SshChannel("far", "probe", session)
    for _ in range(100):
        session.data_received(b"a" * 100_000 + b"\n", None)
        assert channel.hears(1)
        assert len(channel.receive(1)) == 100_000
    assert not session._channel.cut


def test_a_command_here_that_prints_without_end_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.machines.child.MOST_BYTES", 1 << 20)
    door = LocalDoor("local", tmp_path / "home")
    with pytest.raises(TooMuchError, match="cannot run 'cat' on local: it prints more than 1 MiB"):
        door.run(["cat", "/dev/zero"], timeout_s=60)
    assert door.run(["head", "-c", str(1 << 20), "/dev/zero"], timeout_s=20) == bytes(1 << 20)


def test_of_what_a_command_here_says_on_standard_error_the_end_is_kept(tmp_path: Path) -> None:
    script = "head -c 9000000 /dev/zero >&2; echo it broke >&2; exit 3"
    with pytest.raises(CommandError, match="exit code 3") as error:
        LocalDoor("local", tmp_path / "home").run(["sh", "-c", script], timeout_s=60)
    assert len(error.value.stderr) == 4096
    assert error.value.stderr.endswith("it broke\n")


def test_a_command_here_whose_children_hold_its_output_open_is_given_up_in_time(tmp_path: Path) -> None:
    before = time.monotonic()
    with pytest.raises(TimedOutError):
        LocalDoor("local", tmp_path / "home").run(["sh", "-c", "sleep 5 & echo"], timeout_s=0.3)
    assert time.monotonic() - before < 4


FILE = asyncssh.SFTPAttrs(permissions=stat.S_IFREG | 0o600, size=0)
FOLDER = asyncssh.SFTPAttrs(permissions=stat.S_IFDIR | 0o700)


class Server:
    """A server whose folders hold what it is told, or themselves for ever; it counts what it was
    asked for.
    """

    def __init__(self, *names: tuple[str, asyncssh.SFTPAttrs]) -> None:
        self.names, self.reported = names, 0

    async def lstat(self, _there: str) -> asyncssh.SFTPAttrs:
        return FOLDER

    async def scandir(self, _there: str) -> AsyncIterator[Any]:
        for name, attrs in self.names:
            yield SimpleNamespace(filename=name, attrs=attrs)
        while not self.names:
            self.reported += 1
            yield SimpleNamespace(filename=f"{self.reported}.txt", attrs=asyncssh.SFTPAttrs(permissions=0))


def bring(server: Server, here: Path) -> None:
    asyncio.run(sftp.get_tree(cast("Any", server), "/there", here))


def test_a_folder_that_holds_itself_for_ever_is_left_at_a_depth(tmp_path: Path) -> None:
    with pytest.raises(asyncssh.SFTPBadMessage, match=f"folders deeper than {sftp.MOST_DEPTH}"):
        bring(Server((".", FOLDER), ("a", FOLDER)), tmp_path / "here")
    assert len(list((tmp_path / "here").rglob("*"))) == sftp.MOST_DEPTH


def test_a_folder_without_end_is_left_at_a_number_of_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sftp, "MOST_ENTRIES", 100)
    server = Server()
    with pytest.raises(asyncssh.SFTPBadMessage, match="more than 100 files and folders"):
        bring(server, tmp_path / "here")
    assert server.reported == 101


class Full:
    """A server of version 3, which says of everything that it failed, and what is free if it is asked."""

    def __init__(self, free: int | None) -> None:
        self.free = free

    async def isdir(self, _there: str) -> bool:
        return True

    async def put(self, *_given: object, **_named: object) -> None:
        failure = "Failure"
        raise asyncssh.SFTPFailure(failure)

    remove = put

    async def statvfs(self, _there: str) -> Any:
        if self.free is None:
            await self.put()
        return SimpleNamespace(bavail=self.free, frsize=1)


def put(free: int | None, size: int) -> None:
    entry = Entry("", Path("/here/a"), folder=False, mode=0o600, bytes=size)
    work = sftp.put_tree(cast("Any", Full(free)), [entry], "/there/a", executable=False, machine="node")
    asyncio.run(work)


def test_a_full_disk_on_a_machine_is_named_with_both_figures() -> None:
    with pytest.raises(NoRoomError) as error:
        put(3 << 20, 5 << 20)
    assert error.value.message == (
        "cannot put /here/a as /there/a on node: the disk of /there there has 3 MiB free, 6 MiB are needed"
    )
    for free in (None, 9 << 20):
        with pytest.raises(asyncssh.SFTPFailure):
            put(free, 5 << 20)


@pytest.fixture
def door(reached: SshHost, tmp_path: Path) -> Iterator[SshDoor]:
    made = open_door(reached.machine(), home=tmp_path)
    assert isinstance(made, SshDoor)
    yield made
    made.close()


@pytest.mark.live
def test_a_command_by_ssh_that_prints_without_end_is_left(
    door: SshDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.machines.ssh.bounded.MOST_BYTES", 1 << 20)
    with pytest.raises(TooMuchError, match="cannot run 'cat' on bench: it prints more than 1 MiB"):
        door.run(["cat", "/dev/zero"], timeout_s=60)
    assert door.run(["echo", "still here"], timeout_s=20) == b"still here\n"


@pytest.mark.live
def test_a_program_by_ssh_with_a_line_without_end_is_left(
    door: SshDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "MOST_BYTES", 1 << 20)
    channel = door.open(["cat", "/dev/zero"])
    with pytest.raises(TooMuchError, match="more than 1 MiB"):
        channel.receive(60)


def test_a_program_that_floods_its_standard_error_is_heard_and_its_last_line_is_known(tmp_path: Path) -> None:
    flood = "yes warning | head -c 1000000 >&2; echo heard; read line; echo the end >&2; exit 3"
    with closing(LocalDoor("local", tmp_path / "home")) as door:
        channel = door.open(["/bin/sh", "-c", flood])
        assert channel.receive(10) == b"heard"
        channel.send(b"go on")
        with pytest.raises(UnreachableError, match="cannot talk with sh on local: it has ended: the end"):
            channel.receive(10)
