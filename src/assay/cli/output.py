"""Answers on stdout, talk on stderr; JSON alone on stdout with a schema and a version."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


def home() -> Path:
    """Return the folder of all state: ``ASSAY_HOME``, else the system's or the user's own place.

    Raises:
        MissingError: Another user could change it.
    """
    from assay.machines.own import require_own

    place = _place()
    require_own(place)
    return place


def _place() -> Path:
    if given := os.environ.get("ASSAY_HOME"):
        return Path(given).expanduser().absolute()
    if os.geteuid() == 0:
        return Path("/var/lib/assay")
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "assay"


def print_json(schema: str, **content: Any) -> None:
    """Print one JSON document."""
    document = {"schema": f"assay.{schema}", "version": [1, 0], **content}
    click.echo(json.dumps(document, indent=1, ensure_ascii=False, default=str))


def say(text: str) -> None:
    """Say something to the person on stderr; it is never part of the answer."""
    click.echo(text, err=True)
