"""A value of a scene's factor, or a list of different ones that are swept."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Sweep:
    """How the levels of a sweep go together.

    Attributes:
        together: Factors whose lists go level by level instead of crosswise (``zip``), group by group.
        without: Combinations that are left out (``exclude``): levels by factor, of all of which it has one.
    """

    together: tuple[tuple[str, ...], ...] = ()
    without: tuple[Mapping[str, tuple[Any, ...]], ...] = ()


CROSSWISE = Sweep()
MOST_CROSSED = 4096
"""Combinations that are made before some are left out."""


def combinations(factors: Mapping[str, Swept], sweep: Sweep = CROSSWISE) -> Iterator[dict[str, Any]]:
    """Yield every combination of the levels that factors are given, the last factor's changing fastest.

    Of more than are swept at most one above that is made: enough to be refused.
    """
    lists = {name: chosen if isinstance(chosen, tuple) else (chosen,) for name, chosen in factors.items()}
    group_of = {name: group for group in sweep.together for name in group}
    axes: dict[tuple[str, ...], list[tuple[Any, ...]]] = {}
    for name in factors:
        group = group_of.get(name, (name,))
        axes.setdefault(group, [*zip(*(lists[one] for one in group), strict=False)])
    crossed = (_levels(axes, chosen, factors) for chosen in itertools.product(*axes.values()))
    kept = (levels for levels in itertools.islice(crossed, MOST_CROSSED) if not _left_out(levels, sweep))
    yield from itertools.islice(kept, MOST_TREATMENTS + 1)


def crossed_count(factors: Mapping[str, Swept], sweep: Sweep) -> int:
    """Return how many combinations there are before some are left out."""
    lengths = {name: len(chosen) if isinstance(chosen, tuple) else 1 for name, chosen in factors.items()}
    for group in sweep.together:
        lengths |= dict.fromkeys(group[1:], 1)
    return math.prod(lengths.values())


def _levels(
    axes: Iterable[tuple[str, ...]], chosen: Iterable[tuple[Any, ...]], order: Iterable[str]
) -> dict[str, Any]:
    levels = {
        name: level
        for group, own in zip(axes, chosen, strict=True)
        for name, level in zip(group, own, strict=True)
    }
    return {name: levels[name] for name in order}


def _left_out(levels: Mapping[str, Any], sweep: Sweep) -> bool:
    return any(
        all(name in levels and levels[name] in those for name, those in one.items()) for one in sweep.without
    )
