"""A site's own scenes as lists: the newest version of each, and all versions of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from assay.model.files.own_scenes import OwnScene
from assay.pages.numbers import NOTHING
from assay.report.tables.tables import table


def own_entries(scenes: Sequence[OwnScene]) -> list[dict[str, Any]]:
    """Return versions of own scenes as JSON has them; ``saved`` is ISO 8601 in UTC."""
    return [{**asdict(one), "saved": _saved(one)} for one in scenes]


def own_table(scenes: Sequence[OwnScene]) -> str:
    """Return the newest versions for a terminal, a line a scene."""
    headers = ("own scene", "version", "title", "saved", "by")
    cells = [(one.name, str(one.version), one.title or NOTHING, *_when(one)) for one in scenes]
    return table(headers, cells, right={1})


def version_table(versions: Sequence[OwnScene]) -> str:
    """Return the versions of a scene for a terminal, a line each, the newest first."""
    cells = [(str(one.version), *_when(one), one.note or NOTHING) for one in reversed(versions)]
    return table(("version", "saved", "by", "note"), cells, right={0})


def _when(one: OwnScene) -> tuple[str, str]:
    return _saved(one) or NOTHING, one.by or NOTHING


def _saved(one: OwnScene) -> str | None:
    if one.saved_ns is None:
        return None
    try:
        return datetime.fromtimestamp(one.saved_ns / 1e9, UTC).isoformat(timespec="seconds")
    except (OverflowError, ValueError, OSError):  # a damaged file says any number
        return None
