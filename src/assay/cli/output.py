"""Answers on stdout, talk on stderr; JSON alone on stdout with a schema and a version."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

import click

from assay.model.errors import AssayError

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


def home() -> Path:
    """Return the folder of all state: ``ASSAY_HOME``, else the system's or the user's own place.

    Raises:
        AssayError: There is no such folder that could be named in a file: no home of that user, or no text in UTF-8.
    """
    given = os.environ.get("ASSAY_HOME")
    try:
        found = Path(given).expanduser().absolute() if given else _own_place()
        str(found).encode()
    except RuntimeError as error:
        msg = f"cannot use the home folder {given or '~'}: {str(error).rstrip('.').lower()}"
        raise AssayError(msg, hint="set ASSAY_HOME to the path of a folder") from error
    except UnicodeEncodeError as error:
        msg = f"cannot use the home folder {given!r}: expected a path in UTF-8"
        raise AssayError(msg, hint="set ASSAY_HOME to the path of a folder") from error
    return found


def _own_place() -> Path:
    if os.geteuid() == 0:
        return Path("/var/lib/assay")
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "assay"


def print_json(schema: str, **content: Any) -> None:
    """Print one JSON document."""
    document = {"schema": f"assay.{schema}", "version": [1, 0], **content}
    click.echo(json.dumps(document, indent=1, ensure_ascii=False, default=str))


def say(text: str) -> None:
    """Say something to the person on stderr; it is never part of the answer, and nothing ends where nobody can hear."""
    with contextlib.suppress(OSError):
        click.echo(text, err=True)
