"""A machine that talks without end is left at a size, whoever listens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.machines import open_door, stream
from assay.machines.errors import TooMuchError
from assay.machines.ssh import SshDoor
from assay.machines.stream import SshChannel, _Lines
from tests.hosts import SshHost


class Wire:
    """The far end of a session, which notes that it was cut."""

    def __init__(self) -> None:
        self.cut = False

    def abort(self) -> None:
        self.cut = True


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
        assert len(channel.receive(1)) == 100_000
    assert not session._channel.cut


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
    monkeypatch.setattr("assay.machines.bounded.MOST_BYTES", 1 << 20)
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
