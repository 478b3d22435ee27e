"""Tags of a result: words that people give it, kept in its folder and found by the database."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from assay.model.errors import AssayError, MissingError
from assay.store.content import TAGS
from assay.store.record import read_json, replace_json

SCHEMA, VERSION = "assay.tags", (1, 0)
MOST = 32
"""Tags that a result may have."""
PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._:+-]{0,63}$"


def check_tag(word: str) -> str:
    """Return a tag, if it may be one.

    Raises:
        AssayError: It may not.
    """
    if re.fullmatch(PATTERN, word) is None:
        msg = f"cannot take {word!r} as a tag: expected 1 to 64 letters, digits, '.', '_', ':', '+' or '-'"
        raise AssayError(msg, hint="kernel-6.1.0-28")
    return word


def check_number(tags: Iterable[str]) -> tuple[str, ...]:
    """Return tags by name, each once.

    Raises:
        AssayError: There are too many.
    """
    if len(found := sorted(set(tags))) > MOST:
        msg = f"cannot give a result {len(found)} tags: expected at most {MOST}"
        raise AssayError(msg)
    return tuple(found)


def read_tags(folder: Path) -> tuple[str, ...]:
    """Return the tags that an activity's folder has; of a file that is not legible none."""
    try:
        held = read_json(folder / TAGS)["tags"]
        return check_number(check_tag(word) for word in held)
    except (OSError, ValueError, KeyError, TypeError, RecursionError, AssayError):
        return ()


def write_tags(folder: Path, tags: Iterable[str]) -> None:
    """Keep the tags of a result in its activity's folder.

    Raises:
        MissingError: The folder cannot be written.
    """
    try:
        replace_json(folder / TAGS, {"schema": SCHEMA, "version": VERSION, "tags": [*tags]})
    except OSError as error:
        msg = f"cannot keep tags in {folder / TAGS}: {error.strerror or error}"
        raise MissingError(msg) from error
