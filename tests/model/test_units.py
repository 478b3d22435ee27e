"""Quantities as people write them."""

from __future__ import annotations

import pytest

from assay.model.units import (
    format_bytes,
    format_rate,
    format_seconds,
    format_share,
    format_spread,
    parse_bytes,
    parse_rate,
    parse_ratio,
    parse_seconds,
    parse_share,
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


@pytest.mark.parametrize(
    ("share", "fraction"), [("1 %", 0.01), (" 1% ", 0.01), ("0.01", 0.01), (0.01, 0.01), (0, 0.0)]
)
def test_a_share_is_read_however_it_is_written(share: object, fraction: float) -> None:
    assert parse_share(share) == fraction


@pytest.mark.parametrize("share", ["much", "", "1 ms", None, True, [0.1], {}, "% 1"])
def test_what_is_no_share_is_refused(share: object) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - whatever the number's own parser says
        parse_share(share)


@pytest.mark.parametrize(
    ("ratio", "half", "text"),
    [
        (0.12345, 0.02, "12.3 %"),
        (0.12345, 0.2, "12 %"),
        (0.12345678, 1e-9, "12.3457 %"),
        (0.12345678, 0.0, "12.35 %"),
        (-1e60, 1e59, "-1.00e+62 %"),
    ],
)
def test_a_share_has_the_digits_of_its_half_width(ratio: float, half: float, text: str) -> None:
    assert format_share(ratio, half) == text


def test_a_standard_deviation_has_two_digits() -> None:
    assert [format_spread(s) for s in (0.041234, 0.0031, 1.2345, 0.0)] == ["4.1 %", "0.31 %", "120 %", "0 %"]
