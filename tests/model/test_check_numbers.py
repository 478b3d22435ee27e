"""Numbers are found wherever a value has them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import pytest

from assay.model.files.json_text import check_numbers


class Word(StrEnum):
    """A text that is more than a text."""

    ONE = "one"


@dataclass(frozen=True)
class Single:
    """A dataclass of one field."""

    field: object


@dataclass(frozen=True)
class Several:
    """A dataclass of several, and of none that is a number."""

    first: object
    second: object = Word.ONE
    third: object = None


@dataclass(frozen=True)
class Bare:
    """A dataclass without fields."""


@pytest.mark.parametrize("bad", [math.inf, -math.inf, math.nan, 1 << 64, -(1 << 64)])
def test_a_number_that_is_not_finite_or_too_large_is_found_at_any_depth(bad: float) -> None:
    places: tuple[object, ...] = (
        bad, [bad], (1, bad), {"a": bad}, Single(bad), Several("x", bad), Several("x", third=bad),
        [Bare(), {"a": (Single([Several(bad)]),)}],
    )  # fmt: skip
    for value in places:
        with pytest.raises(ValueError, match="expected finite numbers of at most 64 bits"):
            check_numbers(value)


def test_what_is_finite_is_let_through() -> None:
    good = [0, True, None, "1e999", Word.ONE, 1.5, (1 << 64) - 1, b"1", Bare(), {"a": Single(Several(2.0))}]
    check_numbers(good)
