"""A floor is judged over all sessions that are wanted, and as a loss."""

from __future__ import annotations

import math
import random

import pytest

from assay.design.advice import advice_of
from assay.design.predict import predict
from assay.design.stopping import Metered, Standing, Wanted, floor_to_come, standing
from assay.model.goal import Goal
from assay.report.doubts.results import CLAUSES
from assay.report.doubts.wording import wording_of
from assay.stats.replication.components import Floor, components

WANTED = Wanted(Goal(adaptive=True, precision=0.005, minimum_blocks=10, sessions=4))


def blocks(count: int, loss: float = 0.03) -> list[float]:
    draw = random.Random(4)
    return [draw.gauss(-math.log1p(-loss), 0.015) for _ in range(count)]


def test_the_second_session_does_not_ask_for_more_blocks_than_the_first() -> None:
    d = blocks(9)
    needed = [predict([[Metered(d, sessions, 0.001)]], WANTED).blocks for sessions in (1, 2, 3, 4)]
    assert len(set(needed)) == 1


def test_a_floor_asks_for_more_blocks_than_none() -> None:
    d = blocks(9)
    without, with_floor = (predict([[Metered(d, 1, sigma)]], WANTED).blocks for sigma in (None, 0.001))
    assert without is not None
    assert with_floor is not None
    assert without < with_floor < 2 * without


def test_a_large_loss_makes_the_floor_a_smaller_loss() -> None:
    sigma = 0.006 / Floor(1.0).half(4)
    assert standing(Metered(blocks(10), 1, sigma), WANTED) is Standing.FLOOR
    half = Metered([math.log(2.0) + 0.001 * (-1) ** at for at in range(10)], 1, sigma)
    assert floor_to_come(half, WANTED) == pytest.approx(0.003)
    assert standing(half, WANTED) is Standing.GO_ON


def test_a_floor_that_ends_a_campaign_in_its_first_session_is_what_is_named() -> None:
    metered = Metered(blocks(10), 1, 0.003, 3)
    assert standing(metered, WANTED) is Standing.FLOOR
    assert standing(Metered(blocks(10), 1, 0.003), WANTED) is Standing.GO_ON  # known exactly, t is smaller
    advice = advice_of(metered, components(metered.slowdowns, [0] * 10), WANTED)
    assert advice.case == "floor"
    assert "over 4 sessions" in wording_of(CLAUSES, advice).sentence
