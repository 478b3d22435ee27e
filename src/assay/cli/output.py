"""Answers on stdout, talk on stderr; JSON alone on stdout with a schema and a version.

All that is shown goes through this file, and none of it may steer the terminal: what a message, a table or a
title carries of another machine, of an imported result or of a scene is spelled out here, whoever wrote the
text.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
_COLOUR = re.compile(r"(\x1b\[[0-9]{1,2}m)")
"""What colours a cell (``report.render.text.COLOURS``); it moves nothing and reads nothing."""


def home() -> Path:
    """Return the folder of all state (``activities.home``)."""
    from assay.activities.home import home as settled

    return settled()


def home_place() -> Path:
    """Return where the home is or will be, and make nothing."""
    from assay.activities.home import home_place as place

    return place()


def print_json(schema: str, **content: Any) -> None:
    """Print one JSON document."""
    page = {"schema": f"assay.{schema}", "version": [1, 0], **content}
    answer_json(json.dumps(page, indent=1, ensure_ascii=False, default=str))


def print_json_list(schema: str, name: str, items: Iterable[Any], **content: Any) -> None:
    """Print one JSON document with a list that is never in memory whole, a line each."""
    top = {"schema": f"assay.{schema}", "version": [1, 0], **content}
    head = json.dumps(top, ensure_ascii=False, default=str)
    answer_json(f"{head[:-1]},\n {json.dumps(name)}: [")
    before = ""
    for item in items:
        answer_json(f"{before}  {json.dumps(item, ensure_ascii=False, default=str)}")
        before = ","
    answer_json(" ]\n}")


def answer(text: str, *, coloured: bool = False) -> None:
    """Print lines of an answer; ``coloured`` lets the colours of a report's cells through."""
    parts = _COLOUR.split(text) if coloured else [text]
    safe = "".join(part if at % 2 else spelled(part) for at, part in enumerate(parts))
    click.echo(safe, nl=not safe.endswith("\n"))


def answer_line(text: str) -> None:
    """Print one line of an answer; a newline in it is spelled out too."""
    from assay.report.tables.tables import plain

    click.echo(plain(text))


def answer_json(text: str) -> None:
    """Print a JSON text; a character that is not printed is written as its escape, which is the same text."""
    safe = "\n".join(line if line.isprintable() else _escaped(line) for line in text.split("\n"))
    click.echo(safe, nl=not safe.endswith("\n"))


def document(text: str) -> None:
    """Print a file's content: as it is into a file or a pipe, spelled out on a terminal."""
    click.echo(spelled(text) if sys.stdout.isatty() else text, nl=False)


def document_bytes(data: bytes, form: str) -> None:
    """Print a file's content that is no text; raises ``click.UsageError`` on a terminal."""
    if sys.stdout.isatty():
        msg = f"{form} is no text for a terminal: give --output FILE"
        raise click.UsageError(msg)
    click.echo(data, nl=False)


def say(text: str) -> None:
    """Say something to the person on stderr; it is never part of the answer, and nothing ends where nobody
    can hear.
    """
    with contextlib.suppress(OSError):
        click.echo(spelled(text), err=True)


def left_out(faults: Iterable[str]) -> None:
    """Say which plug-ins could not be loaded."""
    for fault in faults:
        say(f"left out: {fault}")


def spelled(text: str) -> str:
    r"""Return lines with all characters spelled out that are not printed, ``\x1b``; newlines and
    tabs stay.
    """
    return "\n".join(line if line.isprintable() else _spelled(line) for line in text.split("\n"))


def _spelled(line: str) -> str:
    from assay.report.tables.tables import plain

    return "\t".join(plain(part) for part in line.split("\t"))


def _escaped(line: str) -> str:
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in line)
