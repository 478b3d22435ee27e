"""The course of many campaigns at once is the product's course of each."""

from __future__ import annotations

import numpy as np
import pytest

from assay.design.predict import predict, session_share
from assay.design.stopping import Metered, Standing, Wanted, standing
from assay.model.figures.estimate import Estimate
from assay.model.goal import Goal
from assay.stats.replication.components import components
from evidence.noise import PRESETS, simulate
from evidence.stops import Rule, floors_of, stops

MOST = 60


def course(
    d: list[float], days: list[float], wanted: Wanted, sigma: float | None
) -> tuple[int, Estimate | None]:
    """Blocks and estimate of one campaign, by the product's functions."""
    goal, logs, labels, session, before = wanted.goal, [], [], 0, 0
    for n, value in enumerate(d, 1):
        logs.append(value + days[session])
        labels.append(session)
        metered = Metered(tuple(logs), session + 1, sigma, labels=tuple(labels))
        if standing(metered, wanted) is not Standing.GO_ON:
            return n, metered.estimate(wanted)
        predicted = predict([[metered]], wanted).blocks
        expected = min(MOST, max(goal.minimum_blocks, n, MOST if predicted is None else predicted))
        left = goal.sessions - session
        if left >= 2 and n - before >= session_share(max(expected, goal.sessions), before, left):
            before, session = n, session + 1
    return MOST, None


@pytest.mark.parametrize("sigma", [None, 0.001])
@pytest.mark.parametrize("sessions", [1, 3, 4])
@pytest.mark.parametrize("preset", ["quiet", "typical"])
def test_campaigns_stop_where_the_products_rule_stops(
    preset: str, sessions: int, sigma: float | None
) -> None:
    draw = np.random.default_rng(sessions)
    d = simulate(PRESETS[preset], draw, campaigns=12, blocks=MOST, loss=0.03).d
    days = draw.normal(0, 0.001, (12, sessions))
    goal = Goal(adaptive=True, precision=0.006, minimum_blocks=10, sessions=sessions)
    found = stops(
        d, days, np.full(12, sigma or 0.0), Rule(0.006, 10, MOST, sessions, floor=sigma is not None)
    )
    for row in range(12):
        blocks, estimate = course(d[row].tolist(), days[row].tolist(), Wanted(goal), sigma)
        assert found.blocks[row] == blocks
        ends = (-np.inf, np.inf) if estimate is None else (estimate.low, estimate.high)
        assert (found.low[row], found.high[row]) == pytest.approx(ends, rel=1e-9)


def test_the_floor_that_a_site_knows_is_the_products() -> None:
    d = simulate(PRESETS["noisy"], np.random.default_rng(3), campaigns=40, blocks=6, loss=0.0).d
    sites = d.reshape(5, 8, 6)
    found = floors_of(sites)
    for site, floor in zip(sites, found, strict=True):
        parts = components(site.ravel().tolist(), [at for at in range(8) for _ in range(6)])
        assert floor == pytest.approx(parts.session / 2**0.5, rel=1e-9, abs=1e-12)
