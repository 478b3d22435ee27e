"""A place: namespaces of their own on this machine, by ``unshare``."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence

from assay.factors import Words
from assay.places import Given, Opened, PlaceDefinition, VisitSpec

_WRITE_PID = 'echo $$ > "$1"; shift; exec "$@"'
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
        pid_file = str(spec.folder / "pid")
        return ["sh", "-c", _WRITE_PID, "sh", pid_file, "unshare", "--uts", *own, "--", *argv]

    return Opened(version, enter)


def _seen(spec: VisitSpec) -> Given:
    pid = int((spec.folder / "pid").read_text())
    return {name: _level(pid, kind) for name, kind in _KINDS.items()}


def _level(pid: int, kind: str) -> str:
    there, here = (os.readlink(f"/proc/{one}/ns/{kind}") for one in (pid, "self"))
    return "host" if there == here else "own"


def _remove(_spec: VisitSpec) -> None:
    """Do nothing: the kernel removes namespaces with their last process."""


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
