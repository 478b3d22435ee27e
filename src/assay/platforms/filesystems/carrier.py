"""The process that carries a mounted file system, where one does: its number lies beside the mount's folder.

Source: ``man 8 glusterfs`` (``--pid-file``).
"""

from __future__ import annotations

import os
from pathlib import Path

from assay.platforms.process import ProcessMark, gone_within, process_mark, stop_process

_GOING_S = 1.0
"""One whose server answers has ended by then."""


def number_file(point: str | Path) -> str:
    """Return where a process that carries the mount at a folder is to write its number."""
    return f"{point}.pid"


def carrier_of(point: str | Path) -> ProcessMark | None:
    """Return the process that carries the mount at a folder; ``None`` where there is none, or the number in
    the file is another process's by now.
    """
    file = Path(number_file(point))
    try:
        number = int(file.read_text())
        words = Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
        mark = process_mark(number)
    except (OSError, ValueError):
        return None
    said = (os.fsdecode(word).partition("=")[2] for word in words if word.startswith(b"--pid-file="))
    return mark if any(Path(one).resolve() == file.resolve() for one in said) else None


def end_carrier(point: Path) -> None:
    """End the process that carried a mount which is gone: without its server it may wait long, and until its
    end nobody else can note a number there.
    """
    mark = carrier_of(point)
    if mark is not None and not gone_within(mark, _GOING_S):
        stop_process(mark)
