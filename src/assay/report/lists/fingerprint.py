"""Fingerprints of machines, and what differs between two, as text."""

from __future__ import annotations

from collections.abc import Sequence

from assay.model.machines.fingerprint import Difference, flatten
from assay.model.machines.machine import Fingerprint
from assay.report.tables.tables import table

WIDEST = 60
"""Columns of a value in a comparison; the JSON has all of it."""


def text_fingerprint(fingerprint: Fingerprint) -> str:
    """Return all facts, one a line, grouped."""
    rows = [[group, field, spell(value)] for (group, field), value in flatten(fingerprint).items()]
    return table(("group", "field", "value"), rows)


def text_differences(a: str, b: str, differences: Sequence[Difference]) -> str:
    """Return what differs between two machines, one field a line, or one sentence if nothing does.

    Args:
        a: Name of the one side.
        b: Name of the other.
        differences: What differs.
    """
    if not differences:
        return f"{a} and {b} are the same in all that the probe sees"
    rows = [[d.group, d.field, _short(spell(d.a)), _short(spell(d.b))] for d in differences]
    return table(("group", "field", a, b), rows)


def spell(value: object) -> str:
    """Return a value in few letters; ``-`` is "not there"."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        inner = (
            ",".join(map(spell, item)) if isinstance(item, list | tuple) else spell(item) for item in value
        )
        return " ".join(inner) or "none"
    return str(value)


def _short(text: str) -> str:
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"
