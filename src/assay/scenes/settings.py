"""Factors of the catalogue as words of a scene."""

from __future__ import annotations

from collections.abc import Callable

from assay.factors.catalogue import FACTORS, read_level
from assay.factors.levels import LevelError
from assay.scenes.expected import ExpectedError, one_level

_OWN = frozenset({"cpu.vcpus", "memory.size", "disk.cache"})
"""Factors that every guest has a level of; scenes read them as numbers."""

GENERIC = tuple(name for name in FACTORS if name not in _OWN)
"""Factors that hold only where a scene says so."""


def setting(name: str) -> Callable[[object], str | None]:
    """Return a kind: a level of a factor of the catalogue, in its one spelling."""

    def read(value: object) -> str | None:
        if isinstance(value, list):
            one_level(value, FACTORS[name].levels.words)
        try:
            return read_level(name, value)
        except LevelError as error:
            hint = None
            if isinstance(value, bool):
                hint = "write it in quotes or as on and off, YAML reads it as a truth value"
            raise ExpectedError(error.expected, nearest=error.nearest, hint=hint) from error

    return read
