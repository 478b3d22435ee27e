"""The placeholders of a command."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.model.errors import AssayError

_PLACEHOLDER = re.compile(r"\{(probe|directory|server)\}")


def fill(command: Sequence[str], *, probe: str, directory: str, server: str | None) -> tuple[str, ...]:
    """Return a command with ``{probe}``, ``{directory}`` and ``{server}`` replaced; other braces stay.

    Args:
        command: Argument list of a workload.
        probe: Path of the probe where the command runs.
        directory: The trial's scratch folder there.
        server: Address of the network peer; ``None`` where there is none.

    Raises:
        AssayError: the command talks to ``{server}`` and there is none.
    """
    values = {"probe": probe, "directory": directory, "server": server}

    def value(found: re.Match[str]) -> str:
        text = values[found[1]]
        if text is None:
            msg = f"cannot fill the command '{command[0]}': it talks to {{{found[1]}}}, and there is none"
            raise AssayError(msg)
        return text

    return tuple(_PLACEHOLDER.sub(value, word) for word in command)
