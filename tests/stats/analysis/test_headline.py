"""Which event number the headline is at, and the level of its ratio of totals."""

from __future__ import annotations

import math
import random

import pytest

from assay.model.figures.measured import ValueKind
from assay.report.doubts import worded
from assay.stats.analysis.measured import MeasuredLoss, Question
from assay.stats.fieller import ratio_of_totals
from assay.stats.replication.levels import Level
from tests.measured_runs import MeasuredRun, measured_loss

LINES = {"host": (120.0, 0.85), "guest": (180.0, 0.9)}


def ask(runs: list[MeasuredRun], kind: ValueKind = ValueKind.TIME) -> MeasuredLoss:
    return measured_loss(runs, Question("host", "guest", kind, 0.95, 0.01))


def at(block: int, *numbers: int, seed: int = 0) -> list[MeasuredRun]:
    """Return one run of each arm at each event number."""
    noise = random.Random(f"{seed} {block}")
    return [
        MeasuredRun(str(block), arm, (a + b * n) * math.exp(noise.gauss(0, 0.01)), events=n)
        for n in numbers
        for arm, (a, b) in LINES.items()
    ]


@pytest.mark.parametrize(
    ("held", "events", "blocks"),
    [
        ([(10, 100)] * 7 + [(10, 100, 1000)], 100, 8),
        ([(10, 100)] * 2 + [(10, 100, 1000)] * 6, 1000, 6),
        ([(10, 1000)] * 5, 1000, 5),
        ([(10,)] * 2 + [(10, 1000)] * 3, 10, 5),
        ([(10, 1000)], 1000, 1),
        ([(10,)] * 3 + [(100,)] * 3 + [(1000,)] * 3, 1000, 3),
    ],
)
def test_the_headline_is_at_the_largest_number_of_events_that_blocks_enough_hold(
    held: list[tuple[int, ...]], events: int, blocks: int
) -> None:
    found = ask([run for block, numbers in enumerate(held) for run in at(block, *numbers)])
    assert (found.events, found.loss.estimate.blocks) == (events, blocks)
    assert not [doubt for doubt in found.doubts if doubt.code == "events-vary"]


@pytest.mark.parametrize("blocks", [2, 12, 80])
def test_event_numbers_that_vary_by_block_are_paired_inside_blocks(blocks: int) -> None:
    draw = random.Random(1)
    numbers = [draw.randrange(1000, 2_000_000) for _ in range(blocks)]
    runs = [run for block, n in enumerate(numbers) for run in at(block, n)]
    alone = [MeasuredRun("alone", "host", 9.0, events=77)]
    found = ask([*runs, *alone])
    assert (found.events, found.loss.estimate.blocks, found.pairing.incomplete) == (None, blocks, 1)
    (doubt,) = [doubt for doubt in found.doubts if doubt.code == "events-vary"]
    assert f"{min(numbers)} to {max(numbers)}" in worded(doubt).sentence


def test_each_event_number_of_a_block_counts_once_where_they_vary() -> None:
    runs = [*at(0, 10, 500), *at(1, 20, 700), *at(0, 10), MeasuredRun("1", "host", 1.0, events=21)]
    found = ask(runs)
    logs = []
    for block, numbers in (("0", (10, 500)), ("1", (20, 700))):
        of_number = []
        for n in numbers:
            arms = [
                [math.log(r.value) for r in runs if (r.block, r.events, r.arm) == (block, n, arm)]
                for arm in ("guest", "host")
            ]
            of_number.append(sum(arms[0]) / len(arms[0]) - sum(arms[1]) / len(arms[1]))
        logs.append(sum(of_number) / 2)
    assert [block.d for block in found.pairing.blocks] == pytest.approx(logs, rel=1e-12)


def several(unit: str, spread: float) -> list[MeasuredRun]:
    """Return blocks of groups that differ."""
    noise, runs = random.Random(7), []
    for group in range(5):
        shift = noise.gauss(0.05, spread)
        for block in range(6):
            for arm, d in (("host", 0.0), ("guest", shift)):
                value = 100 * math.exp(d + noise.gauss(0, 0.002))
                runs.append(MeasuredRun(str(block), arm, value, **{unit: str(group)}))
    return runs


@pytest.mark.parametrize(("unit", "level"), [("session", Level.SESSION), ("machine", Level.MACHINE)])
def test_the_ratio_of_totals_is_at_the_level_of_the_headline(unit: str, level: Level) -> None:
    runs = several(unit, 0.03)
    found = ask(runs)
    assert found.loss.level is level
    sums = [
        [sum(r.value for r in runs if r.arm == arm and getattr(r, unit) == str(g)) for g in range(5)]
        for arm in ("guest", "host")
    ]
    expected = ratio_of_totals(*sums)
    assert found.totals is not None
    for end in ("value", "low", "high"):
        assert getattr(found.totals, end) == pytest.approx(getattr(expected, end), rel=1e-12)
    over_blocks = ratio_of_totals(found.pairing.treatment, found.pairing.baseline)
    assert found.totals.half > 1.5 * over_blocks.half
    assert found.totals.value == pytest.approx(over_blocks.value, rel=1e-12)


def test_a_scan_over_sessions_that_differ_says_that_its_intervals_are_over_blocks() -> None:
    def runs(spread: float) -> list[MeasuredRun]:
        noise = random.Random(2)
        shifts = [noise.gauss(0, spread) for _ in range(4)]
        return [
            MeasuredRun(
                str(block),
                arm,
                (a + b * n) * math.exp((shift if arm == "guest" else 0) + noise.gauss(0, 0.002)),
                session=str(session),
                events=n,
            )
            for session, shift in enumerate(shifts)
            for block in range(4)
            for n in (10, 1000)
            for arm, (a, b) in LINES.items()
        ]

    for spread, level in ((0.05, Level.SESSION), (0.0, Level.BLOCK)):
        found = ask(runs(spread))
        assert found.loss.level is level
        reported = "scan-over-sessions" in [doubt.code for doubt in found.doubts]
        assert reported is (level is Level.SESSION)
