"""Numbers and quantities with units in a scene file: what is written -> what is meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from assay.model.units import (
    BYTES,
    RATES,
    RATIOS,
    SECONDS,
    parse_bytes,
    parse_rate,
    parse_ratio,
    parse_seconds,
)
from assay.model.work.placement import Pinning, Sets
from assay.scenes.values.expected import ExpectedError, nearest, one_level

_Number = TypeVar("_Number", int, float)
LARGEST_NUMBER = 65535
"""Of a processor or a memory node (``contracts/probe-v1.schema.json``)."""


def whole(low: int, high: int) -> Callable[[object], int]:
    """Return a kind: a whole number between two bounds, both included."""
    expected = f"a whole number from {low} to {high}"

    def read(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ExpectedError(expected)
        return value

    return read


def levels(low: int, high: int) -> Callable[[object], tuple[int, ...]]:
    """Return a kind: a whole number between two bounds, both included, or a list of different ones."""
    expected = f"a whole number from {low} to {high}, or a list of different ones"

    def read(value: object) -> tuple[int, ...]:
        numbers: list[Any] = value if isinstance(value, list) else [value]
        inside = all(_is_whole(number) and low <= number <= high for number in numbers)
        if not numbers or not inside or len(set(numbers)) < len(numbers):
            raise ExpectedError(expected)
        return tuple(numbers)

    return read


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def vcpus(value: object) -> int | None:
    """Return a number of virtual processors, ``None`` for ``auto``. libvirt's own bound is above 1024."""
    expected = "'auto' or a whole number from 1 to 1024"
    one_level(value, expected)
    if value == "auto":
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 1024:
        raise ExpectedError(expected)
    return value


def size(low: str, high: str) -> Callable[[object], int]:
    """Return a kind: a size with its unit between two bounds, both included."""
    expected = f"a size with its unit from {low} to {high}, like '4 GiB'"
    least, most = parse_bytes(low), parse_bytes(high)
    return _quantity(parse_bytes, expected, units=BYTES, inside=lambda count: least <= count <= most)


def record(low: str, high: str) -> Callable[[object], int]:
    """Return a kind: a size of whole blocks of 4 KiB between two bounds, both included."""
    expected = f"a size of whole 4 KiB from {low} to {high}, like '64 KiB'"
    least, most, block = parse_bytes(low), parse_bytes(high), BYTES["KiB"] * 4
    return _quantity(
        parse_bytes, expected, units=BYTES, inside=lambda count: least <= count <= most and count % block == 0
    )


def rate(low: str, high: str) -> Callable[[object], int]:
    """Return a kind: bytes a second with their unit between two bounds, both included."""
    expected = f"a rate with its unit from {low} to {high}, like '20 MB/s'"
    least, most = parse_rate(low), parse_rate(high)
    return _quantity(parse_rate, expected, units=RATES, inside=lambda count: least <= count <= most)


def seconds(low: str, high: str) -> Callable[[object], float]:
    """Return a kind: a time with its unit between two bounds, both included."""
    expected = f"a time with its unit from {low} to {high}, like '90 s'"
    least, most = parse_seconds(low), parse_seconds(high)
    return _quantity(parse_seconds, expected, units=SECONDS, inside=lambda time: least <= time <= most)


def whole_seconds(low: str, high: str) -> Callable[[object], int]:
    """Return a kind: a time of whole seconds between two bounds, both included."""
    read = seconds(low, high)

    def read_whole(value: object) -> int:
        if not (time := read(value)).is_integer():
            expected = "a time of whole seconds, like '3 s'"
            raise ExpectedError(expected)
        return int(time)

    return read_whole


def share(expected: str, inside: Callable[[float], bool]) -> Callable[[object], float]:
    """Return a kind: a share in percent for which a condition holds."""
    return _quantity(_parse_share, f"{expected}, like '95 %'", units=RATIOS, inside=inside)


def _parse_share(words: str) -> float:
    return round(parse_ratio(words), 12)  # 57 * 0.01 is not 0.57


def _quantity(
    parse: Callable[[str], _Number],
    expected: str,
    *,
    units: Iterable[str],
    inside: Callable[[_Number], bool],
) -> Callable[[object], _Number]:
    def read(value: object) -> _Number:
        one_level(value, expected)
        try:
            quantity = parse(value) if isinstance(value, str) else None
        except (ValueError, OverflowError):
            quantity = None
        if quantity is None:
            raise ExpectedError(expected, hint=f"units: {', '.join(units)}")
        if not inside(quantity):
            raise ExpectedError(expected)
        return quantity

    return read


def pinning(value: object) -> Pinning | Sets:
    """Return how copies get processors: ``none``, ``each``, or the processors of each copy."""
    expected = "'none', 'each', or a list of processors, or one of these for each copy"
    if isinstance(value, list):
        return _sets(value, expected)
    if value not in list(Pinning):
        raise ExpectedError(expected, nearest=nearest(str(value), list(Pinning)))
    return Pinning(str(value))


USER = r"^[a-z][a-z0-9]{0,15}$"
MOST_USERS, MOST_WEIGHT = 16, 64


def users(value: object) -> tuple[tuple[str, int], ...]:
    """Return users with their weights, in the order written."""
    if not isinstance(value, dict) or not 2 <= len(value) <= MOST_USERS:
        expected = f"2 to {MOST_USERS} users with their weights, like {{alice: 2, bob: 1}}"
        raise ExpectedError(expected)
    for name, weight in value.items():
        if not isinstance(name, str) or re.fullmatch(USER, name) is None:
            expected = (
                f"a user's name of at most 16 lower-case letters and digits, a letter first, not '{name}'"
            )
            raise ExpectedError(expected)
        if not isinstance(weight, int) or not _is_whole(weight) or not 1 <= weight <= MOST_WEIGHT:
            expected = f"a whole number from 1 to {MOST_WEIGHT} as the weight of {name}"
            raise ExpectedError(expected)
    return tuple(value.items())


def nodes(value: object) -> Sets:
    """Return the memory nodes of each copy."""
    return _sets(value, "a list of memory nodes, or one of these for each copy")


def _sets(value: object, expected: str) -> Sets:
    """Read a list of lists of numbers; a plain list is one set, which holds for every copy."""
    sets: list[Any] = value if isinstance(value, list) and value and isinstance(value[0], list) else [value]
    if not all(isinstance(numbers, list) and numbers and all(map(_is_number, numbers)) for numbers in sets):
        raise ExpectedError(expected)
    return tuple(tuple(numbers) for numbers in sets)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and _is_whole(value) and 0 <= value <= LARGEST_NUMBER


QUOTA = share("a share above 0 % and at most 100 %", lambda ratio: 0 < ratio <= 1)
"""Of the processors' time."""
PAUSE = share("a share above 0 % and at most 90 %", lambda ratio: 0 < ratio <= 0.9)
"""Of the time in which a job stands still (``contracts/probe-v1.schema.json``)."""
CONFIDENCE = share("a share from 50 % to 99.99 %", lambda ratio: 0.5 <= ratio <= 0.9999)
"""Below a half an interval says nothing; above 99.99 % three blocks give no finite answer worth the name."""
PRECISION = share("a half-width above 0 % and below 100 %", lambda ratio: 0 < ratio < 1)
MARGIN = share("a share above 0 % and below 100 %", lambda ratio: 0 < ratio < 1)
"""Of loss that does not matter."""
