"""The audit log: who asked for what, and what came of it; one line of JSON each, only ever appended."""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel

from assay.web.access.person import Person

FILE = "audit.jsonl"
TAIL_BYTES = 1 << 20
"""Of the end of the log that is read for a page."""
_LONG = 200
"""Longest text of a field that is written down; a scene's is kept with the scene."""


@dataclass(frozen=True)
class LogLine:
    """An entry of the audit log, for people.

    Attributes:
        at: When, ISO 8601 in UTC.
        who: Who asked.
        subject: The provider's own name for them; ``None`` where nobody signed in.
        role: What they were; ``None`` for nothing.
        what: What they asked for.
        fields: Its fields that were given.
        outcome: What came of it.
    """

    at: str
    who: str
    subject: str | None
    role: str | None
    what: str
    fields: tuple[tuple[str, str], ...]
    outcome: str


class Log(Protocol):
    """An audit log that can be read."""

    def newest(self, person: Person, most: int) -> list[LogLine]:
        """Return the newest entries, the newest first.

        Args:
            person: Who wants to read them: an admin.
            most: How many.
        """
        ...


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
            code: Exit code of its command; ``None`` before it begins, and where it was refused.
            refused: Why it was; ``None`` where it was not.
        """
        asked = {name: _short(value) for name, value in act.model_dump(exclude_defaults=False).items()}
        line = {**_who(person.name, person.role.word, person.subject), "asked": asked, "code": code}
        self._append(line if refused is None else {**line, "refused": refused})

    def note(self, who: str, role: str | None, event: str, *, subject: str | None = None) -> None:
        """Write down that somebody came or went."""
        self._append({**_who(who, role, subject), "event": event})

    def note_command(self, who: str, kind: str, **fields: str) -> None:
        """Write down what a user of this machine has done by a command of ``assay``, with its fields."""
        self._append({**_who(who, None, None), "asked": {"kind": kind, **fields}, "code": 0})

    def _append(self, line: dict[str, Any]) -> None:
        self.path.parent.mkdir(mode=0o700, exist_ok=True)
        text = json.dumps(line, ensure_ascii=True) + "\n"
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            written = os.write(file, text.encode())  # in one piece, behind what others wrote (O_APPEND)
            if written < len(text):  # all of it is ASCII
                with contextlib.suppress(OSError):
                    os.write(file, b"\n")
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
        finally:
            os.close(file)

    def newest(self, person: Person, most: int) -> list[LogLine]:  # noqa: ARG002 - asked for by who may
        """Return the newest entries, the newest first; as ``Log``."""
        return [_line(one) for one in self._entries(most)]

    def _entries(self, most: int) -> Iterator[dict[str, Any]]:
        """Yield entries, the newest first; a line that a full disk has cut off is left out."""
        try:
            with self.path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - TAIL_BYTES))
                lines = file.read().decode(errors="replace").splitlines()
        except FileNotFoundError:
            return
        for line in [*reversed(lines)][:most]:
            try:
                yield json.loads(line)
            except ValueError:
                continue


def _who(name: str, role: str | None, subject: str | None) -> dict[str, Any]:
    when = datetime.now(UTC).isoformat(timespec="milliseconds")
    line = {"at": when, "who": name, "role": role}
    return line if subject is None else {**line, "subject": subject}


def _line(entry: Mapping[str, Any]) -> LogLine:
    asked = dict(entry.get("asked") or {})
    kind = asked.pop("kind", None) or str(entry.get("event", "")).removesuffix(" refused")
    return LogLine(
        at=str(entry.get("at")),
        who=str(entry.get("who")),
        subject=entry.get("subject"),
        role=entry.get("role"),
        what=str(kind),
        fields=tuple((name, str(value)) for name, value in asked.items() if value not in (None, "")),
        outcome=_outcome(entry),
    )


def _outcome(entry: Mapping[str, Any]) -> str:
    if "refused" in entry:
        return f"refused: {entry['refused']}"
    if "event" in entry:
        return "refused" if str(entry["event"]).endswith(" refused") else "done"
    code = entry.get("code")
    return "begun" if code is None else "done" if code == 0 else f"exit code {code}"


def _short(value: object) -> object:
    return f"{value[:_LONG]}…" if isinstance(value, str) and len(value) > _LONG else value
