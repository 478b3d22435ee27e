"""virtiofsd, the process that serves a folder to a guest: found by its command line.

Source: ``man 5 proc`` (``/proc/PID/cmdline``).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

_NAME = "virtiofsd"


def share_servers(proc: Path = Path("/proc")) -> tuple[tuple[str, ...], ...]:
    """Return the command lines of all virtiofsd of this machine."""
    return tuple(words for _, words in _found(proc))


def _found(proc: Path) -> Iterator[tuple[int, tuple[str, ...]]]:
    for folder in proc.glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_text(errors="replace").rstrip("\0").split("\0")
        except OSError:
            continue  # it has ended meanwhile
        if Path(words[0]).name == _NAME:
            yield int(folder.name), tuple(words)
