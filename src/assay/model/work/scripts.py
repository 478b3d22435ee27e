"""Commands of the user's that set up, check, start and take down what trials need around them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """For which machine a command is.

    ``host`` is the baseline's machine for as long as the activity runs, ``baseline`` and ``treatment`` are
    where the trials run, for one visit.
    """

    HOST = "host"
    BASELINE = "baseline"
    TREATMENT = "treatment"


class Phase(StrEnum):
    """When a command runs: once its machine is open, right after that, before each trial, at the end."""

    SETUP = "setup"
    CHECK = "check"
    START = "start"
    TEARDOWN = "teardown"


TIME_LIMIT_S = 600.0


@dataclass(frozen=True)
class Scripts:
    """The commands of one role; an empty argument list is none.

    Attributes:
        role: For which machine.
        setup: Runs when it is opened.
        check: Runs after that; any exit code but 0 says that the environment is not as wanted.
        start: Runs before each trial.
        teardown: Runs at the end, whatever happened.
        inputs: Files and folders that are brought along.
        time_limit_s: Of each command.
    """

    role: Role
    setup: tuple[str, ...] = ()
    check: tuple[str, ...] = ()
    start: tuple[str, ...] = ()
    teardown: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    time_limit_s: float = TIME_LIMIT_S

    def command(self, phase: Phase) -> tuple[str, ...]:
        """Return the command of a phase; empty for none."""
        return {
            Phase.SETUP: self.setup,
            Phase.CHECK: self.check,
            Phase.START: self.start,
            Phase.TEARDOWN: self.teardown,
        }[phase]
