"""Quantities as people write them."""

from __future__ import annotations

import pytest

from assay.model.units import (
    format_bytes,
    format_rate,
    format_seconds,
    parse_bytes,
    parse_rate,
    parse_ratio,
    parse_seconds,
)


def test_sizes_times_and_shares_are_read_with_their_units() -> None:
    assert parse_bytes("4 GiB") == 4 * 2**30
    assert parse_bytes("1.5kB") == 1500
    assert parse_seconds("90 s") == 90.0
    assert parse_seconds("250 ms") == 0.25
    assert parse_ratio("57 %") == 0.57
    assert (parse_rate("20 MB/s"), parse_rate("1.5KiB/s")) == (20_000_000, 1536)


@pytest.mark.parametrize("text", ["20 MB", "20", "MB/s", "20 MB/h", "4 GiB /s"])
def test_a_rate_without_a_right_unit_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="like '20 MB/s'"):
        parse_rate(text)


@pytest.mark.parametrize(
    ("rate", "text"),
    [(999, "999 B/s"), (350_000, "350 kB/s"), (20_000_000, "20 MB/s"), (2**30, "1.074 GB/s")],
)
def test_a_rate_is_shown_in_its_largest_decimal_unit(rate: int, text: str) -> None:
    assert format_rate(rate) == text


@pytest.mark.parametrize("text", ["4", "4 GHz", "", "GiB", "-1 GiB", "1e3 B", "4 gib"])
def test_a_size_without_a_right_unit_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="like '4 GiB'"):
        parse_bytes(text)


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (1023, "1023 B"), (2**30 * 3 // 2, "1.5 GiB"), (2**31, "2 GiB")]
)
def test_a_size_is_shown_in_its_largest_unit(count: int, text: str) -> None:
    assert format_bytes(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (59.6, "1 min"), (200, "3 min 20 s"), (7500, "2 h 5 min")]
)
def test_a_duration_is_shown_for_people(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text
