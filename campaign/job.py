"""What a process inside the private copy is asked to judge."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

from campaign.mutant import Mutant


@dataclass(frozen=True)
class Job:
    """What is to be judged.

    Attributes:
        room: Name of the room.
        folders: Folders of tests, the room's own first.
        selection: Which tests, as pytest's ``-m``.
        mutants: In the order of their drawing.
        map: Where the map is, or is to be.
        state: Where verdicts are kept.
        commit: Commit of the copy.
    """

    room: str
    folders: list[str]
    selection: str
    mutants: list[Mutant]
    map: Path
    state: Path
    commit: str

    def arguments(self, *more: str) -> list[str]:
        """Return the words for pytest."""
        words = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist"]
        return [*words, "-m", self.selection, "--basetemp", f"{tempfile.gettempdir()}/base", *more]


def read_job(path: Path) -> Job:
    """Return the job of a file."""
    told = json.loads(path.read_text())
    mutants = [Mutant(**one) for one in told.pop("mutants")]
    return Job(**{**told, "map": Path(told["map"]), "state": Path(told["state"])}, mutants=mutants)
