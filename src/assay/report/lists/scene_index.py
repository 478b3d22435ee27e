"""The ready scenes as a list: what each asks, whose figures lie beside its own, about how long it takes.

It is made with the package (``scenes.json``, ``make generated``): to read all scenes takes a second.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.model.units import format_seconds
from assay.pages.numbers import NOTHING
from assay.report.tables.tables import table

HEADERS = ("scene", "title", "published", "takes about")
INDEX = Path(__file__).with_name("scenes.json")


def listed_scenes() -> list[dict[str, Any]]:
    """Return the entry of each ready scene, by name: ``scene_list.scene_entries`` of all of them."""
    entries: list[dict[str, Any]] = json.loads(INDEX.read_bytes())
    return entries


def scene_table(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return the list for a terminal, a line a scene."""
    return table(HEADERS, [_cells(entry) for entry in entries])


def _cells(entry: Mapping[str, Any]) -> tuple[str, ...]:
    takes_s = entry["takes_s"]
    takes = NOTHING if takes_s is None else format_seconds(takes_s)
    return entry["name"], entry["title"], ", ".join(entry["cited"]) or NOTHING, takes
