"""Levels that a function spells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from assay.factors.base.levels import LevelError


@dataclass(frozen=True)
class Spelt:
    """A text that a function brings into its one spelling.

    Attributes:
        spell: Returns the one spelling of a text; raises ``ValueError`` where it is no level.
        words: What can be written, for people.
        choices: Levels worth trying.
        form: Regular expression that every level fits, for programs; what it lets through is still spelt.
    """

    spell: Callable[[str], str]
    words: str
    choices: tuple[str, ...]
    form: str

    def read(self, written: object) -> str:
        """Return the level in its one spelling; see ``Levels``."""
        text = "" if isinstance(written, bool) or not isinstance(written, str | int) else str(written).strip()
        try:
            return self.spell(text)
        except ValueError as error:
            msg = f"{self.words}, like '{self.choices[0]}'"
            raise LevelError(msg) from error

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of what can be written."""
        return {"type": ["string", "integer"], "pattern": f"^(?:{self.form})$"}


def read_pairs(text: str) -> dict[str, str]:
    """Return names and values of ``pcid=require,avx2=disable``, in their order.

    Raises:
        ValueError: a name has no value or stands twice.
    """
    pairs: dict[str, str] = {}
    for part in text.split(","):
        name, sign, value = (word.strip() for word in part.partition("="))
        if not sign or not name or not value or name in pairs:
            msg = f"expected NAME=VALUE once for each name, got '{part}'"
            raise ValueError(msg)
        pairs[name] = value
    return pairs
