"""What stands in for machines in tests of activities: doors and probes that note what they are asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from assay.activities.visits.visit import Visit
from assay.model.errors import AssayError
from assay.model.machines.clock import ClockReading
from assay.model.machines.machine import Facts, Fingerprint, Limits, Machine
from assay.model.work.workload import File, Program
from assay.probe import ProgramMissingError
from tests.builders import FACTS

SEEN = Fingerprint(FACTS, {}, 5)
FAR = "/far"
"""Our folder on a machine that is not there."""


class Door:
    """A door that runs nothing: it notes commands and copies, and answers with what it was told to.

    Args:
        answers: What commands print that start with these words, or how they fail; all others print nothing.
    """

    batch_job: str | None = None

    def __init__(
        self, answers: Mapping[str, str | bytes | AssayError] | None = None, name: str = "far"
    ) -> None:
        self.answers, self.name, self.folder = dict(answers or {}), name, FAR
        self.ran: list[tuple[str, ...]] = []
        self.sent: list[tuple[Path, str]] = []
        self.closed = 0

    def run(self, argv: Sequence[str], *, timeout_s: float) -> bytes:
        assert timeout_s > 0, "each call ends in bounded time"
        self.ran.append(tuple(argv))
        line = " ".join(argv)
        fitting = [start for start in self.answers if line.startswith(start)]
        answer = self.answers[max(fitting, key=len)] if fitting else ""
        if isinstance(answer, AssayError):
            raise answer
        return answer if isinstance(answer, bytes) else answer.encode()

    def open(self, argv: Sequence[str]) -> str:
        """Return what would talk with a program."""
        return f"channel to {' '.join(argv)}"

    def put(self, here: Path, there: str, *, executable: bool = False) -> None:
        del executable
        self.sent.append((here, there))

    def close(self) -> None:
        self.closed += 1


class Probe:
    """A probe that sees facts one after the other, the last for good, and has programs by name."""

    def __init__(self, *facts: Facts, programs: Sequence[str] = (), groups: Mapping[str, Any] | None = None):
        self.seen, self.programs, self.groups = list(facts or (FACTS,)), programs, groups or {}
        self.asked: list[str] = []
        self.removed: list[str] = []
        self.made: list[str] = []
        self.claims: list[Mapping[str, Any]] = []
        self.closed = 0

    def facts(self) -> Facts:
        return self.seen.pop(0) if len(self.seen) > 1 else self.seen[0]

    def fingerprint(self) -> Fingerprint:
        return Fingerprint(self.facts(), self.groups, 5)

    def find(self, program: str) -> str:
        self.asked.append(program)
        if program not in self.programs:
            raise ProgramMissingError(program, "far")
        return f"/bin/{program}"

    def digest(self, program: str, script: str | None = None, known: object = None) -> Program:
        return Program(File(program, self.find(program), f"sum of {program}"))

    def remove(self, path: str) -> None:
        self.removed.append(path)

    def make(self, path: str) -> None:
        self.made.append(path)

    def claim(self, by: Mapping[str, Any]) -> None:
        self.claims.append(by)

    def compare_clock(self) -> ClockReading:
        return ClockReading(0, 0, 0.0, 0.0)

    def close(self) -> None:
        self.closed += 1


class Watcher:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.warned: list[str] = []

    def warn(self, sentence: str) -> None:
        self.warned.append(sentence)

    def step(self, text: str, *, fraction: float | None = None) -> None:
        assert fraction is None or 0 <= fraction <= 1
        self.steps.append(text)


def visit_at(door: Any, probe: Any = None, **changes: Any) -> Visit:
    """Return a visit behind a door."""
    fields: dict[str, Any] = {
        "machine": door.name, "probe": cast("Any", probe), "put": door.put, "run": door.run,
        "limits": Limits(), "fingerprint": SEEN, "boot": "boot", "directory": f"{door.folder}/0123abcd",
        "own_clock": False,
    }  # fmt: skip
    return Visit(**(fields | changes))


def unreachable(machine: Machine) -> AssayError:
    """Return the error of a machine that was lost."""
    from assay.machines import UnreachableError

    return UnreachableError(f"cannot reach {machine.name}", machine=machine.name)
