"""A place: namespaces of their own on this machine, by ``unshare``."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from assay.factors import Words
from assay.places import Given, Opened, PlaceDefinition, VisitSpec

_KINDS = {"unshare.net": "net", "unshare.ipc": "ipc"}
"""The kernel's name of a namespace by the factor that sets it."""


def _needs(_levels: Given) -> str | None:
    if shutil.which("unshare") is None:
        return "it needs the program 'unshare' (package util-linux)"
    return None if os.geteuid() == 0 else "only root can make namespaces"


def _open(spec: VisitSpec) -> Opened:
    version = subprocess.run(["unshare", "--version"], capture_output=True, text=True, check=True).stdout
    own = [f"--{_KINDS[name]}" for name, level in spec.levels.items() if level == "own"]

    def enter(argv: Sequence[str]) -> Sequence[str]:
        return [
            "unshare",
            "--pid",
            "--fork",
            "--kill-child",
            "--mount-proc",
            *own,
            "--",
            "env",
            _mark(spec),
            *argv,
        ]

    return Opened(version, enter)


def _mark(spec: VisitSpec) -> str:
    """Return a word by which the ``unshare`` of a visit is known among all others."""
    return f"PLACE={spec.name}"


def _pids(spec: VisitSpec) -> list[int]:
    """Return the processes of ``unshare`` that have it; others may look for that word, as ``pgrep`` does."""
    pids = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if words[0] == b"unshare" and _mark(spec).encode() in words:
                pids.append(int(folder.name))
    return pids


def _seen(spec: VisitSpec) -> Given:
    (pid,) = _pids(spec)
    return {name: _level(pid, kind) for name, kind in _KINDS.items()}


def _level(pid: int, kind: str) -> str:
    there, here = (os.readlink(f"/proc/{one}/ns/{kind}") for one in (pid, "self"))
    return "host" if there == here else "own"


def _remove(spec: VisitSpec) -> None:
    """End ``unshare``: the first process of the namespaces ends with it, and all others in them with that."""
    for pid in _pids(spec):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


_HOST_OR_OWN = Words(("host", "own"))
NAMESPACES = PlaceDefinition(
    "namespaces",
    "namespaces by unshare",
    _open,
    _seen,
    _remove,
    factors=dict.fromkeys(_KINDS, _HOST_OR_OWN),
    needs=_needs,
)
