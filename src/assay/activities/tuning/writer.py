"""A guest that appends records to a file on its disk, each with ``fsync``, and tells at once how far it is.

Records come from here, line by line over the channel, and a few are always under way: whenever the guest is
ended, it is in the middle of writing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from assay.activities.tuning.records import RECORD_BYTES, make_record
from assay.machines.errors import UnreachableError
from assay.platforms.errors import PlatformError
from assay.probe.door import Channel

FILE = "records"
UNDER_WAY = 8
"""Records that the guest has and has not acknowledged: it never waits for the next."""
START_S, RECORD_S = 60.0, 60.0
"""Under emulation on a busy disk an fsync may take seconds."""
END_S = 5.0
"""After the guest's end, what it had said before arrives at once."""

# Each line tells how long the file is with the record that follows it. dd takes the record from the same
# stream, of which the shell's `read` leaves all but the line, and ends with an error where its fsync does.
# The file's name and all else that is there is on the disk before the first record.
SCRIPT = f"""\
set -e
mkdir -p "$1"
: > "$1/{FILE}"
sync -f "$1"
echo ready
while read -r bytes; do
    dd bs={RECORD_BYTES} count=1 iflag=fullblock oflag=append conv=notrunc,fsync status=none of="$1/{FILE}"
    echo "$bytes"
done
"""
"""Source: ``man 1 dd`` (GNU coreutils), ``conv=fsync``: writes data and metadata before it finishes; POSIX
``read``: takes no more than its line of a stream that cannot be rewound."""


def writer_command(folder: str) -> list[str]:
    """Return what a guest runs to write into a folder, by ``sh`` and GNU coreutils."""
    return ["sh", "-c", SCRIPT, "sh", folder]


def write_until_killed(channel: Channel, token: str, *, after_s: float, kill: Callable[[], None]) -> int:
    """Let a guest write, and end it in the middle of that.

    Args:
        channel: To ``writer_command`` in the guest.
        token: Of the records.
        after_s: Seconds from the first acknowledged record to the kill.
        kill: Ends the guest at once.

    Returns:
        Bytes that were acknowledged: those whose ``fsync`` had ended in the guest, and whose word had left
        it, when it was ended.

    Raises:
        UnreachableError: The writer ended, or said nothing for a minute, before the kill.
        PlatformError: It said something else than it should.
    """
    writing = _Writing(channel, token)
    writing.begin()
    until = time.monotonic() + after_s
    while (left_s := until - time.monotonic()) > 0:
        writing.go_on(left_s)
    kill()
    return writing.end()


class _Writing:
    """The host's side of a file that a guest writes."""

    def __init__(self, channel: Channel, token: str) -> None:
        self._channel, self._token = channel, token
        self._sent = self._acknowledged_bytes = 0

    def begin(self) -> None:
        """Wait until the first record is acknowledged."""
        self._expect("ready", self._channel.receive(START_S))
        for _ in range(UNDER_WAY):
            self._send()
        self._take(self._channel.receive(RECORD_S))
        self._send()

    def go_on(self, most_s: float) -> None:
        """Take one word of the guest, if there is one within that time."""
        if self._channel.hears(most_s):
            self._take(self._channel.receive(RECORD_S))
            self._send()

    def end(self) -> int:
        """Return the bytes that were acknowledged, also by words that were on their way at the kill."""
        with suppress(UnreachableError):
            while self._channel.hears(END_S):
                self._take(self._channel.receive(END_S))
        return self._acknowledged_bytes

    def _send(self) -> None:
        record = make_record(self._token, self._sent)
        self._sent += 1
        self._channel.send(str(self._sent * RECORD_BYTES).encode())
        self._channel.send(record[:-1])  # the channel ends the line

    def _take(self, line: bytes) -> None:
        bytes_now = self._acknowledged_bytes + RECORD_BYTES
        self._expect(str(bytes_now), line)
        self._acknowledged_bytes = bytes_now

    def _expect(self, wanted: str, line: bytes) -> None:
        said = line.decode(errors="replace")
        if said != wanted:
            msg = (
                f"cannot count what the guest writes: expected '{wanted}' from its writer, got '{said[:80]}'"
            )
            raise PlatformError(msg)
