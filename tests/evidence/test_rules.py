"""What evidence computes of rules for many results at once is what the product gives for each."""

from __future__ import annotations

import numpy as np
import pytest

from assay.stats import loss_of, paired_loss
from assay.stats.replication.components import Floor
from assay.stats.replication.difference import loss_difference
from assay.stats.replication.sessions import Asked, session_loss
from evidence.compare import mover
from evidence.families import draw_family
from evidence.sessions import ends_of


@pytest.mark.parametrize("floor", [0.0, 0.004])
def test_the_interval_of_a_difference_is_the_products(floor: float) -> None:
    a, b = (draw_family("outliers 5 %", seed=seed, campaigns=20, blocks=8, loss=0.03).d for seed in (1, 2))
    value, low, high = mover(a, b, floor)
    for row in range(20):
        losses = [paired_loss(d[row].tolist(), floor=floor) for d in (a, b)]
        found = loss_difference(*losses)
        assert found is not None
        assert (value[row], low[row], high[row]) == pytest.approx((found.value, found.low, found.high))


@pytest.mark.parametrize(("sessions", "blocks"), [(2, 6), (3, 5), (6, 4)])
@pytest.mark.parametrize("sigma", [None, 0.001, 0.01])
def test_the_interval_of_several_sessions_is_the_products(
    sessions: int, blocks: int, sigma: float | None
) -> None:
    draw = np.random.default_rng(sessions)
    d = 0.01 * (draw.normal(0, 1, (30, sessions, blocks)) + draw.normal(0, 0.7, (30, sessions, 1)))
    low, high = ends_of(d, sigma)
    labels = [at // blocks for at in range(sessions * blocks)]
    for row in range(30):
        asked = Asked(floor=None if sigma is None else Floor(sigma))
        found = session_loss(d[row].ravel().tolist(), labels, asked).estimate
        assert (found.low, found.high) == pytest.approx((loss_of(low[row]), loss_of(high[row])))
