"""A value of a scene's factor, or a list of different ones that are swept."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from assay.scenes.values.expected import ExpectedError

Swept = Any
"""A value, or a tuple of two or more different ones."""
MOST_TREATMENTS = 16
"""Of a sweep: a block visits each of them."""


def swept(read: Callable[[object], Any]) -> Callable[[object], Swept]:
    """Return a kind: what another kind reads, or a list of different ones; a list of one is that one."""

    def read_all(value: object) -> Swept:
        if not isinstance(value, list):
            return read(value)
        values = tuple(map(read, value))
        if not values or None in values or len(set(values)) < len(values):
            expected = "one level, or a list of different ones that are written out"
            raise ExpectedError(expected)
        return values[0] if len(values) == 1 else values

    return read_all


def swept_schema(one: dict[str, Any], *, listed: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the JSON Schema of what ``swept`` reads.

    Args:
        one: Schema of one value.
        listed: Schema of a value in a list, where it is another.
    """
    several = {"type": "array", "items": listed or one, "minItems": 1, "uniqueItems": True}
    return {"anyOf": [*one.get("anyOf", [one]), several]}


def combinations(factors: Mapping[str, Swept]) -> Iterator[dict[str, Any]]:
    """Yield every combination of the levels that factors are given, the last factor's changing fastest.

    Of more than are swept at most one above that is made: enough to be refused.
    """
    lists = (chosen if isinstance(chosen, tuple) else (chosen,) for chosen in factors.values())
    for levels in itertools.islice(itertools.product(*lists), MOST_TREATMENTS + 1):
        yield dict(zip(factors, levels, strict=True))
