"""A guest that stops answering in the middle of a visit: why, as far as it can be told, goes with
the error.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from assay.machines.errors import UnreachableError
from assay.platforms.guests.boot import console_text, kept_console, last_words
from assay.platforms.guests.failure_reason import failure_reason
from assay.platforms.guests.guest import Guest, GuestSpec
from assay.platforms.readers import make_way, write_private


@contextmanager
def explain_lost_guest(guest: Guest) -> Iterator[None]:
    """Add to the error of losing a guest why it does not run, and the end of its console, which is kept.

    Only a guest on this machine has its console here.
    """
    try:
        yield
    except UnreachableError as error:
        error.message += "".join(
            f"; {reason}" for reason in (failure_reason(guest.domain), end_of_console(guest)) if reason
        )
        raise


def end_of_console(guest: Guest) -> str | None:
    """Return the last words of a guest's console, of which a copy is kept; ``None`` where it is on another
    machine.
    """
    return _last_words(guest.spec) if guest.spec.console.is_file() else None


def _last_words(spec: GuestSpec) -> str:
    lines, log = last_words(console_text(spec.console)), kept_console(spec)
    make_way(log.parent)
    write_private(log, spec.console.read_bytes())
    text = f"last console lines: {' | '.join(lines)}" if lines else "its console stayed empty"
    return f"{text}; log {log}"
