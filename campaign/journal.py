"""What a campaign has done so far: one line of JSON each, added as it comes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def rows(path: Path) -> list[dict[str, Any]]:
    """Return what is there; a line that was cut off is passed by."""
    found = []
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return [row for row in found if isinstance(row, dict)]


def add(path: Path, row: dict[str, Any]) -> None:
    """Add a line; one that was cut off is ended first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = not path.exists() or path.read_bytes()[-1:] in {b"", b"\n"}
    with path.open("a") as file:
        file.write(("" if whole else "\n") + json.dumps(row) + "\n")
