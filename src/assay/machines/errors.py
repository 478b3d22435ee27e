"""What can go wrong at a machine's door."""

from __future__ import annotations

from collections.abc import Sequence

from assay.model.errors import AssayError, Exit


class UnreachableError(AssayError):
    """A machine cannot be reached, or was lost on the way; nothing was retried."""

    exit_code = Exit.UNREACHABLE

    def __init__(self, message: str, *, machine: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.machine = machine


class HostKeyError(UnreachableError):
    """A machine shows a host key that is not known, or not the one that is known.

    Args:
        message: What was refused, with the fingerprint shown.
        machine: Name of the machine.
        changed: Another key is known for it; ``False`` where none is.
        hint: How to verify and accept the key.
    """

    def __init__(self, message: str, *, machine: str, changed: bool, hint: str | None = None) -> None:
        super().__init__(message, machine=machine, hint=hint)
        self.changed = changed


class TimedOutError(UnreachableError):
    """A machine did not answer in time; it may still be at work on what it was asked."""


class TooMuchError(UnreachableError):
    """A machine says more than any answer takes; nobody listens to it any more."""


def silent(program: str, machine: str, timeout_s: float) -> TimedOutError:
    """Return the error of a program that has not answered; no time where the caller waited before."""
    when = f"within {timeout_s:g} s" if timeout_s else "in time"
    return TimedOutError(f"cannot hear {program} on {machine}: no answer {when}", machine=machine)


def endless(argv: Sequence[str], machine: str, most_bytes: int) -> TooMuchError:
    """Return the error of a command that prints more than is read."""
    msg = f"cannot run '{argv[0]}' on {machine}: it prints more than {most_bytes >> 20} MiB"
    return TooMuchError(msg, machine=machine)


class CommandError(AssayError):
    """A command on a machine ended with another exit code than 0.

    Args:
        machine: Name of the machine.
        argv: The argument list.
        exit_code: As a shell gives it.
        stderr: The end of what it said.
    """

    exit_code = Exit.MISSING

    def __init__(self, machine: str, argv: Sequence[str], *, exit_code: int, stderr: str) -> None:
        last = stderr.strip().splitlines()[-1:] or ["it said nothing"]
        super().__init__(f"cannot run '{argv[0]}' on {machine}: exit code {exit_code}: {last[0]}")
        self.machine, self.argv, self.code, self.stderr = machine, tuple(argv), exit_code, stderr


class TransferError(AssayError):
    """A file or folder could not be copied to or from a machine: absent, not allowed, no space."""

    exit_code = Exit.MISSING
