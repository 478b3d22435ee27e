"""JSON that others wrote, read with a limit to its depth."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from functools import cache
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
    waiting: list[Any] = [value]
    while waiting:
        one = waiting.pop()
        kind = type(one)
        if kind is str or one is None:
            continue
        if isinstance(one, float | int):
            if not _is_counted(one):
                msg = "expected finite numbers of at most 64 bits"
                raise ValueError(msg)
        elif isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list | tuple):
            waiting += one
        else:
            waiting += [getattr(one, name) for name in _names(kind)]  # type: ignore[arg-type] # mypy: a type can be hashed


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    """Return the fields of a dataclass; none of anything else."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()


def _is_counted(number: float) -> bool:
    return -_LARGEST < number < _LARGEST if isinstance(number, int) else math.isfinite(number)
