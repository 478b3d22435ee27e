"""A field of a context with its help, from which the documentation and the JSON Schema are written."""

from __future__ import annotations

from dataclasses import field
from typing import Any


def say(text: str, **options: Any) -> Any:
    """Return a dataclass field with its help; ``options`` go to ``dataclasses.field``."""
    return field(metadata={"help": text}, **options)
