"""Factors of the catalogue as words of a scene."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.factors.base.levels import LevelError
from assay.factors.catalogue import FACTORS, read_level
from assay.factors.start.starts import WORDS as START_WORDS
from assay.scenes.values.expected import ExpectedError
from assay.scenes.values.swept import Swept

_OWN = frozenset({"cpu.vcpus", "memory.size", "disk.cache", *START_WORDS})
"""Factors that every guest has a level of; those of starts are words of its layout."""
Chosen = Swept
"""A level, or several that are swept."""


def is_generic(name: str) -> bool:
    """Tell whether a factor of that name holds only where a scene says so."""
    return name in FACTORS and name not in _OWN


def setting(name: str) -> Callable[[object], Chosen]:
    """Return a kind: a level of a factor of the catalogue in its one spelling, or a list of
    different ones.
    """

    def read(value: object) -> Chosen:
        if not isinstance(value, list):
            return _level(name, value)
        levels = tuple(_level(name, item) for item in value)
        if not levels or len(set(levels)) < len(levels):
            expected = f"a level ({FACTORS[name].levels.words}), or a list of different ones"
            raise ExpectedError(expected)
        return levels[0] if len(levels) == 1 else levels

    return read


def setting_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of what ``setting`` reads."""
    one = FACTORS[name].levels.schema
    return {"anyOf": [one, {"type": "array", "items": one, "minItems": 1, "uniqueItems": True}]}


def _level(name: str, value: object) -> str:
    try:
        return read_level(name, value)
    except LevelError as error:
        truth = "write it in quotes or as on and off, YAML reads it as a truth value"
        hint = truth if isinstance(value, bool) else None
        raise ExpectedError(error.expected, nearest=error.nearest, hint=hint) from error
