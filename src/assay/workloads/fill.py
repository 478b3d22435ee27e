"""The placeholders of a command."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.model.errors import AssayError

if TYPE_CHECKING:
    from assay.model.platforms.data import DataPlace

_PLACEHOLDER = re.compile(r"\{(probe|chain|directory|server|data|pack)\}")
FILES = "{data-files}"
"""A word of its own that stands for as many words as the data have files."""
_PART = re.compile(r"\{data-files(?::(\d+)/(\d+))?\}")
"""With two numbers: only for those files that the first of so many guests has, counted from 0."""


def part_of_files(command: Sequence[str], number: int, parts: int) -> tuple[str, ...]:
    """Return a command that takes one of several equal parts of the data's files.

    Args:
        command: Argument list of a workload.
        number: Which part, from 0.
        parts: How many there are, all with as many files.
    """
    return tuple(f"{FILES[:-1]}:{number}/{parts}}}" if word == FILES else word for word in command)


def fill(  # noqa: PLR0913 - a value for each word
    command: Sequence[str],
    *,
    probe: str,
    directory: str,
    server: str | None,
    data: DataPlace | None = None,
    chain: str | None = None,
    pack: str | None = None,
) -> tuple[str, ...]:
    """Return a command with ``{probe}``, ``{chain}``, ``{directory}``, ``{server}``, ``{data}`` and
    ``{pack}`` replaced.

    Other braces stay.

    Args:
        command: Argument list of a workload; a word ``{data-files}`` becomes every file of the data, one with
            a part (``part_of_files``) the files of that.
        probe: Path of the probe where the command runs.
        directory: The trial's scratch folder there.
        server: Address of the network peer; ``None`` where there is none.
        data: Where the data are for it; ``None`` where there are none.
        chain: Path of the reference chain there; ``None`` where the command does not run it.
        pack: Folder of its pack; ``None`` where it has none, and the word stays as it is.

    Raises:
        AssayError: the command talks to ``{server}`` or reads ``{data}`` and there is none.
    """
    values = {"probe": probe, "chain": chain, "directory": directory, "server": server}
    values["data"] = data.root if data else None

    def value(match: re.Match[str]) -> str:
        if match[1] == "pack":
            return pack or match[0]
        text = values[match[1]]
        if text is None:
            raise _lacking(command[0], match[1])
        return text

    def words(argument: str) -> Sequence[str]:
        if (part := _PART.fullmatch(argument)) is None:
            return (_PLACEHOLDER.sub(value, argument),)
        if data is None:
            raise _lacking(command[0], "data")
        return data.files if part[2] is None else data.files[int(part[1]) :: int(part[2])]

    return tuple(word for argument in command for word in words(argument))


def _lacking(program: str, what: str) -> AssayError:
    does = {"server": "talks to", "chain": "runs"}.get(what, "reads")
    msg = f"cannot fill the command '{program}': it {does} {{{what}}}, and there is none"
    return AssayError(msg)
