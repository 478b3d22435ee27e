"""The level of an interval: blocks, sessions or machines."""

from __future__ import annotations

import math
import random
import re

import pytest
from scipy import stats

from assay.model.figures.estimate import Verdict
from assay.report.doubts import worded
from assay.stats import paired_loss
from assay.stats.replication.levels import Level
from tests.measured_runs import BlockLoss, level_loss


def blocks(by_group: dict[tuple[str, str], list[float]]) -> list[BlockLoss]:
    return [
        BlockLoss(machine, session, str(at), d)
        for (machine, session), values in by_group.items()
        for at, d in enumerate(values)
    ]


def drawn(seed: int, *, sessions: int, each: int, between: float, within: float = 0.005) -> list[BlockLoss]:
    noise = random.Random(seed)
    shifts = [noise.gauss(0.03, between) for _ in range(sessions)]
    return blocks({("", str(s)): [noise.gauss(m, within) for _ in range(each)] for s, m in enumerate(shifts)})


def test_one_session_speaks_of_itself_alone() -> None:
    found = level_loss(drawn(1, sessions=1, each=10, between=0))
    assert (found.scope, found.level, found.sessions, found.machines) == ("this-session", Level.BLOCK, 1, 1)
    assert found.components.session is None


def test_sessions_that_are_alike_are_one_sample_of_blocks() -> None:
    held = drawn(5, sessions=4, each=6, between=0)  # a ratio of mean squares of 0.52
    found = level_loss(held, margin=0.01)
    assert (found.scope, found.level, found.sessions) == ("this-machine", Level.BLOCK, 4)
    assert found.estimate == paired_loss([block.d for block in held], margin=0.01)


def test_sessions_that_are_alike_count_by_chance_and_nobody_says_that_they_differ() -> None:
    held = drawn(4, sessions=4, each=6, between=0)  # of 1.55, which chance makes in 23 % of all cases
    found = level_loss(held)
    assert (found.scope, found.level) == ("this-machine", Level.SESSION)
    assert found.components.chance == pytest.approx(0.2335, abs=1e-4)
    assert found.estimate.doubts == ()
    means = [sum(block.d for block in held[at : at + 6]) / 6 for at in range(0, 24, 6)]
    wanted = stats.ttest_1samp(means, 0.0).confidence_interval()  # sessions of one size count once each
    assert (found.estimate.low, found.estimate.high) == pytest.approx(
        (-math.expm1(-wanted.low), -math.expm1(-wanted.high)), rel=1e-9
    )


def test_sessions_that_differ_count_once_each_and_say_so() -> None:
    held = drawn(4, sessions=4, each=6, between=0.03)
    found = level_loss(held)
    assert (found.scope, found.level) == ("this-machine", Level.SESSION)
    assert found.estimate.blocks == 24
    assert found.estimate.method.startswith("over 4 sessions: mean with Student's t")
    (doubt,) = [doubt for doubt in found.estimate.doubts if doubt.code == "sessions-differ"]
    assert "4 sessions" in worded(doubt).sentence
    assert worded(doubt).next is not None
    pooled = paired_loss([block.d for block in held])
    assert found.estimate.high - found.estimate.low > pooled.high - pooled.low  # type: ignore[operator]


def test_sessions_that_differ_need_more_sessions_and_not_more_blocks() -> None:
    held = drawn(2, sessions=4, each=6, between=0.05)
    found = level_loss(held, margin=0.001)
    assert (found.level, found.estimate.verdict) == (Level.SESSION, Verdict.INCONCLUSIVE)
    assert found.estimate.blocks_more is None


def test_the_doubt_has_the_digits_of_a_standard_deviation() -> None:
    (doubt,) = level_loss(drawn(4, sessions=4, each=6, between=0.03)).estimate.doubts
    shares = re.findall(r"([\d.]+) %", worded(doubt).sentence)
    assert len(shares) == 2
    assert all(len(share.replace(".", "").lstrip("0")) <= 2 for share in shares)


def test_sessions_of_one_block_each_are_blocks() -> None:
    found = level_loss(drawn(5, sessions=8, each=1, between=0.02))
    assert (found.scope, found.level) == ("this-machine", Level.BLOCK)
    assert found.components.chance is None


def test_rounding_makes_no_sessions_differ() -> None:
    values = {
        ("", s): [math.log(1.1 * k) - math.log(k) for k in (3.0, 7.0, 11.1 * at)]
        for at, s in ((1, "a"), (2, "b"))
    }
    assert level_loss(blocks(values)).level is Level.BLOCK


def test_several_machines_are_a_fleet_in_which_each_counts_once() -> None:
    found = level_loss(
        blocks({("a", ""): [0.01, 0.02], ("b", ""): [0.05] * 50, ("c", ""): [0.03, 0.03, 0.03]})
    )
    assert (found.scope, found.level, found.machines) == ("fleet(3)", Level.MACHINE, 3)
    assert found.estimate.slowdown == pytest.approx(math.exp((0.015 + 0.05 + 0.03) / 3), rel=1e-12)
    assert found.estimate.blocks == 55
    assert found.components.sessions == 3


def test_no_block_is_not_measured() -> None:
    found = level_loss([])
    assert found.estimate.verdict is Verdict.NOT_MEASURED
    assert (found.sessions, found.machines) == (0, 0)


@pytest.mark.parametrize("between", [0.0, 0.03])
def test_the_order_of_blocks_changes_nothing(between: float) -> None:
    held = drawn(6, sessions=4, each=7, between=between)
    shuffled = random.Random(1).sample(held, len(held))
    a, b = level_loss(held).estimate, level_loss(shuffled).estimate
    assert (a.low, a.loss, a.high, a.verdict) == (b.low, b.loss, b.high, b.verdict)


@pytest.mark.parametrize(("between", "covered"), [(0.0, (0.93, 0.98)), (0.01, (0.90, 0.99))])
def test_the_interval_covers_the_machines_loss_over_sessions(
    between: float, covered: tuple[float, float]
) -> None:
    """400 campaigns of 5 sessions with 5 blocks; an interval over blocks covers 0.64 of them at 0.01."""
    hits = 0
    for seed in range(400):
        found = level_loss(drawn(seed, sessions=5, each=5, between=between)).estimate
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= -math.expm1(-0.03) <= found.high
    assert covered[0] <= hits / 400 <= covered[1]
