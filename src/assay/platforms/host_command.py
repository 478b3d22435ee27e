"""A program of this host, run to its end in the environment of the system, whatever the user's is."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence

from assay.model.errors import MissingError
from assay.model.files.program import SHORT_S, Ended, run_program
from assay.platforms.errors import PlatformError
from assay.platforms.process import PATH

__all__ = ["ENVIRONMENT", "HOUR_S", "Ended", "ask", "host_command", "run"]

ENVIRONMENT = {"PATH": PATH, "LC_ALL": "C.UTF-8"}
"""What programs say is read here: untranslated."""
HOUR_S = 3600.0
"""For what writes a whole disk."""


def run(
    argv: Sequence[str],
    *,
    stdin: bytes = b"",
    timeout_s: float = SHORT_S,
    variables: Mapping[str, str] = ENVIRONMENT,
) -> Ended:
    """Run a program to its end; one that does not come to it is killed.

    Args:
        argv: Program, looked up in the folders of the system, and arguments.
        stdin: What it reads.
        timeout_s: Seconds that it may take.
        variables: Its environment; ``os.environ`` where it goes by the user's own configuration.

    Raises:
        FileNotFoundError: It is not installed.
        subprocess.TimeoutExpired: It did not end in time.
    """
    return run_program(argv, stdin=stdin, timeout_s=timeout_s, variables=variables)


def host_command(
    argv: Sequence[str],
    cannot: str,
    *,
    missing: str,
    hint: str,
    stdin: bytes = b"",
    timeout_s: float = SHORT_S,
) -> str:
    """Run a program that has to succeed, and return what it prints.

    Args:
        argv: As for ``run``.
        cannot: What fails with it, as a message begins: ``cannot make the guest's disk: /d.qcow2``.
        missing: What to do where it is not installed.
        hint: What to do where it fails.
        stdin: As for ``run``.
        timeout_s: As for ``run``.

    Raises:
        MissingError: It is not installed.
        PlatformError: It failed, then its own words are in the message; or it did not end in time.
    """
    try:
        ended = run(argv, stdin=stdin, timeout_s=timeout_s)
    except FileNotFoundError as error:
        msg = f"{cannot}: {argv[0]} is not installed"
        raise MissingError(msg, hint=missing) from error
    except subprocess.TimeoutExpired as error:
        msg = f"{cannot}: {argv[0]} has not ended after {timeout_s:g} s"
        raise PlatformError(msg, hint="dmesg | tail") from error
    if ended.code:
        msg = f"{cannot}: {argv[0]} says: {ended.words}"
        raise PlatformError(msg, hint=hint)
    return ended.text


def ask(
    argv: Sequence[str], *, timeout_s: float = SHORT_S, variables: Mapping[str, str] = ENVIRONMENT
) -> str | None:
    """Return what a program answered; ``None`` where it is not there, failed or did not end in time."""
    try:
        ended = run(argv, timeout_s=timeout_s, variables=variables)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if ended.code else ended.text
