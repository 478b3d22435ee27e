"""Neighbouring blocks that are alike tell less than independent ones."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import pytest
from scipy import stats

from assay.report.doubts import worded
from assay.stats import paired_loss
from assay.stats.replication.neighbours import ENOUGH, RARE, batch_means, lag1_correlation, neighbour_doubts


def walk(count: int, keep: float, seed: int = 1) -> list[float]:
    draw = random.Random(seed)
    found = [draw.gauss(0, 1)]
    for _ in range(count - 1):
        found.append(keep * found[-1] + math.sqrt(1 - keep**2) * draw.gauss(0, 1))
    return [0.03 + 0.01 * one for one in found]


def test_independent_blocks_are_called_alike_as_rarely_as_is_said() -> None:
    called = sum(lag1_correlation(walk(20, 0.0, seed), [0] * 20) is not None for seed in range(2000))
    assert called / 2000 <= RARE + 2 * math.sqrt(RARE / 2000)


def test_blocks_that_are_alike_are_seen() -> None:
    assert sum(lag1_correlation(walk(40, 0.7, seed), [0] * 40) is not None for seed in range(100)) > 80


@pytest.mark.parametrize(
    "values",
    [
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 100.0, 11.0, 12.0],
        [1.0, 1.0, 1.0, 2.0, 2.0, 3.0, 4.0, 4.0, 4.0, 4.0, 5.0, 5.0],
    ],
)
def test_the_correlation_is_that_of_ranks_by_hand(values: list[float]) -> None:
    ranks = stats.rankdata(values) - 6.5
    wanted = sum(a * b for a, b in pairwise(ranks)) / 11 / (ranks**2).mean()
    assert lag1_correlation(values, [0] * 12) == pytest.approx(wanted)


@pytest.mark.parametrize("count", [ENOUGH - 1, ENOUGH])
def test_it_is_looked_at_from_ten_blocks_on(count: int) -> None:
    assert ENOUGH == 10
    assert (lag1_correlation([float(at) for at in range(count)], [0] * count) is not None) is (count == 10)


def test_blocks_of_different_sessions_are_no_neighbours() -> None:
    values = [float(at) for at in range(20)]
    assert lag1_correlation(values, [0] * 20) is not None
    assert lag1_correlation(values, [at // 10 for at in range(20)]) is not None
    assert lag1_correlation(values, [at // 2 for at in range(20)]) is None
    assert lag1_correlation(values, list(range(20))) is None


def test_blocks_without_scatter_are_not_alike() -> None:
    assert lag1_correlation([0.1] * 20, [0] * 20) is None


def test_batches_are_means_of_neighbours_inside_their_sessions() -> None:
    values = [1.0, 3.0, 5.0, 2.0, 4.0, 6.0, 8.0]
    assert batch_means(values, ["a", "a", "a", "b", "b", "b", "b"]) == [2.0, 3.0, 7.0]
    assert batch_means(values, [0] * 7, size=3) == [3.0, 4.0]
    assert batch_means([], []) == []


def test_the_doubt_offers_the_loss_by_batch_means() -> None:
    values = walk(40, 0.9)
    (doubt,) = neighbour_doubts(values, [0] * 40, paired_loss(values))
    assert doubt.code == "blocks-alike"
    by_twos = paired_loss(batch_means(values, [0] * 40))
    assert by_twos.loss is not None
    assert f"By twos it is {100 * by_twos.loss:.2f} %" in worded(doubt).sentence
    assert worded(doubt).next is not None
    assert list(neighbour_doubts(walk(40, 0.0), [0] * 40, paired_loss(walk(40, 0.0)))) == []


def test_an_interval_as_wide_as_that_of_the_batch_means_is_not_too_narrow() -> None:
    values = walk(40, 0.9)
    by_twos = paired_loss(batch_means(values, [0] * 40))
    assert list(neighbour_doubts(values, [0] * 40, by_twos)) == []


@pytest.mark.parametrize(("sessions", "blocks"), [(3, 5), (4, 5), (3, 10)])
def test_sessions_that_differ_do_not_make_their_blocks_alike(sessions: int, blocks: int) -> None:
    draw = random.Random(11)
    labels = [session for session in range(sessions) for _ in range(blocks)]
    found = 0
    for _ in range(400):
        means = [draw.gauss(0, 0.02) for _ in range(sessions)]
        found += (
            lag1_correlation([means[session] + draw.gauss(0, 0.01) for session in labels], labels) is not None
        )
    assert found <= 12
