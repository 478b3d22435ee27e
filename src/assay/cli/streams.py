"""The standard streams, where they are closed, full or of another encoding."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys

from assay.model.errors import MissingError

_CLOSED = {"stdin": os.O_RDONLY, "stdout": os.O_RDONLY, "stderr": os.O_WRONLY}
"""How what stands for a closed stream is opened: to write to a closed standard output fails, as it does for a
full one.
"""


def open_closed() -> None:
    """Put something in the place of closed streams: files that are opened later must not take
    their numbers.
    """
    for number, (name, flags) in enumerate(_CLOSED.items()):
        if getattr(sys, name) is None:
            _put(number, flags)
            made = open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, made)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def flush() -> OSError | None:
    """Write what is still kept of standard output; return what the system refused."""
    try:
        sys.stdout.flush()
    except OSError as error:
        return error
    return None


def flush_errors() -> None:
    """Drop what standard error does not take: at its end the interpreter would fail for it, with a code of
    its own.
    """
    try:
        sys.stderr.flush()
    except OSError:
        _put(2, os.O_WRONLY)
        with contextlib.suppress(OSError):
            sys.stderr.flush()


def discard_output() -> None:
    """Drop what could not be written, which the interpreter would try again at its end."""
    _put(1, os.O_WRONLY)
    with contextlib.suppress(OSError):
        sys.stdout.flush()


def to_error(error: OSError) -> MissingError:
    """Return a refusal of the system as an error for people."""
    reason = (error.strerror or str(error)).lower()
    if error.filename is not None:
        return MissingError(f"cannot use {os.fsdecode(error.filename)}: {reason}")
    if error.errno == errno.EBADF:
        reason = "it is closed"
    return MissingError(f"cannot write the answer: {reason}", hint="free some space, or send it elsewhere")


def _put(number: int, flags: int) -> None:
    null = os.open(os.devnull, flags)
    if null != number:
        os.dup2(null, number)
        os.close(null)
