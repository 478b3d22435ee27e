"""What became of mutants, kept as it comes: one line of JSON each, the last of a mutant counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from campaign import journal
from campaign.mutant import Mutant

KILLED = frozenset({"killed", "timeout"})


@dataclass(frozen=True)
class Verdict:
    """What became of one mutant.

    Attributes:
        id: Name of the mutant.
        verdict: ``killed``, ``timeout`` (counts as killed), ``survived``, or ``unviable``, which does not
            compile.
        by: Test that failed; for a survivor how many tests ran.
        seconds: Processor time, or wall time where that is not known.
        commit: Commit of the tree that was judged.
    """

    id: str
    verdict: str
    by: str
    seconds: float
    commit: str

    @property
    def killed(self) -> bool:
        """Tell whether the tests noticed it."""
        return self.verdict in KILLED

    @property
    def counts(self) -> bool:
        """Tell whether it is a mistake that tests could notice."""
        return self.verdict != "unviable"


def kept(path: Path) -> dict[str, Verdict]:
    """Return the last verdict of each mutant; a line that was cut off is passed by."""
    names = {field.name for field in fields(Verdict)}
    told = (Verdict(**row) for row in journal.rows(path) if row.keys() == names)
    return {one.id: one for one in told}


def survivors_of(mutants: Iterable[Mutant], verdicts: Mapping[str, Verdict]) -> list[Mutant]:
    """Return the mutants that no test noticed."""
    judged = [one for one in mutants if one.id in verdicts and verdicts[one.id].counts]
    return [one for one in judged if not verdicts[one.id].killed]


def keep(path: Path, verdict: Verdict) -> None:
    """Add a verdict."""
    journal.add(path, asdict(verdict))
