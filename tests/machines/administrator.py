"""The commands that the page for administrators of batch systems shows."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/batch-administrator.md"


def command_of(word: str) -> str:
    """Return the one line of its shell blocks that has this word."""
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    (line,) = (line for block in blocks for line in block.splitlines() if word in line)
    return str(line)
