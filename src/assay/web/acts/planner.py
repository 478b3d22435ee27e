"""Plans in less time than Python takes to read the planner."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress

from assay.model.files.program import Ended

IDLE_S = 300.0
"""A process that waits for the next plan is ended after this."""


class Planner:
    """Runs commands of ``assay``, and has the next one's process read its modules before it is asked for.

    Args:
        variables: Environment of each.
    """

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = dict(variables)
        self._lock = threading.Lock()
        self._waiting: subprocess.Popen[bytes] | None = None
        self._timer: threading.Timer | None = None

    def run(self, words: Sequence[str], *, timeout_s: float) -> Ended:
        """Run a command to its end; one that does not come to it is killed.

        Args:
            words: Arguments of ``assay``.
            timeout_s: Seconds that it may take.

        Raises:
            subprocess.TimeoutExpired: It did not end in time.
        """
        process = self._taken() or self._begun()
        with process:
            try:
                out, err = process.communicate(f"{json.dumps(words)}\n".encode(), timeout=timeout_s)
            except BaseException:
                process.kill()
                raise
        with suppress(OSError):  # no process more, say: the next one begins when it is asked for
            self._keep(self._begun())
        return Ended(out, err.decode(errors="replace"), process.returncode)

    def close(self) -> None:
        """End the process that waits."""
        if (process := self._taken()) is not None:
            _end(process)

    def _taken(self) -> subprocess.Popen[bytes] | None:
        with self._lock:
            process, self._waiting = self._waiting, None
            if self._timer is not None:
                self._timer.cancel()
        if process is None or process.poll() is None:
            return process
        _end(process)
        return None

    def _keep(self, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            unwanted, self._waiting = self._waiting, process
            if self._timer is not None:
                self._timer.cancel()
            self._timer = threading.Timer(IDLE_S, self.close)
            self._timer.daemon = True
            self._timer.start()
        if unwanted is not None:
            _end(unwanted)

    def _begun(self) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "assay.cli.ahead"], stdin=pipe, stdout=pipe, stderr=pipe,
            env=self._variables,
        )  # fmt: skip


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process that has done nothing yet, and close what it was asked by."""
    with process:
        process.kill()
