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
        command: Argument list of a workload; a word ``{data-files}`` becomes every file of the data.
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

    if FILES in command and data is None:
        raise _lacking(command[0], "data")
    files = data.files if data else ()
    return tuple(
        word
        for argument in command
        for word in (files if argument == FILES else (_PLACEHOLDER.sub(value, argument),))
    )


def _lacking(program: str, what: str) -> AssayError:
    does = {"server": "talks to", "chain": "runs"}.get(what, "reads")
    msg = f"cannot fill the command '{program}': it {does} {{{what}}}, and there is none"
    return AssayError(msg)
