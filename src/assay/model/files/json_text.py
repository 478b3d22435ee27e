"""JSON that others wrote, read with a limit to its depth."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any

_LARGEST = 1 << 64
"""Above all counts, sizes and clocks."""


def parse_json(data: bytes | str) -> Any:
    """Return the value of a JSON text in UTF-8.

    Source: pydantic-core's ``from_json``, which refuses values that are nested more than 200 deep.

    Raises:
        ValueError: it is no JSON, is nested too deeply, or has a number that is not finite or beyond 64 bits.
    """
    from pydantic_core import from_json  # 0.05 s: only where JSON is read

    value = from_json(data, allow_inf_nan=False)
    check_numbers(value)
    return value


def check_numbers(value: object) -> None:
    """Check the numbers in a value of dictionaries, lists, tuples and dataclasses.

    Raises:
        ValueError: one is not finite, or beyond 64 bits.
    """
    waiting: list[Iterable[Any]] = [(value,)]
    while waiting:
        for one in waiting.pop():
            if one is None or isinstance(one, str):
                continue
            if isinstance(one, float | int):
                if not _is_counted(one):
                    msg = "expected finite numbers of at most 64 bits"
                    raise ValueError(msg)
            elif isinstance(one, dict):
                waiting.append(one.values())
            elif isinstance(one, list | tuple):
                waiting.append(one)
            elif (values := _fields_of(type(one))) is not None:  # type: ignore[arg-type] # a type can be hashed
                waiting.append(values(one))


@cache
def _fields_of(kind: type[Any]) -> Callable[[Any], tuple[Any, ...]] | None:
    """Return what gives the fields of a dataclass; ``None`` of anything else."""
    names = [field.name for field in fields(kind)] if is_dataclass(kind) else []
    return attrgetter(*names, names[0]) if names else None  # of a single name it would give no tuple


def _is_counted(number: float) -> bool:
    return -_LARGEST < number < _LARGEST if isinstance(number, int) else math.isfinite(number)
