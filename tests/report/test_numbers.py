"""Digits: as many as the interval carries, never more; values with four."""

from __future__ import annotations

import pytest

from assay.pages.numbers import decimals, interval_text, percent_text, value_text


@pytest.mark.parametrize(
    ("point", "low", "high", "text"),
    [
        (0.123, 0.101, 0.145, "12.3 % [10.1, 14.5]"),
        (0.9811, 0.9805, 0.9817, "98.11 % [98.05, 98.17]"),
        (0.72, 0.58, 0.81, "72 % [58, 81]"),
        (0.0, -0.000001, 0.000001, "0.0000 % [-0.0001, 0.0001]"),
        (-0.00001, -0.02, 0.02, "0.0 % [-2.0, 2.0]"),
        (-12.3456, -14.2, -10.1, "-1235 % [-1420, -1010]"),
        (-5.0e6, -6.0e6, -4.0e6, "-5.00e+08 % [-6.00e+08, -4.00e+08]"),
        (0.123, None, None, "12 % [-, -]"),
        (0.5, 0.5, 0.5, "50.00 % [50.00, 50.00]"),
        (None, None, None, "-"),
    ],
)
def test_a_loss_is_written_with_the_digits_of_its_interval(
    point: float | None, low: float | None, high: float | None, text: str
) -> None:
    assert interval_text(point, low, high) == text


@pytest.mark.parametrize(
    ("half_width_percent", "digits"),
    [
        (220, 0),
        (22, 0),
        (9.96, 0),
        (9.94, 1),
        (2.2, 1),
        (0.996, 1),
        (0.994, 2),
        (0.22, 2),
        (0.0022, 3),
        (0, 2),
    ],
)
def test_half_the_width_shows_two_figures_at_most(half_width_percent: float, digits: int) -> None:
    assert decimals(-half_width_percent / 100, half_width_percent / 100) == digits


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.0003, 0.024, "1.40 % [0.03, 2.40]"),
        (-0.024, -0.00004, "-1.400 % [-2.400, -0.004]"),
        (0.0, 0.024, "1.4 % [0.0, 2.4]"),
        (1e-9, 0.024, "1.4 % [0.0, 2.4]"),
    ],
)
def test_an_end_beside_zero_is_not_written_as_zero(low: float, high: float, text: str) -> None:
    assert interval_text(-0.014 if low < 0 else 0.014, low, high) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (12345.67, "12346"), (1234.5, "1234"), (999.96, "1000"), (99.996, "100.0"), (1.23456, "1.235"),
        (3.0, "3"),
        (0.0, "0"), (-0.0, "0"), (0.00123456, "0.001235"), (1.2e-9, "1.200e-09"), (3.5e15, "3.500e+15"),
        (1048576.0, "1048576"), (-2.5, "-2.500"), (None, "-"), (float("inf"), "-"), (float("nan"), "-"),
    ],
)  # fmt: skip
def test_a_value_has_four_figures_and_plain_thousands(value: float | None, text: str) -> None:
    assert value_text(value) == text


def test_a_share_is_written_as_it_was_declared() -> None:
    assert [percent_text(share) for share in (0.95, 0.01, 0.005, 0.999)] == ["95 %", "1 %", "0.5 %", "99.9 %"]
