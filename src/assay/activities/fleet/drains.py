"""Nodes that an activity has drained, and the guard that gives them back where its process was killed."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from assay.machines.batch.drained import Drained
from assay.model.fleet import Drain
from assay.model.machines.machine import Machine

RESUMED_S = 120
"""A process that was killed is waited for so long to be resumed before its nodes are given back."""
_GUARD = 'read -r _; sleep "$1"; shift; exec "$@"'


class Drains(Drained):
    """Nodes that are drained while they are measured; a context that ends with all of them given back.

    Args:
        drain: By which batch system, and how.
        home: Folder of all state.
    """

    def __init__(self, drain: Drain, *, home: Path) -> None:
        super().__init__(drain, home=home)
        self._starting = threading.Lock()
        self._guard: subprocess.Popen[bytes] | None = None

    def take(self, machine: Machine) -> None:
        """Drain a machine's node (``Drained.take``); from then on it is guarded."""
        with self._starting:
            if self._guard is None:
                self._guard = _guard(self._home)
        super().take(machine)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        guard, self._guard = self._guard, None
        if guard is None or guard.stdin is None:
            return
        if not self._held:
            guard.kill()
        for note in self._held.values():  # what could not be given back is the guard's
            note.close()
        guard.stdin.close()
        if not self._held:
            guard.wait()


def _guard(home: Path) -> subprocess.Popen[bytes]:
    """Start what waits, in a session of its own, until this process has ended however that happens."""
    # -P: what lies in the caller's folder is no module of ours
    words = [sys.executable, "-P", "-m", "assay", "machine", "undrain"]
    return subprocess.Popen(
        ["/bin/sh", "-c", _GUARD, "sh", str(RESUMED_S), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={**os.environ, "ASSAY_HOME": str(home)},
        start_new_session=True,
    )
