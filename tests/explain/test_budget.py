"""The budget of a loss: it closes, whatever the times are."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import pytest

from assay.explain.budget import budget, share_of
from assay.explain.split import Category, Key, Use, overdrawn, split
from assay.explain.waterfall import baseline_share, waterfall
from assay.stats.mean import t_quantile

PHASES = ("init", "event-loop", "end", "rest")


def _times(draw: random.Random, phases: tuple[str, ...]) -> dict[Key, float]:
    uses = [
        Use(
            phase,
            draw.uniform(0.5, 900),
            draw.uniform(0, 500),
            draw.uniform(0, 300),
            draw.uniform(0, 200),
            1e-7,
        )
        for phase in phases
    ]
    return dict(split(uses, 2))


@pytest.mark.parametrize("seed", range(20))
def test_the_parts_add_up_to_the_loss_of_each_block_and_of_all(seed: int) -> None:
    draw = random.Random(seed)
    blocks = [(_times(draw, PHASES[:3]), _times(draw, PHASES)) for _ in range(7)]
    made = budget(blocks)
    assert made.residual < 1e-9
    for (base, treated), parts in zip(blocks, made.by_block, strict=True):
        whole = math.fsum(treated.values())
        assert math.fsum(parts.values()) == pytest.approx(
            (whole - math.fsum(base.values())) / whole, abs=1e-9
        )


@pytest.mark.parametrize("seed", range(5))
def test_the_waterfall_leads_from_the_baselines_time_to_the_treatments(seed: int) -> None:
    draw = random.Random(seed)
    made = budget([(_times(draw, PHASES), _times(draw, PHASES)) for _ in range(3)])
    steps = waterfall(made)
    assert steps[0].start == pytest.approx(baseline_share(made).value, abs=1e-9)
    assert steps[-1].end == pytest.approx(1.0, abs=1e-9)
    assert all(a.end == pytest.approx(b.start) for a, b in pairwise(steps))
    assert sum(step.together for step in steps) == len(made.parts)


def test_a_phase_of_one_arm_only_counts_as_zero_on_the_other() -> None:
    base = split([Use("loop", 8.0, 8.0, 0.0)], 1)
    treated = split([Use("init", 2.0, 1.0, 0.0), Use("loop", 8.0, 8.0, 0.0)], 1)
    made = budget([(base, treated)])
    parts = {(part.phase, part.category): part for part in made.parts}
    assert parts["init", Category.USER].contribution.value == pytest.approx(0.1)
    assert parts["init", Category.IDLE].baseline_s == 0.0
    assert made.loss.value == pytest.approx(0.2)
    assert made.loss.low is None


def test_boss_on_twelve_guests_loses_7_668_percent_and_99_23_percent_of_it_in_the_initialization() -> None:
    base = split([Use("init", 35.0, 35.0, 0.0), Use("event-loop", 4806.6, 4806.6, 0.0)], 1)
    treated = split([Use("init", 434.0, 434.0, 0.0), Use("event-loop", 4809.7, 4809.7, 0.0)], 1)
    made = budget([(base, treated)])
    init = made.sum_of(lambda key: key[0] == "init")
    assert made.loss.value == pytest.approx(0.07668, abs=5e-6)
    assert init.value / made.loss.value == pytest.approx(0.9923, abs=5e-5)


def test_a_parts_interval_is_that_of_its_contributions() -> None:
    blocks = [
        (split([Use("total", 10.0, 10.0, 0.0)], 1), split([Use("total", t, t, 0.0)], 1))
        for t in (11.0, 12.0, 13.0)
    ]
    made = budget(blocks, confidence=0.9)
    values = [1 / 11, 2 / 12, 3 / 13]
    mean = sum(values) / 3
    spread = math.sqrt(sum((v - mean) ** 2 for v in values) / 2)
    half = t_quantile(0.9, 2) * spread / math.sqrt(3)
    (part,) = [part for part in made.parts if part.category is Category.USER]
    assert part.contribution.value == pytest.approx(mean)
    assert part.contribution.low == pytest.approx(mean - half)
    assert share_of([0.5], 0.95).low is None


def test_the_order_of_blocks_and_the_unit_of_time_change_nothing() -> None:
    draw = random.Random(3)
    blocks = [(_times(draw, PHASES), _times(draw, PHASES)) for _ in range(4)]
    scaled = [({k: v * 1e3 for k, v in a.items()}, {k: v * 1e3 for k, v in b.items()}) for a, b in blocks]
    for other in (budget(blocks[::-1]), budget(scaled)):
        assert other.loss.value == pytest.approx(budget(blocks).loss.value, rel=1e-12)


def test_lanes_share_the_cpu_time_and_the_remainder_is_idle() -> None:
    times = split([Use("total", 10.0, 12.0, 2.0, io_s=1.0, queue_s=3.0)], 2)
    assert [times["total", category] for category in Category] == [6.0, 1.0, 0.5, 1.5, 1.0]
    assert overdrawn(times) == 0.0


def test_what_is_more_than_the_wall_time_is_kept_below_zero_and_told() -> None:
    times = split([Use("total", 10.0, 9.0, 0.0, queue_s=2.0)], 1)
    assert times["total", Category.IDLE] == -1.0
    assert overdrawn(times) == pytest.approx(0.1)
    assert sum(times.values()) == pytest.approx(10.0)


def test_without_a_block_or_with_a_time_of_zero_there_is_no_budget() -> None:
    with pytest.raises(ValueError, match="times above zero"):
        budget([])
    with pytest.raises(ValueError, match="times above zero"):
        budget([({}, split([Use("total", 1.0, 1.0, 0.0)], 1))])
