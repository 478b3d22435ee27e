"""Machines unlike the others: found where they are, and in no fleet that is of one kind."""

from __future__ import annotations

import random

import pytest

from assay.stats.outliers import FEWEST, outliers

ERRORS: dict[str, float | None] = {}


def machines(values: list[float]) -> dict[str, float]:
    return {f"n{at:02d}": value for at, value in enumerate(values)}


def test_a_machine_that_is_far_is_named_with_the_median_of_the_others() -> None:
    fleet = machines([0.10, 0.11, 0.09, 0.10, 0.30])
    (found,) = outliers(fleet, ERRORS, least=0.02).items()
    assert found == ("n04", pytest.approx(0.10))


def test_two_of_ten_do_not_hide_each_other() -> None:
    fleet = machines([0.10, 0.11, 0.09, 0.10, 0.12, 0.08, 0.10, 0.11, 0.40, 0.45])
    assert set(outliers(fleet, ERRORS, least=0.02)) == {"n08", "n09"}


def test_what_does_not_matter_is_no_outlier_though_the_others_agree_to_the_last_digit() -> None:
    fleet = machines([0.1] * 9 + [0.115])
    assert outliers(fleet, ERRORS, least=0.02) == {}
    assert set(outliers(fleet, ERRORS, least=0.01)) == {"n09"}


def test_a_value_that_is_itself_uncertain_is_no_outlier() -> None:
    fleet = machines([0.10, 0.11, 0.09, 0.10, 0.30])
    assert outliers(fleet, {"n04": 0.06}, least=0.02) == {}
    assert set(outliers(fleet, {"n04": 0.05}, least=0.02)) == {"n04"}


def test_of_few_machines_none_is_named() -> None:
    assert outliers(machines([0.1, 0.1, 0.1, 0.9][: FEWEST - 1]), ERRORS, least=0.02) == {}
    assert outliers({}, ERRORS, least=0.02) == {}


def test_in_fleets_of_one_kind_few_machines_are_named() -> None:
    """The share that is falsely named: of a normal fleet about what the bound of 3.5 deviations allows."""
    draw = random.Random(22)
    named = total = 0
    for _ in range(400):
        fleet = machines([draw.gauss(0.1, 0.03) for _ in range(30)])
        named += len(outliers(fleet, ERRORS, least=0.0))
        total += len(fleet)
    assert named / total < 0.005
