"""The audit log: who asked for what, and what came of it; one line of JSON each, only ever appended."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from assay.web.access.person import Person

FILE = "audit.jsonl"
_LONG = 200
"""Longest text of a field that is written down; a scene's is kept with the scene."""


class Audit:
    """A site's audit log.

    Args:
        folder: Where it lies; made where it is not there.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE

    def write(
        self, person: Person, act: BaseModel, *, code: int | None = None, refused: str | None = None
    ) -> None:
        """Write a request down.

        Args:
            person: Who asked.
            act: For what.
            code: Exit code of its command; ``None`` while it goes on, and where it was refused.
            refused: Why it was; ``None`` where it was not.
        """
        asked = {name: _short(value) for name, value in act.model_dump(exclude_defaults=False).items()}
        when = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = {"at": when, "who": person.name, "role": person.role.word, "asked": asked, "code": code}
        self._append(line if refused is None else {**line, "refused": refused})

    def _append(self, line: dict[str, Any]) -> None:
        self.path.parent.mkdir(mode=0o700, exist_ok=True)
        text = json.dumps(line, ensure_ascii=True) + "\n"
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            os.write(file, text.encode())
        finally:
            os.close(file)

    def newest(self, most: int) -> Iterator[dict[str, Any]]:
        """Yield the newest entries, the newest first; none where nothing was written."""
        try:
            lines = self.path.read_text(errors="replace").splitlines()[-most:]
        except FileNotFoundError:
            return
        for line in reversed(lines):
            yield json.loads(line)


def _short(value: object) -> object:
    return f"{value[:_LONG]}…" if isinstance(value, str) and len(value) > _LONG else value
