"""Figures as a Markdown page and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path("docs/evidence")

Figures = Mapping[str, Any]
"""One row: text, numbers or ``None`` by key."""


@dataclass(frozen=True)
class Page:
    """One part's figures.

    Attributes:
        name: Name of the part and of its files.
        title: Heading.
        text: What was simulated or measured, with the seed, in Markdown.
        rows: Figures of one case each, with the same keys.
        shown: Titles of the columns and how each is written, by key; keys without a title are in the JSON
            only.
        held: What the rows are held to, each with whether it is so.
        pictures: SVG documents by file name, which the text shows.
        command: What writes it; ``make evidence PARTS=NAME`` where empty.
    """

    name: str
    title: str
    text: str
    rows: Sequence[Figures]
    shown: Mapping[str, tuple[str, str]]
    held: Mapping[str, bool]
    pictures: Mapping[str, str] = field(default_factory=dict)
    command: str = ""


def markdown(page: Page) -> str:
    """Return the page's text."""
    head = [f"# {page.title}", "", page.text.strip(), ""]
    keys = list(page.shown)
    lines = [_line([page.shown[key][0] for key in keys]), _line(["---"] * len(keys))]
    lines += [_line([_cell(row.get(key), page.shown[key][1]) for key in keys]) for row in page.rows]
    held = [f"- {'kept' if kept else '**missed**'}: {what}" for what, kept in page.held.items()]
    foot = ["", "Held to:", "", *held] if held else []
    command = page.command or f"make evidence PARTS={page.name}"
    last = f"Written by `{command}`; the figures are in `{page.name}.json`."
    return "\n".join([*head, *lines, *foot, "", last]) + "\n"


def write(page: Page, folder: Path = FOLDER) -> None:
    """Write both files, and the pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{page.name}.md").write_text(markdown(page))
    for name, picture in page.pictures.items():
        (folder / name).write_text(picture)
    value = {"rows": [dict(row) for row in page.rows], "held": dict(page.held)}
    (folder / f"{page.name}.json").write_text(json.dumps(value, indent=1) + "\n")


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(value: str | float | None, form: str) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else format(value, form).replace("%", " %")
