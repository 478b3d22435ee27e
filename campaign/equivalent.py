"""Mutants that no test can notice, each with the reason."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from campaign.mutant import Mutant

FILE = Path(__file__).with_name("equivalent.jsonl")


@dataclass(frozen=True)
class Equivalent:
    """A mutant that behaves as the original does.

    Attributes:
        file: Source file, relative to the tree.
        function: Function that holds it, as ``Class.method``.
        old: What stands there.
        new: What it becomes; empty where it is left out.
        why: The reason.
    """

    file: str
    function: str
    old: str
    new: str
    why: str

    def is_that(self, mutant: Mutant) -> bool:
        """Tell whether a mutant is this one: the function with one ``old`` replaced, wherever in it."""
        if (mutant.file, mutant.function) != (self.file, self.function):
            return False
        parts = mutant.old.split(self.old)
        made = (
            self.old.join(parts[:at]) + self.new + self.old.join(parts[at:]) for at in range(1, len(parts))
        )
        return mutant.new in made


def listed(path: Path = FILE) -> list[Equivalent]:
    """Return the kept list."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [Equivalent(**json.loads(line)) for line in lines if line]


def among(mutants: Iterable[Mutant], known: Sequence[Equivalent] | None = None) -> list[str]:
    """Return the names of the mutants that are equivalent."""
    every = listed() if known is None else known
    return [mutant.id for mutant in mutants if any(one.is_that(mutant) for one in every)]
