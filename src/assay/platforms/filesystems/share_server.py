"""virtiofsd, the process that serves a folder to a guest: found by its command line.

Source: ``man 5 proc`` (``/proc/PID/cmdline``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_NAME = "virtiofsd"


@dataclass(frozen=True)
class ShareServer:
    """One virtiofsd.

    Attributes:
        pid: Its number.
        words: Its command line.
    """

    pid: int
    words: tuple[str, ...]


def share_servers(proc: Path = Path("/proc")) -> tuple[ShareServer, ...]:
    """Return all virtiofsd of this machine, by number."""
    return tuple(sorted(_servers(proc), key=lambda server: server.pid))


def _servers(proc: Path) -> Iterator[ShareServer]:
    for folder in proc.glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_text(errors="replace").rstrip("\0").split("\0")
        except OSError:
            continue  # it has ended meanwhile
        if Path(words[0]).name == _NAME:
            yield ShareServer(int(folder.name), tuple(words))
