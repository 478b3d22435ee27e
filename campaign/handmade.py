"""Hand-made mutants: what no tool changes (constants, tables, class bodies), and mistakes that were made before."""

from __future__ import annotations

import json
from pathlib import Path

from campaign.mutant import Mutant

FILE = Path(__file__).with_name("handmade.jsonl")


def listed(path: Path = FILE) -> list[Mutant]:
    """Return the kept list."""
    rows = [json.loads(line) for line in path.read_text().splitlines() if line]
    return [Mutant(row["file"], "", row["old"], row["new"]) for row in rows]


def applicable(tree: Path, folder: str, mutants: list[Mutant]) -> list[Mutant]:
    """Return those of a folder whose text stands exactly once in the file."""
    ours = [one for one in mutants if one.file.startswith(f"{folder}/") and (tree / one.file).exists()]
    return [one for one in ours if (tree / one.file).read_text().count(one.old) == 1]


def applied(source: str, mutant: Mutant) -> str:
    """Return the source with the mistake."""
    return source.replace(mutant.old, mutant.new, 1)
