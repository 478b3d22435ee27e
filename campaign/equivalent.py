"""Mutants that no test can notice, each with the reason."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("equivalent.jsonl")


@dataclass(frozen=True)
class Equivalent:
    """A mutant that behaves as the original does.

    Attributes:
        id: Name of the mutant.
        where: File and function.
        why: The reason.
    """

    id: str
    where: str
    why: str


def listed(path: Path = FILE) -> dict[str, Equivalent]:
    """Return the kept list by name."""
    lines = path.read_text().splitlines() if path.exists() else []
    return {one.id: one for one in (Equivalent(**json.loads(line)) for line in lines if line)}
