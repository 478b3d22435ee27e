"""Whether all trials of an arm run the same program: one that is changed meanwhile would be mixed in without
a word.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.model.trial import Arm, PlannedTrial, Trial
from assay.model.work.workload import File, Program


class Programs:
    """What the first trial of each arm and workload ran."""

    def __init__(self) -> None:
        self._first: dict[tuple[Arm, int, str, int], Program] = {}

    def note(self, trial: Trial) -> None:
        """Take up what a trial ran; the first of its kind counts. One whose preparation failed ran nothing of
        it.
        """
        if trial.program is not None and trial.usage is not None:
            self._first.setdefault(_key(trial.planned), trial.program)

    def faults(self, planned: PlannedTrial, program: Program, *, machine: int = 0) -> Iterator[str]:
        """Yield what of a trial's program is not what it was in the first trial of its kind.

        Args:
            planned: The trial.
            program: What it ran.
            machine: On which of an arm's machines, from 0: each has programs of its own.
        """
        first = self._first.setdefault(_key(planned, machine), program)
        then = {file.name: file for file in _files(first)}
        now = {file.name: file for file in _files(program)}
        for name in dict.fromkeys((*then, *now)):
            if name not in then and ".so" not in name:
                continue  # the script of an interpreter, which records of an earlier assay do not have
            was, current = (files[name].sha256[:12] if name in files else "none" for files in (then, now))
            if was != current:
                path = (now.get(name) or then[name]).path
                yield f"its program changed in mid-activity: {path} was {was}, is {current} (SHA-256)"


def _key(planned: PlannedTrial, machine: int = 0) -> tuple[Arm, int, str, int]:
    return planned.arm, planned.level, planned.workload, machine


def _files(program: Program) -> tuple[File, ...]:
    return program.executable, *program.libraries
