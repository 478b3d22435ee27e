"""How many intervals miss by chance, against simulation and by hand."""

from __future__ import annotations

import random

import pytest

from assay.stats.chance import RARE, most_by_chance


@pytest.mark.parametrize(
    ("intervals", "most"), [(0, 0), (1, 1), (2, 1), (20, 4), (37, 5), (1000, 67), (10_000, 551)]
)
def test_it_is_the_99th_percentile_of_the_binomial_distribution(intervals: int, most: int) -> None:
    assert most_by_chance(intervals, 0.95) == most


def test_more_are_seen_in_less_than_one_set_of_a_hundred() -> None:
    draw = random.Random(7)
    most = most_by_chance(37, 0.95)
    sets = [sum(draw.random() < 0.05 for _ in range(37)) for _ in range(20_000)]
    above = sum(missed > most for missed in sets) / len(sets)
    assert above < RARE < sum(missed >= most for missed in sets) / len(sets)
