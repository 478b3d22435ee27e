"""A mutant: one mistake in one place, named by what it changes."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """One mistake.

    Attributes:
        file: Source file, relative to the tree.
        function: Function that holds it, as ``Class.method``; empty for a hand-made one.
        old: What stands there: the whole function, or the text that is replaced.
        new: What it becomes.
        switch: Name that turns it on in the mutated source; empty for a hand-made one.
    """

    file: str
    function: str
    old: str
    new: str
    switch: str = ""

    @property
    def id(self) -> str:
        """Return its name: another one as soon as the function or the change is another."""
        told = f"{self.file}\0{self.function}\0{self.old}\0{self.new}"
        return hashlib.sha256(told.encode()).hexdigest()[:12]

    @property
    def change(self) -> str:
        """Return the lines that differ, removed ones first."""
        lines = difflib.ndiff(self.old.splitlines(), self.new.splitlines())
        return "\n".join(line.rstrip() for line in lines if line[:1] in "+-")


def drawn(mutants: Iterable[Mutant], most: int, *, seed: int) -> list[Mutant]:
    """Return a sample in the order of its drawing.

    The order is that of a keyed digest of the names: a mutant of an unchanged function keeps its place
    whatever else changes, and the first of a sample are a smaller sample.
    """

    def place(mutant: Mutant) -> str:
        return hashlib.sha256(f"{seed} {mutant.id}".encode()).hexdigest()

    return sorted({mutant.id: mutant for mutant in mutants}.values(), key=place)[:most]
