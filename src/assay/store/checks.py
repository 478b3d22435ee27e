"""What the last check of each machine has found: ``machines/<name>/check.json`` of a home."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from assay.model.machines.check import Found

FILE = "check.json"
SCHEMA = "assay.machine-found"


def keep_found(home: Path, found: Found) -> None:
    """Keep what a check has found, in the place of what the one before it had."""
    from assay.store.record import replace_file  # slow to start

    place = home / "machines" / found.machine / FILE
    place.parent.mkdir(parents=True, exist_ok=True)
    content = {"schema": SCHEMA, "version": (1, 0), **asdict(found)}
    replace_file(place, json.dumps(content, ensure_ascii=False).encode() + b"\n")


def last_found(home: Path, machine: str) -> Found | None:
    """Return what the last check of a machine has found; ``None`` where there was none, or it is damaged."""
    from pydantic import TypeAdapter, ValidationError

    from assay.store.record import RecordError, read_json

    try:
        content = read_json(home / "machines" / machine / FILE)
        return TypeAdapter(Found).validate_python(content)
    except (OSError, ValueError, RecordError, ValidationError):
        return None
