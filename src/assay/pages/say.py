"""A field of a context with its help, from which the documentation and the JSON Schema are written."""

from __future__ import annotations

from dataclasses import field
from typing import Any


def say(text: str, *, was: str | None = None, **options: Any) -> Any:
    """Return a dataclass field with its help.

    Args:
        text: What it holds.
        was: Its name in pages of an earlier minor version, by which it is read, too (pydantic's
            ``validation_alias``).
        **options: As of ``dataclasses.field``.
    """
    return field(metadata={"help": text, "validation_alias": was}, **options)
