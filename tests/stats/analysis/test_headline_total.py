"""The loss of the total, against ratios by hand and the typical loss beside it."""

from __future__ import annotations

import math
import random

import pytest

from assay.model.figures.estimate import Looks, Verdict
from assay.stats.analysis.headline_total import total_loss
from assay.stats.fieller import ratio_of_totals
from assay.stats.replication.components import Floor
from assay.stats.replication.paired import loss_of
from assay.stats.replication.resolution import Resolution
from assay.stats.replication.sessions import Asked, session_loss

TIMES = [(10.0, 10.4), (10.2, 10.7), (9.9, 10.3), (10.1, 10.5), (10.0, 13.0), (10.3, 10.6)]
"""Of 4 % more, but for one slow outlier."""


def test_an_outlier_counts_with_all_that_it_cost() -> None:
    found = total_loss(TIMES, [0] * 6, Asked())
    ratio = sum(t for _, t in TIMES) / sum(b for b, _ in TIMES)
    assert found.slowdown == pytest.approx(ratio)
    assert found.loss == pytest.approx(1 - 1 / ratio)
    typical = session_loss([math.log(t / b) for b, t in TIMES], [0] * 6, Asked()).estimate
    assert found.loss > typical.loss  # type: ignore[operator]
    assert found.blocks == 6
    assert "tail-loss" not in {doubt.code for doubt in found.doubts}


def test_the_interval_is_fiellers_and_the_verdict_is_drawn_from_it() -> None:
    found = total_loss(TIMES[:4], [0] * 4, Asked(0.9))
    ratio = ratio_of_totals([t for _, t in TIMES[:4]], [b for b, _ in TIMES[:4]], 0.9)
    assert (found.low, found.high) == pytest.approx((1 - 1 / ratio.low, 1 - 1 / ratio.high))
    assert found.verdict is Verdict.LOSS
    assert found.method == (
        "ratio of totals with Fieller's interval; verdict taken once from it, at the declared "
        "number of blocks"
    )
    assert total_loss(TIMES, [0] * 6, Asked(margin=0.5)).verdict is Verdict.EQUIVALENT


@pytest.mark.parametrize("asked", [Asked(floor=Floor(0.05)), Asked(resolution=Resolution(0.0, 0.1))])
def test_what_blocks_share_enters_as_in_the_typical_loss(asked: Asked) -> None:
    plain, found = total_loss(TIMES[:4], [0] * 4, Asked()), total_loss(TIMES[:4], [0] * 4, asked)
    half = asked.lasting(1)
    centre = math.log(plain.slowdown or 0)
    low = -math.log1p(-(plain.low or 0.0))
    assert found.low == pytest.approx(loss_of(centre - math.hypot(centre - low, half)))
    assert (plain.verdict, found.verdict) == (Verdict.LOSS, Verdict.INCONCLUSIVE)


def test_over_sessions_each_total_of_one_counts_once() -> None:
    times = [(10.0, 10.0 + shift + at / 100) for shift in (0.5, 1.5, 2.5) for at in range(4)]
    days = [at // 4 for at in range(12)]
    found = total_loss(times, days, Asked())
    sums = [[sum(pair[arm] for pair in times[at : at + 4]) for at in (0, 4, 8)] for arm in (1, 0)]
    ratio = ratio_of_totals(*sums)
    assert found.method.startswith("over sessions: ")
    assert (found.low, found.high) == pytest.approx((1 - 1 / ratio.low, 1 - 1 / ratio.high))
    assert "sessions-differ" in {doubt.code for doubt in found.doubts}


def test_looked_at_after_every_block_there_is_no_verdict() -> None:
    found = total_loss(TIMES[:4] * 3, [0] * 12, Asked(looks=Looks.EVERY))
    assert (found.verdict, found.blocks_more) == (Verdict.INCONCLUSIVE, None)
    assert found.low is not None


def test_a_total_that_could_be_anything_has_no_interval() -> None:
    found = total_loss([(1.0, 30.0), (50.0, 1.0)], [0, 0], Asked(0.99))
    assert (found.low, found.high, found.verdict) == (None, None, Verdict.INCONCLUSIVE)


@pytest.mark.parametrize("times", [[], TIMES[:1], [(2.0, 3.0)] * 4])
def test_without_scatter_or_a_second_block_it_is_the_typical_loss(times: list[tuple[float, float]]) -> None:
    logs = [math.log(t / b) for b, t in times]
    sessions = [0] * len(times)
    assert total_loss(times, sessions, Asked()) == session_loss(logs, sessions, Asked()).estimate


def test_of_a_machine_against_itself_it_is_called_as_rarely_as_the_confidence_says() -> None:
    draw = random.Random(5)
    called = 0
    for _ in range(600):
        times = [(math.exp(draw.gauss(0, 0.03)), math.exp(draw.gauss(0, 0.03))) for _ in range(6)]
        called += total_loss(times, [0] * 6, Asked()).verdict is not Verdict.INCONCLUSIVE
    assert called / 600 < 0.075
