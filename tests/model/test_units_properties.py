"""What holds for every quantity: it is read as it is shown, and a larger one never reads smaller."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.units import (
    BYTES,
    RATES,
    RATIOS,
    SECONDS,
    format_bytes,
    format_rate,
    format_seconds,
    format_share,
    parse_bytes,
    parse_rate,
    parse_ratio,
    parse_seconds,
    parse_share,
)

COUNTS = st.integers(0, 2**50)
PARSERS: dict[Callable[[str], float], list[str]] = {
    parse_bytes: list(BYTES),
    parse_rate: list(RATES),
    parse_seconds: list(SECONDS),
    parse_ratio: list(RATIOS),
}
KINDS = pytest.mark.parametrize("parse", PARSERS, ids=lambda parse: parse.__name__)
BINARY, DECIMAL = ["B", "KiB", "MiB", "GiB", "TiB"], ["B", "kB", "MB", "GB", "TB"]


def minutes_and_seconds(text: str) -> float:
    """Return the seconds of a duration of several parts, ``3 min 20 s``."""
    return sum(parse_seconds(part) for part in re.findall(r"\d+ \w+", text))


@given(count=COUNTS)
def test_a_size_that_is_shown_reads_as_the_same_to_four_digits(count: int) -> None:
    assert abs(parse_bytes(format_bytes(count)) - count) <= 5.0001e-4 * count


@given(count=COUNTS)
def test_a_rate_that_is_shown_reads_as_the_same_to_four_digits(count: int) -> None:
    assert abs(parse_rate(format_rate(count)) - count) <= 5.0001e-4 * count


@given(seconds=st.floats(0, 1e7))
def test_a_duration_that_is_shown_reads_as_the_same_to_its_last_part(seconds: float) -> None:
    shown = minutes_and_seconds(format_seconds(seconds))
    assert shown - round(seconds) <= 0 < shown - round(seconds) + (1 if seconds < 3599.5 else 60)


@given(ratio=st.floats(-10, 10), half=st.floats(0, 1))
def test_a_share_that_is_shown_is_off_by_at_most_half_its_last_decimal(ratio: float, half: float) -> None:
    text = format_share(ratio, half).removesuffix(" %")
    shown = float(text) / 100
    assert abs(shown - ratio) <= max(half, 5e-4 * abs(ratio), 1e-12)


@KINDS
@given(number=st.integers(0, 10**9), data=st.data(), blank=st.sampled_from(["", " ", "  "]))
def test_a_whole_number_reads_with_or_without_a_blank_as_often_its_unit(
    parse: Callable[[str], float], number: int, data: st.DataObject, blank: str
) -> None:
    unit = data.draw(st.sampled_from(PARSERS[parse]))
    assert parse(f"{number}{blank}{unit}") == pytest.approx(number * parse(f"1 {unit}"), rel=1e-15)


@KINDS
@given(numbers=st.tuples(st.floats(0, 1e9), st.floats(0, 1e9)), data=st.data())
def test_the_larger_of_two_numbers_never_reads_smaller(
    parse: Callable[[str], float], numbers: tuple[float, float], data: st.DataObject
) -> None:
    unit = data.draw(st.sampled_from(PARSERS[parse]))
    low, high = (f"{number:.6f}" for number in sorted(numbers))
    assert parse(f"{low} {unit}") <= parse(f"{high} {unit}")


@pytest.mark.parametrize(("units", "step"), [(BINARY, 1024), (DECIMAL, 1000)])
@given(number=st.integers(1, 10**6), data=st.data())
def test_a_thousand_of_a_unit_is_one_of_the_next(
    units: list[str], step: int, number: int, data: st.DataObject
) -> None:
    at = data.draw(st.integers(1, len(units) - 1))
    assert parse_bytes(f"{number * step} {units[at - 1]}") == parse_bytes(f"{number} {units[at]}")


@KINDS
@given(text=st.text(max_size=30) | st.from_regex(r"\s*[0-9.eE+-]{0,40}\s*[A-Za-z%/]{0,6}\s*", fullmatch=True))
def test_any_text_is_a_quantity_of_zero_or_more_or_refused_with_its_units(
    parse: Callable[[str], float], text: str
) -> None:
    try:
        assert parse(text) >= 0
    except ValueError as error:
        assert ", ".join(PARSERS[parse]) in str(error)  # noqa: PT017


@given(percent=st.decimals(0, 100, places=4))
def test_a_share_reads_the_same_in_percent_and_as_a_fraction(percent: object) -> None:
    assert parse_share(f"{percent} %") == pytest.approx(float(str(percent)) / 100, rel=1e-15)
    assert parse_share(parse_share(f"{percent} %")) == parse_share(f"{percent} %")
