"""Hand-made mutants: what no tool changes (constants, tables, class bodies), and mistakes that were made
before.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
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


@dataclass(frozen=True)
class Held:
    """A file of the private copy that hand-made mistakes are made in.

    Attributes:
        plain: Its text as it is in the checkout.
        mutated: Its text as it is in the copy, with all mutants that can be turned on.
    """

    plain: str
    mutated: str


def write_held(path: Path, held: Mapping[str, Held]) -> None:
    """Keep what stands in the copy, by file."""
    path.write_text(json.dumps({file: asdict(one) for file, one in held.items()}))


def read_held(path: Path) -> dict[str, Held]:
    """Return what was kept."""
    return {file: Held(**one) for file, one in json.loads(path.read_text()).items()}


def restore(held: Mapping[str, Held], tree: Path = Path()) -> None:
    """Take out a mistake that an interrupted campaign left in the copy."""
    for file, one in held.items():
        if (tree / file).read_text() != one.mutated:
            _put(tree / file, one.mutated)


@contextmanager
def in_place(mutant: Mutant, held: Mapping[str, Held], tree: Path = Path()) -> Iterator[None]:
    """Have a mistake in its file."""
    path, one = tree / mutant.file, held[mutant.file]
    _put(path, applied(one.plain, mutant))
    try:
        yield
    finally:
        _put(path, one.mutated)


def _put(path: Path, text: str) -> None:
    """Write a source; byte code of the same second and size would be taken for its own."""
    path.write_text(text)
    for cached in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
        cached.unlink()
