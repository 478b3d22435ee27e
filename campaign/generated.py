"""Mutants of functions, made by mutmut: all of a file in one source, each turned on by its name."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from campaign.mutant import Mutant

if TYPE_CHECKING:
    from mutmut.mutation.file_mutation import MutatedFile


@dataclass(frozen=True)
class Mutated:
    """A source with all its mutants.

    Attributes:
        file: Source file, relative to the tree.
        code: The source that holds them all.
        mutants: What can be turned on in it.
    """

    file: str
    code: str
    mutants: tuple[Mutant, ...]


def module_of(file: str) -> str:
    """Return the module's name as Python imports it."""
    parts = Path(file).with_suffix("").parts
    return ".".join(part for part in parts if part not in {"src", "__init__"})


def mutated(tree: Path, folder: str) -> list[Mutated]:
    """Return the mutated sources below a folder of a tree.

    A file that no import can name, as a migration, is loaded by its path under a name of the loader's, where
    none of its mutants can be turned on: it is left to those made by hand.
    """
    files = sorted(path for path in (tree / folder).rglob("*.py") if path.stem.isidentifier())
    return [mutate(path.read_text(), str(path.relative_to(tree))) for path in files]


def mutate(source: str, file: str) -> Mutated:
    """Return a source with all its mutants."""
    from mutmut.mutation.file_mutation import mutate_file_contents

    made = mutate_file_contents(file, source)
    return Mutated(file, made.code, tuple(_mutants(made, file)))


def _mutants(made: MutatedFile, file: str) -> Iterator[Mutant]:
    lines = made.code.splitlines()

    def text(name: str) -> str:
        span = made.line_span_by_function_name[name]
        body = "\n".join(lines[span.start - 1 : span.end])
        return textwrap.dedent(body).strip().replace(name, readable(name), 1)

    for name in made.mutant_names:
        original = text(name.rpartition("__mutmut_")[0] + "__mutmut_orig")
        yield Mutant(file, readable(name), original, text(name), f"{module_of(file)}.{name}")


def readable(name: str) -> str:
    """Return the function that a switch belongs to, as ``Class.method``."""
    plain = name.rpartition("__mutmut")[0].rpartition(".")[2]
    return ".".join(plain[2:].split("ǁ")) if plain.startswith("xǁ") else plain.removeprefix("x_")
