"""What can go wrong between the controller and a probe that can be reached."""

from __future__ import annotations

from assay.model.errors import AssayError, Exit, MissingError


class ProbeError(AssayError):
    """The probe refused a request, or answered what the protocol does not know.

    Args:
        message: What it said.
        machine: Name of the machine.
        hint: The next thing to check.
    """

    exit_code = Exit.MISSING

    def __init__(self, message: str, *, machine: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.machine = machine


class ProgramMissingError(MissingError):
    """A machine lacks a program.

    Args:
        program: Its name or path.
        machine: Name of the machine.
        install: What to type there to install it; ``None`` where no package is known.
        engine: Another engine for containers that the machine has, where the program is one.
    """

    def __init__(
        self, program: str, machine: str, *, install: str | None = None, engine: str | None = None
    ) -> None:
        how = f"on {machine}: {install}" if install else "install its package there"
        there = f"{machine} has {engine}: engine: {engine}"
        super().__init__(
            f"cannot find the program '{program}' on {machine}",
            hint=there if engine else how if install else f"{how}, or ship it with --input",
        )
        self.program, self.machine = program, machine


class LostJobError(ProbeError):
    """A job's supervisor is gone and left no result: killed, or the machine was restarted."""


class OverdueError(ProbeError):
    """A job did not end within the time that its caller had for it; it still runs."""


class ResultError(AssayError):
    """A result cannot be read: absent, damaged, or of a protocol that is not known here."""
