"""A known answer for each unit, and both sides of each threshold at which another is shown."""

from __future__ import annotations

import pytest

from assay.model.units import (
    BYTES,
    RATES,
    SECONDS,
    format_bytes,
    format_rate,
    format_seconds,
    format_share,
    parse_bytes,
    parse_rate,
    parse_seconds,
)

COUNTS = {
    "B": 1,
    "kB": 1_000,
    "MB": 1_000_000,
    "GB": 1_000_000_000,
    "TB": 1_000_000_000_000,
    "KiB": 1_024,
    "MiB": 1_048_576,
    "GiB": 1_073_741_824,
    "TiB": 1_099_511_627_776,
}
LENGTHS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


@pytest.mark.parametrize("unit", BYTES)
def test_a_unit_of_size_counts_its_bytes(unit: str) -> None:
    assert parse_bytes(f"3 {unit}") == 3 * COUNTS[unit]
    assert parse_rate(f"3 {unit}/s") == 3 * COUNTS[unit]


@pytest.mark.parametrize("unit", SECONDS)
def test_a_unit_of_time_lasts_its_seconds(unit: str) -> None:
    assert parse_seconds(f"3 {unit}") == 3 * LENGTHS[unit]


def test_no_unit_lacks_a_known_answer() -> None:
    assert set(BYTES) == set(COUNTS)
    assert set(SECONDS) == set(LENGTHS)
    assert set(RATES) == {f"{unit}/s" for unit in COUNTS}


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (2**20 - 1, "1024 KiB"),
        (2**20, "1 MiB"),
        (2**30 - 1, "1024 MiB"),
        (2**30, "1 GiB"),
        (2**40 - 1, "1024 GiB"),
        (2**40, "1 TiB"),
    ],
)
def test_a_size_takes_the_next_unit_where_it_reaches_one_of_it(count: int, text: str) -> None:
    assert format_bytes(count) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (999, "999 B/s"),
        (1000, "1 kB/s"),
        (999_900, "999.9 kB/s"),
        (10**6, "1 MB/s"),
        (999_900_000, "999.9 MB/s"),
        (10**9, "1 GB/s"),
        (999_900_000_000, "999.9 GB/s"),
        (10**12, "1 TB/s"),
    ],
)
def test_a_rate_takes_the_next_unit_where_it_reaches_one_of_it(count: int, text: str) -> None:
    assert format_rate(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (59, "59 s"),
        (60, "1 min"),
        (61, "1 min 1 s"),
        (120, "2 min"),
        (3599, "59 min 59 s"),
        (3600, "1 h 0 min"),
        (3659, "1 h 0 min"),
        (3660, "1 h 1 min"),
        (90_000, "25 h 0 min"),
    ],
)
def test_a_duration_takes_minutes_and_hours_from_the_first_whole_one(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


@pytest.mark.parametrize(
    ("ratio", "half", "text"),
    [
        (0.5, 0.5, "50 %"),
        (0.5, 0.099, "50.0 %"),
        (0.5, 0.0099, "50.00 %"),
        (0.5, 0.00099, "50.000 %"),
        (0.5, 0.000099, "50.0000 %"),
        (0.5, 0.0000099, "50.0000 %"),
        (0.5, float("inf"), "50 %"),
        (9_999.99, 1.0, "999999 %"),
        (10_000.0, 1.0, "1.00e+06 %"),
    ],
)
def test_a_share_has_at_most_four_decimals_and_at_most_six_digits_before_them(
    ratio: float, half: float, text: str
) -> None:
    assert format_share(ratio, half) == text
