"""What a guest is told when it comes from a saved state: the time, its name, fresh randomness.

Its clock stands where it stood when it was saved; all guests of one state would draw the same random numbers.

Source: ``man 1 date``; ``man 4 random`` (``RNDRESEEDCRNG``, 0x5207); Cristian, "Probabilistic clock
synchronization", Distributed Computing 3 (1989).
The kernel draws the identity of its boot when it is first asked for it: asked before a guest is saved, it is
the same in all guests of that state, as it should be.

Limits: the kernel draws from new randomness a moment later, without perl in the guest within a minute. Its
monotonic clock has no gap: it does not know that time has passed.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from assay.model.machines.clock import ClockSet
from assay.model.machines.machine import Machine
from assay.platforms.errors import PlatformError

MOST_OFF_S = 0.1
"""A clock that is nearer than this is right: files, certificates and tickets ask for no more."""
_TRIES = 5
_QUESTIONS = 2
_ANSWER_S = 20.0
_SCRIPT = """
export LC_ALL=C
while read -r word value; do
    case $word in
    now) if [ "$EPOCHREALTIME" ]; then echo "$EPOCHREALTIME"; else date -u +%s.%N; fi ;;
    set) date -u -s "@$value" +%s ;;
    become)
        echo "${value%% *}" >/proc/sys/kernel/hostname
        read -r boot </proc/sys/kernel/random/boot_id
        echo "${value#* }" >/dev/urandom
        echo 0
        ;;
    draw)
        perl -e 'open(F, ">", "/dev/urandom"); ioctl(F, 0x5207, 0)' </dev/null >/dev/null 2>&1 &
        echo 0
        ;;
    esac
done
"""
WORDS = ("eval", _SCRIPT)
"""What the login shell itself does in the guest, as each program takes an emulated processor 50 ms: it reads
a word a line, obeys, and answers with a number: on ``now`` the time, which bash knows without a program.
"""


class Channel(Protocol):
    """A program that answers line by line; ``machines`` has one behind SSH."""

    def send(self, line: bytes) -> None:
        """Send one line; the newline is added."""

    def receive(self, timeout_s: float) -> bytes:
        """Return the next line without its newline."""


Talk = Callable[[Machine, Sequence[str]], AbstractContextManager[Channel]]
"""Starts a program on a machine for as long as the context lasts."""


def wake(channel: Channel, *, name: str) -> ClockSet:
    """Give a restored guest its name, fresh randomness and the right time, and check the clock.

    Args:
        channel: ``WORDS`` at work in the guest.
        name: Its host name.

    Raises:
        PlatformError: the clock cannot be set.
    """
    _ask(channel, f"become {name} {secrets.token_hex(64)}")
    before = last = _ask(channel, "now")
    lead = before[1]
    for _ in range(_TRIES):
        _ask(channel, f"set {time.time() + lead:.6f}")
        last = _offset(channel)
        if abs(last[0]) <= MOST_OFF_S + last[1]:
            _ask(channel, "draw")  # last, as it takes the processor for a while
            return ClockSet(found_s=before[0], left_s=last[0], uncertainty_s=max(before[1], last[1]))
        lead -= last[0]
    msg = f"cannot set the clock of guest {name}: it is {last[0]:+.3f} s off after {_TRIES} tries"
    raise PlatformError(msg, hint="is there a time service in the guest that sets it back?")


def _offset(channel: Channel) -> tuple[float, float]:
    """Return what the guest's clock is ahead and half the round trip, of the quickest of some questions."""
    return min((_ask(channel, "now") for _ in range(_QUESTIONS)), key=lambda answer: answer[1])


def _ask(channel: Channel, line: str) -> tuple[float, float]:
    wall, sent = time.time(), time.monotonic()
    channel.send(line.encode())
    answer = channel.receive(_ANSWER_S)
    half = (time.monotonic() - sent) / 2
    try:
        return float(answer) - (wall + half), half
    except ValueError:
        msg = f"cannot set the guest's clock: expected its time, got '{answer[:80].decode(errors='replace')}'"
        raise PlatformError(msg) from None
