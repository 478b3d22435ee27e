"""Fingerprints of machines, and what differs between two, as text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Protocol

from assay.model.machines.fingerprint import Difference, flatten
from assay.model.machines.machine import Fingerprint
from assay.report.tables.tables import table


class Changed(Protocol):
    """What was another from one look at a machine to the next."""

    @property
    def at_ns(self) -> int:
        """When it was first seen otherwise, ns since 1970."""

    @property
    def differences(self) -> Sequence[Difference]:
        """The facts."""

    @property
    def before(self) -> str | None:
        """Newest activity that measured it as before."""

    @property
    def since(self) -> str | None:
        """Oldest activity that measured it after the change."""


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


def text_changes(machine: str, changes: Sequence[Changed]) -> str:
    """Return what changed of a machine, one field a line, the oldest first; a sentence where nothing did.

    Args:
        machine: Its name.
        changes: What changed, and when.
    """
    if not changes:
        return f"nothing of {machine} has changed between the looks at it"
    rows = [
        [_moment(one.at_ns), d.group, d.field, _short(spell(d.a)), _short(spell(d.b))]
        for one in changes
        for d in one.differences
    ]
    lines = [table(("first seen", "group", "field", "before", "after"), rows)]
    pairs = dict.fromkeys((one.before, one.since) for one in changes if one.before and one.since)
    if pairs:
        lines += ["", "results before and after:"]
        lines += [f"assay result compare {before} {since}" for before, since in pairs if before != since]
    return "\n".join(lines)


def _moment(at_ns: int) -> str:
    return datetime.fromtimestamp(at_ns / 1e9, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


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
