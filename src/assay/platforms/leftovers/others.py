"""Guests of assay that another libvirt carries, another user's or root's: libvirt does not show them,
``/proc`` does.

Source: ``man 5 proc`` (``/proc/PID/cmdline``, empty for a process that has ended); QEMU's ``-name
    guest=NAME``, which
libvirt gives it.
Limits: ``/proc`` mounted with ``hidepid`` shows a plain user's own processes alone.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.platforms.errors import ClaimedError

_NAME = re.compile(
    r"assay-(?:[0-9a-f]{8}-(?:b[0-9]+(?:-[0-9]+)?|try)"  # of a visit, one of several, of a rehearsal
    r"|proof-(?:[0-9]+|[0-9a-f]{8}))"  # of a proof here, and on another machine
)
"""How guests of ours are called; what somebody else called ``assay-web`` is none."""


@dataclass(frozen=True)
class RunningGuest:
    """A guest by its process.

    Attributes:
        name: Of its domain.
        pid: Of QEMU.
        user: Number of the user as whom QEMU runs.
    """

    name: str
    pid: int
    user: int


def refuse_others(proc: Path = Path("/proc")) -> None:
    """Refuse to measure beside a guest of assay's; to be called when none of ours is left.

    Raises:
        ClaimedError: one runs.
    """
    for guest in running_guests(proc):
        msg = f"cannot start: guest {guest.name} of user {guest.user} runs (process {guest.pid})"
        raise ClaimedError(msg, hint="wait until it has ended, or as that user: assay platform clean")


def running_guests(proc: Path = Path("/proc")) -> tuple[RunningGuest, ...]:
    """Return the guests of assay's that run on this machine, whoever made them, by pid."""
    return tuple(_running(sorted(int(place.name) for place in proc.glob("[0-9]*")), proc))


def _running(pids: Iterable[int], proc: Path) -> Iterator[RunningGuest]:
    for pid in pids:
        place = proc / str(pid)
        try:
            name = guest_name((place / "cmdline").read_bytes())
            if name is not None:
                yield RunningGuest(name, pid, place.stat().st_uid)
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue


def guest_name(cmdline: bytes) -> str | None:
    """Return the name of the guest of assay's that a process is, by its command line; ``None``
    for any other.
    """
    words = cmdline.decode(errors="replace").split("\0")
    for option, value in itertools.pairwise(words):
        name = value.removeprefix("guest=").partition(",")[0]
        if option == "-name" and value.startswith("guest=") and _NAME.fullmatch(name):
            return name
    return None
