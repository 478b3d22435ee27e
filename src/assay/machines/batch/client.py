"""Client programs of a batch system, called in bounded time."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass

from assay.machines.batch.engine import EngineError
from assay.model.errors import MissingError
from assay.model.files.program import run_program

ANSWER_S = 30.0
"""A system that has not answered by then is taken for lost."""


@dataclass(frozen=True)
class Client:
    """How the client programs of a batch system are called.

    Attributes:
        system: Its name in messages.
        package: What brings them, for a hint.
        state: A command that tells how the system is, for a hint.
    """

    system: str
    package: str
    state: str

    def ask(self, *words: str, given: str = "") -> str:
        """Return what a program prints.

        Args:
            words: The program and its arguments.
            given: Its standard input.

        Raises:
            MissingError: The program is not here.
            EngineError: It fails, with its last lines, or does not end within ``ANSWER_S``.
        """
        try:
            ended = run_program(words, stdin=given.encode(), timeout_s=ANSWER_S)
        except FileNotFoundError as error:
            msg = f"cannot reach {self.system}: there is no {words[0]} here"
            raise MissingError(msg, hint=f"{self.package}; or run assay on a submit host") from error
        except subprocess.TimeoutExpired as error:
            msg = f"cannot reach {self.system}: no answer to {words[0]} within {ANSWER_S:g} s"
            raise EngineError(msg, hint=self.state) from error
        if ended.code:
            said = "; ".join(_told(words[0], ended.stderr)) or "it said nothing"
            msg = f"cannot use {words[0]} of {self.system}: {said}"
            raise EngineError(msg, hint=self.state)
        return ended.text

    def unreadable(self, said: str, program: str) -> EngineError:
        """Return the error for what a program says and nobody can read."""
        return EngineError(f"cannot read what {program} of {self.system} says: {said[:120]!r}")


def _told(program: str, errors: str) -> list[str]:
    """Return the last lines that a program said, without the words before them that each of them has."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    for word in (f"{program}: ", "error: ", "ERROR: "):
        lines = [line.removeprefix(word) for line in lines]
    return lines[-2:]
