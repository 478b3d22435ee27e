"""What differs between two fingerprints."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from assay.model.machines.machine import Fingerprint

GENERAL = "general"
"""Group of the facts that are in none."""
COMMAND_LINE = ("kernel", "command_line")
_ITS_OWN = {(GENERAL, "boot_id")}
"""Facts that are others at every boot, or at every look."""
_VARYING = ("memory_bytes", "free_bytes")
"""Ends of fields that tell of room, which some machines take over bit by bit."""


@dataclass(frozen=True)
class Difference:
    """One field that is not the same on both sides.

    Attributes:
        group: Group of the fact.
        field: Its path in the group, parts joined by dots.
        a: Value on the one side; ``None`` is "not there".
        b: Value on the other.
    """

    group: str
    field: str
    a: object
    b: object


def differences(a: Fingerprint, b: Fingerprint) -> tuple[Difference, ...]:
    """Return what differs, group by group, fields in order.

    Lists of words (flags) and the kernel's command line keep on each side only what the other lacks, or are
    whole where that is nothing; other lists are whole.
    """
    ours, theirs = flatten(a), flatten(b)
    fields = sorted({*ours, *theirs}, key=lambda key: (key[0] != GENERAL, key))
    compared = (_difference(key, ours.get(key), theirs.get(key)) for key in fields)
    return tuple(difference for difference in compared if difference is not None)


def flatten(fingerprint: Fingerprint) -> dict[tuple[str, str], object]:
    """Return all facts under their group and path, general ones first."""
    general = {(GENERAL, name): value for name, value in asdict(fingerprint.facts).items()}
    grouped = {
        (group, path): value for group, facts in fingerprint.groups.items() for path, value in _leaves(facts)
    }
    return general | grouped


def changes(older: Fingerprint, newer: Fingerprint) -> tuple[Difference, ...]:
    """Return what changed of a machine from one look to a later one: what differs at every look is none."""
    return tuple(one for one in differences(older, newer) if _counts(one.group, one.field))


def facts_digest(fingerprint: Fingerprint) -> str:
    """Return a digest that two looks at a machine have in common between which nothing changed.

    It is of the facts that ``changes`` compares: whoever changes which they are changes ``store.seen.RULES``.
    """
    told = [(*key, value) for key, value in sorted(flatten(fingerprint).items()) if _counts(*key)]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def _counts(group: str, field: str) -> bool:
    return (group, field) not in _ITS_OWN and not field.endswith(_VARYING)


def _leaves(facts: Mapping[str, object], above: str = "") -> Iterator[tuple[str, object]]:
    for name, value in facts.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def _difference(key: tuple[str, str], a: object, b: object) -> Difference | None:
    if a == b:
        return None
    a, b = (_whole(key, value) for value in (a, b))
    if _words(a) and _words(b) and isinstance(a, list) and isinstance(b, list):
        ours, theirs = ([w for w in one if w not in other] for one, other in ((a, b), (b, a)))
        return Difference(*key, *((ours, theirs) if ours or theirs else (a, b)))
    return Difference(*key, a, b)


def _whole(key: tuple[str, str], value: object) -> object:
    """Return a tuple as a list, and the kernel's command line as its words."""
    if key == COMMAND_LINE and isinstance(value, str):
        return value.split()
    return list(value) if isinstance(value, tuple) else value


def _words(value: object) -> bool:
    return isinstance(value, list) and len(value) > 0 and all(isinstance(word, str) for word in value)
