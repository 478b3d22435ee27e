"""The door to a hypervisor, as far as its guests need it; ``machines`` makes such doors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from assay.model.machines.machine import Machine


class Held(Protocol):
    """A program that runs over there until it is closed or the connection is lost."""

    def receive(self, timeout_s: float) -> bytes:
        """Return the next line that it prints."""

    def close(self) -> None:
        """End its input and see it end."""


class RemoteDoor(Protocol):
    """The treaty is ``probe.Door``'s; a door to a machine by SSH knows two things more."""

    @property
    def name(self) -> str:
        """Name of the machine."""

    def size(self, there: str) -> int | None:
        """Return the bytes of a regular file, or ``None`` if there is none."""

    def put(self, here: Path, there: str, *, executable: bool = False) -> None:
        """Copy a file or folder; parents are made, permission bits kept."""

    def run(self, argv: Sequence[str], *, timeout_s: float) -> bytes:
        """Run a command to its end and return its standard output; raise on any exit code but 0."""

    def open(self, argv: Sequence[str]) -> Held:
        """Start a program and talk with it."""

    def greets(self, port: int, patience_s: float) -> bool:
        """Tell whether an SSH server answers at a port of its 127.0.0.1 within so many seconds."""

    def login(self) -> Machine:
        """Return how it was reached, with the host key that it proved."""
