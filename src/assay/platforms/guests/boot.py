"""Waiting for a guest to become usable: its console says so, and its SSH server answers."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assay.platforms.errors import GuestBootError
from assay.platforms.guests.spec import GuestSpec

READY = "ASSAY READY"
"""What the image's init prints on the console once its SSH server is up."""
FAILED = "ASSAY FAILED"
"""What it prints instead where it cannot go on, with the reason."""
_PANIC = "Kernel panic"
_POLL_S = 0.1
_LAST_LINES = 5
_TAIL_BYTES = 64 * 1024


BANNER_S, MOST_BANNER_S = 2.0, 15.0
"""Patience for an SSH server's banner: each try costs the guest a process, so one that is slow is asked less
often.
"""


@dataclass(frozen=True)
class Signs:
    """What tells whether a guest is usable.

    Attributes:
        console: Returns the end of what it printed.
        answers: Tells whether its SSH server answers within so many seconds.
        log: Where its console's log is kept if it never is.
    """

    console: Callable[[], str]
    answers: Callable[[float], bool]
    log: Path


def wait_usable(
    spec: GuestSpec,
    *,
    runs: Callable[[], bool],
    timeout_s: float,
    on_wait: Callable[[float], None] | None = None,
    signs: Signs | None = None,
) -> float:
    """Wait until a started guest is usable.

    Args:
        spec: The guest.
        runs: Tells whether its domain still runs.
        timeout_s: Seconds to wait at most.
        on_wait: Called with the seconds waited so far, ten times a second.
        signs: What is looked at; ``None`` looks at its files and its port on this machine.

    Returns:
        Seconds that it took.

    Raises:
        GuestBootError: it ended or was not usable in time.
    """
    seen, start, patience_s = signs or _signs_here(spec), time.monotonic(), BANNER_S
    while not (_is_ready(spec, seen) and seen.answers(patience_s)):
        patience_s = min(1.5 * patience_s, MOST_BANNER_S) if _is_ready(spec, seen) else BANNER_S
        waited_s = time.monotonic() - start
        if on_wait is not None:
            on_wait(waited_s)
        if FAILED in seen.console():
            raise _failed(spec, seen, "it gave up")
        if not runs():
            raise _failed(spec, seen, f"it ended after {waited_s:.1f} s")
        if waited_s > timeout_s:
            raise _failed(spec, seen, f"not usable within {timeout_s:.0f} s")
        time.sleep(_POLL_S)
    return time.monotonic() - start


def _signs_here(spec: GuestSpec) -> Signs:
    return Signs(
        lambda: console_text(spec.console),
        lambda patience_s: answers_ssh(spec.port, patience_s),
        log=kept_console(spec),
    )


def _is_ready(spec: GuestSpec, seen: Signs) -> bool:
    return not spec.image.announces or READY in seen.console()


def console_text(log: Path) -> str:
    """Return the end of a console's log (64 KiB at most); empty where there is none yet."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - _TAIL_BYTES))
            return file.read().decode(errors="replace")
    except FileNotFoundError:
        return ""


def answers_ssh(port: int, patience_s: float = BANNER_S) -> bool:
    """Tell whether an SSH server's banner comes from a port on 127.0.0.1 in time."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1.0) as door:
            door.settimeout(patience_s)
            return door.recv(64).startswith(b"SSH-")
    except OSError:
        return False


def last_words(text: str) -> tuple[str, ...]:
    """Return the lines that tell most of why a guest ended, five at most.

    That is the end of what it printed, or where its kernel panicked, what led to it: a trace follows.
    """
    printable = "".join(c if c.isprintable() or c == "\n" else " " for c in text)
    lines = [line.strip() for line in printable.splitlines() if line.strip()]
    end = next((number for number, line in enumerate(lines, start=1) if _PANIC in line), len(lines))
    return tuple(lines[max(0, end - _LAST_LINES) : end])


def _failed(spec: GuestSpec, seen: Signs, why: str) -> GuestBootError:
    return GuestBootError(spec.name, why, log=seen.log, last_lines=last_words(seen.console()))


def kept_console(spec: GuestSpec) -> Path:
    """Return where the console's log of a guest that failed is kept when all else of it is removed."""
    return spec.home / "run" / f"{spec.name}.console.log"
