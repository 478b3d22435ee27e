"""The door to a place on this machine that has its files, but not its processes: a container."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from assay.machines.errors import TimedOutError
from assay.machines.local import LocalDoor
from assay.machines.pipe import PipeChannel

Enclose = Callable[[Sequence[str]], Sequence[str]]
"""Makes of an argument list in the place the argument list that runs it there from here, with its standard
files.
"""
GREETING_S = 60.0
"""A kernel that boots in a process takes two seconds to its greeting, on a busy machine many more."""


class InsideDoor(LocalDoor):
    """A place whose ``folder`` is one of this machine, under the same path; the treaty is ``probe.Door``'s.

    Files come and go as on the machine itself; what is started is started inside.

    Args:
        name: Name of the place.
        folder: Our folder, here and there.
        enclose: How a program is started there.
        greeting: Line that the place says before it can hear; ``None`` where it hears from the start.
    """

    def __init__(self, name: str, folder: Path, enclose: Enclose, *, greeting: bytes | None = None) -> None:
        super().__init__(name, folder)
        self._enclose, self._greeting = enclose, greeting

    def run(self, argv: Sequence[str], *, timeout_s: float) -> bytes:
        """Run a command inside to its end; raises as ``LocalDoor.run``."""
        return super().run(self._enclose(argv), timeout_s=timeout_s)

    def open(self, argv: Sequence[str]) -> PipeChannel:
        """Start a program inside and talk with it line by line; raises as ``LocalDoor.open``.

        Raises:
            UnreachableError: The place ended, or did not greet in time.
        """
        channel = super().open(self._enclose(argv))
        if self._greeting is not None:
            self._hear(channel, self._greeting)
        return channel

    def _hear(self, channel: PipeChannel, greeting: bytes) -> None:
        """Read what a kernel says while it boots, up to the greeting."""
        deadline = time.monotonic() + GREETING_S
        while channel.receive(max(0.0, deadline - time.monotonic())).strip() != greeting:
            if time.monotonic() > deadline:
                msg = f"cannot enter {self.name}: no greeting within {GREETING_S:g} s"
                raise TimedOutError(msg, machine=self.name)
