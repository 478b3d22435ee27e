"""A writer that is ended in the middle of its work: what it had acknowledged is known, and no byte more."""

from __future__ import annotations

import os
import signal
from collections import deque
from pathlib import Path

import pytest

from assay.activities.tuning import writer
from assay.activities.tuning.records import RECORD_BYTES, find_records, make_record
from assay.activities.tuning.writer import FILE, UNDER_WAY, write_until_killed, writer_command
from assay.machines.errors import UnreachableError
from assay.machines.pipe import PipeChannel
from assay.platforms.errors import PlatformError

TOKEN = "0123abcd-current-0"


def gone() -> UnreachableError:
    return UnreachableError("cannot talk with sh on guest: it has ended", machine="guest")


class Guest:
    """A guest that acknowledges at once, until it is killed.

    Args:
        first: What it says first.
        late: Words that were on their way when it was killed.
        answers: So many records are acknowledged; ``None`` is all.
    """

    def __init__(self, first: str = "ready", *, late: int = 0, answers: int | None = None) -> None:
        self.lines = deque([first.encode()])
        self.late, self.answers, self.alive = late, answers, True
        self.sent: list[bytes] = []
        self.unanswered: deque[bytes] = deque()
        self.told = 0

    def send(self, line: bytes) -> None:
        self.sent.append(line)
        if len(self.sent) % 2:
            self.unanswered.append(line)

    def _answer(self) -> None:
        waits = self.unanswered and not self.lines
        if self.alive and waits and (self.answers is None or self.told < self.answers):
            self.told += 1
            self.lines.append(self.unanswered.popleft())

    def hears(self, timeout_s: float) -> bool:
        assert timeout_s > 0
        self._answer()
        return bool(self.lines) or not self.alive

    def receive(self, timeout_s: float) -> bytes:
        if not self.hears(timeout_s):
            raise gone()
        if not self.lines:
            raise gone()
        return self.lines.popleft()

    def close(self) -> None: ...

    def kill(self) -> None:
        self.alive = False
        for _ in range(self.late):
            self.told += 1
            self.lines.append(self.unanswered.popleft())


def test_the_guest_has_records_under_way_whenever_it_is_killed() -> None:
    guest = Guest()
    acknowledged = write_until_killed(guest, TOKEN, after_s=0.05, kill=guest.kill)
    assert acknowledged == guest.told * RECORD_BYTES
    assert guest.told > 10
    assert len(guest.sent) == 2 * (guest.told + UNDER_WAY)


def test_each_record_is_announced_by_the_length_of_the_file_with_it() -> None:
    guest = Guest()
    write_until_killed(guest, TOKEN, after_s=0.01, kill=guest.kill)
    lines, records = guest.sent[::2], guest.sent[1::2]
    assert [int(line) for line in lines[:3]] == [RECORD_BYTES, 2 * RECORD_BYTES, 3 * RECORD_BYTES]
    assert [record + b"\n" for record in records[:3]] == [make_record(TOKEN, number) for number in range(3)]


def test_words_that_left_the_guest_before_the_kill_count() -> None:
    guest = Guest(late=3)
    acknowledged = write_until_killed(guest, TOKEN, after_s=0.01, kill=guest.kill)
    assert acknowledged == guest.told * RECORD_BYTES


def test_a_guest_that_goes_slowly_is_killed_all_the_same() -> None:
    guest = Guest(answers=1)
    assert write_until_killed(guest, TOKEN, after_s=0.01, kill=guest.kill) == RECORD_BYTES


@pytest.mark.parametrize("guest", [Guest(answers=0), Guest("sh: dd: not found"), Guest("")])
def test_a_writer_that_does_not_write_is_an_error_before_any_kill(guest: Guest) -> None:
    with pytest.raises((UnreachableError, PlatformError)):
        write_until_killed(guest, TOKEN, after_s=0.01, kill=guest.kill)
    assert guest.alive


def test_what_the_shell_says_beside_it_is_named() -> None:
    with pytest.raises(PlatformError, match="expected 'ready' from its writer, got 'Welcome'"):
        write_until_killed(Guest("Welcome"), TOKEN, after_s=0.01, kill=lambda: None)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where the real writer writes, which leaves all other files of this machine alone."""
    assert 'sync -f "$1"\n' in writer.SCRIPT
    monkeypatch.setattr(writer, "SCRIPT", writer.SCRIPT.replace('sync -f "$1"\n', ""))
    return tmp_path / "a folder"


def test_the_real_writer_has_written_all_that_it_acknowledged(folder: Path) -> None:
    channel = PipeChannel("here", writer_command(str(folder)))

    def kill() -> None:
        os.killpg(channel._process.pid, signal.SIGKILL)

    acknowledged = write_until_killed(channel, TOKEN, after_s=0.1, kill=kill)
    channel.close()
    content = (folder / FILE).read_bytes()
    assert acknowledged > 0
    assert find_records(content, TOKEN, acknowledged_bytes=acknowledged).intact_bytes == acknowledged
    assert acknowledged <= len(content) <= acknowledged + UNDER_WAY * RECORD_BYTES


def test_the_real_writer_ends_with_its_input_and_with_an_error_of_its_disk(folder: Path) -> None:
    channel = PipeChannel("here", writer_command(str(folder)))
    assert channel.receive(60) == b"ready"
    channel.close()
    assert channel._process.returncode == 0
    (folder / FILE).unlink()
    (folder / FILE).symlink_to("/dev/full")
    channel = PipeChannel("here", writer_command(str(folder)))
    with pytest.raises(UnreachableError, match="has ended"):
        write_until_killed(channel, TOKEN, after_s=0.1, kill=lambda: pytest.fail("killed"))
    channel.close()
