"""Arm and order that are one are told, and nothing else is."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from assay.model.doubt import Raised
from assay.model.figures.measured import ValueKind
from assay.report.doubts import worded
from assay.stats.analysis.measured import Question
from assay.stats.replication.neighbours import lag1_correlation
from tests.measured_runs import MeasuredRun, measured_loss, order_doubts, share_before

Orders = Sequence[str]
"""Of each block the arms in their order in time, ``hg``, ``ghg``."""
ARMS = {"h": "host", "g": "guest", "o": "other"}


def runs_of(blocks: Orders, *, session: str = "", begin: float = 0.0) -> list[MeasuredRun]:
    """Return runs one after the other."""
    placed = [(block, arm) for block, arms in enumerate(blocks) for arm in arms]
    return [
        MeasuredRun(str(block), ARMS[arm], 90.0 + at % 7, session, order=begin + at)
        for at, (block, arm) in enumerate(placed)
    ]


def apart(blocks: int, first: str = "host", **more: str) -> list[MeasuredRun]:
    """Return all runs of one arm, and then all of the other."""
    second = "guest" if first == "host" else "host"
    order = [(arm, block) for arm in (first, second) for block in range(blocks)]
    return [
        MeasuredRun(str(block), arm, 90.0, order=float(at), **more) for at, (arm, block) in enumerate(order)
    ]


def doubts(runs: Sequence[MeasuredRun]) -> list[Raised]:
    return list(order_doubts(runs, baseline="host", treatment="guest"))


def said(runs: Sequence[MeasuredRun]) -> str:
    (doubt,) = doubts(runs)
    assert doubt.code == "order-confounded"
    assert worded(doubt).sentence.endswith("is taken for loss or hides it.")
    return worded(doubt).sentence.split(":")[0]


@pytest.mark.parametrize("blocks", [2, 5, 40])
@pytest.mark.parametrize(("first", "second"), [("host", "guest"), ("guest", "host")])
def test_all_of_one_arm_before_all_of_the_other(blocks: int, first: str, second: str) -> None:
    assert said(apart(blocks, first)) == f"All runs of {first} come before those of {second}"


def test_nearly_all_of_one_arm_before_the_other() -> None:
    runs = apart(10)
    swapped = {9.0: 10.0, 10.0: 9.0}
    near = [replace(run, order=swapped.get(run.order or 0.0, run.order)) for run in runs]
    assert said(near) == "Nearly all runs of host come before those of guest"
    assert share_before([r for r in near if r.arm == "host"], [r for r in near if r.arm == "guest"]) == 0.99


def test_the_share_of_pairs_by_hand_where_runs_at_once_count_half() -> None:
    host = [MeasuredRun("1", "host", 1.0, order=at) for at in (1.0, 4.0)]
    guest = [MeasuredRun("1", "guest", 1.0, order=at) for at in (2.0, 4.0, 5.0)]
    assert share_before(host, guest) == (3 + 1.5) / 6
    assert share_before(guest, host) == 1 - (3 + 1.5) / 6


def test_each_session_is_looked_at_by_itself() -> None:
    days = [
        replace(run, order=(run.order or 0.0) + 100 * day)
        for day in range(3)
        for run in apart(4, session=str(day))
    ]
    assert said(days) == "All runs of host come before those of guest, in each of 3 sessions"


def test_sessions_of_opposite_orders_balance_a_drift() -> None:
    days = [
        replace(run, order=(run.order or 0.0) + 100 * day)
        for day in range(4)
        for run in apart(4, ("host", "guest")[day % 2], session=str(day))
    ]
    assert doubts(days) == []


def test_clocks_of_machines_are_not_compared() -> None:
    machines = [run for name in ("node1", "node2") for run in apart(3, machine=name)]
    assert said(machines) == "All runs of host come before those of guest, in each of 2 machines"


@pytest.mark.parametrize(
    ("blocks", "reported"),
    [
        (["hg"] * 5, None),  # 1 in 16 by chance
        (["hg"] * 6, "host comes first in 6 of 6 blocks"),
        (["gh"] * 8, "guest comes first in 8 of 8 blocks"),
        (["hg"] * 8 + ["gh"], "host comes first in 8 of 9 blocks"),
        (["hg"] * 7 + ["gh"], None),  # 9 in 128 by chance
        (["hg"] * 70 + ["gh"] * 30, None),  # no chance, and most of a drift is balanced
        (["hg", "gh"] * 10, None),
        (["hgh"] * 10, None),  # the host comes first and last
        (["ghg"] * 10, None),
        (["hgg"] * 10, "host comes first in 10 of 10 blocks"),
        (["hg"] * 2500 + ["gh"] * 500, "host comes first in 2500 of 3000 blocks"),
        (["ohg"] * 6, "host comes first in 6 of 6 blocks"),
        (["hg"] * 6 + ["h", "g"] * 9, "host comes first in 6 of 6 blocks"),  # others are left out
    ],
)
def test_blocks_that_begin_with_the_same_arm(blocks: Orders, reported: str | None) -> None:
    runs = runs_of(blocks)
    assert [worded(doubt).sentence.split(":")[0] for doubt in doubts(runs)] == (
        [] if reported is None else [reported]
    )


def test_a_random_order_in_each_block_is_called_confounded_as_rarely_as_is_said() -> None:
    draw = random.Random(1)
    for blocks in (6, 9, 14, 30):
        found = sum(
            bool(doubts(runs_of([draw.choice(("hg", "gh")) for _ in range(blocks)]))) for _ in range(1000)
        )
        assert found <= 50 + 2 * math.sqrt(1000 * 0.05 * 0.95)


def test_without_the_order_of_every_run_nothing_is_said() -> None:
    runs = apart(6)
    assert doubts([replace(run, order=None) for run in runs]) == []
    assert doubts([replace(runs[0], order=None), *runs[1:]]) == []
    assert doubts([run for run in runs if run.arm == "host"]) == []


def test_neither_the_order_of_rows_nor_the_unit_of_the_order_changes_what_is_said() -> None:
    runs = runs_of(["hg"] * 9 + ["gh"])
    changed = [
        replace(run, order=1e9 * (run.order or 0.0) - 5) for run in random.Random(1).sample(runs, len(runs))
    ]
    assert doubts(changed) == doubts(runs) != []


def drifting(order: Callable[[int], str], drift: float) -> list[MeasuredRun]:
    """Return two equal arms on a machine that becomes slower by a share at each run."""
    noise = random.Random(2)
    return [
        replace(run, value=90 * (1 + drift * (run.order or 0.0)) * math.exp(noise.gauss(0, 0.002)))
        for run in runs_of([order(block) for block in range(12)])
    ]


@pytest.mark.parametrize(
    ("order", "confounded"), [(lambda _: "hg", True), (lambda b: ("hg", "gh")[b % 2], False)]
)
def test_a_drift_is_taken_for_loss_just_where_it_is_doubted(
    order: Callable[[int], str], confounded: bool
) -> None:
    found = measured_loss(drifting(order, 0.01), Question("host", "guest", ValueKind.TIME, 0.95, 0.001))
    assert found.loss.estimate.low is not None
    assert (found.loss.estimate.low > 0) is confounded
    assert ("order-confounded" in [doubt.code for doubt in found.doubts]) is confounded


def test_neighbours_are_those_in_time_and_not_those_by_name() -> None:
    draw = random.Random(3)
    slow = [0.0]
    for _ in range(29):
        slow.append(0.9 * slow[-1] + draw.gauss(0, 0.02))
    names = draw.sample(range(30), 30)
    runs = [
        MeasuredRun(
            str(names[at]), arm, 90.0 * (math.exp(drift) if arm == "guest" else 1.0), order=2.0 * at + late
        )
        for at, drift in enumerate(slow)
        for late, arm in enumerate(draw.sample(("host", "guest"), 2))
    ]
    by_name = [slow[names.index(name)] for name in range(30)]
    assert lag1_correlation(slow, [0] * 30) is not None
    assert lag1_correlation(by_name, [0] * 30) is None
    question = Question("host", "guest", ValueKind.TIME, 0.95, 0.01)
    reported, untold = (
        measured_loss(some, question) for some in (runs, [replace(run, order=None) for run in runs])
    )
    assert "blocks-alike" in [doubt.code for doubt in reported.doubts]
    assert "blocks-alike" not in [doubt.code for doubt in untold.doubts]
    assert reported.loss == untold.loss
