"""The analysis of runs from elsewhere against known answers."""

from __future__ import annotations

import math
import random

import pytest

from assay.model.figures.coded import natural_order
from assay.model.figures.estimate import Verdict
from assay.model.figures.measured import ValueKind
from assay.stats import paired_loss
from assay.stats.analysis.measured import MeasuredLoss, Question
from tests.measured_runs import MeasuredRun, measured_loss, pair_runs


def ask(
    runs: list[MeasuredRun],
    *,
    kind: ValueKind = ValueKind.TIME,
    baseline: str = "host",
    treatment: str = "guest",
) -> MeasuredLoss:
    return measured_loss(runs, Question(baseline, treatment, kind, 0.95, 0.01))


def pairs(values: list[tuple[float, float]], **more: str) -> list[MeasuredRun]:
    return [
        MeasuredRun(str(block), arm, value, **more)
        for block, both in enumerate(values)
        for arm, value in zip(("host", "guest"), both, strict=True)
    ]


def noisy(seed: int = 1, blocks: int = 12) -> list[MeasuredRun]:
    noise = random.Random(seed)
    return pairs(
        [(100 * math.exp(noise.gauss(0, 0.02)), 103 * math.exp(noise.gauss(0, 0.02))) for _ in range(blocks)]
    )


@pytest.mark.parametrize(
    ("host", "guest", "kind", "loss"),
    [
        (90.0, 100.0, ValueKind.TIME, 0.1),
        (100.0, 90.0, ValueKind.TIME, -1 / 9),
        (100.0, 90.0, ValueKind.RATE, 0.1),
        (90.0, 100.0, ValueKind.RATE, -1 / 9),
        (4841.6, 5243.7, ValueKind.TIME, 1 - 4841.6 / 5243.7),
    ],
)
def test_known_answers(host: float, guest: float, kind: ValueKind, loss: float) -> None:
    found = ask(pairs([(host, guest)] * 3), kind=kind)
    estimate = found.loss.estimate
    assert estimate.loss == pytest.approx(loss, rel=1e-12)
    assert estimate.slowdown == pytest.approx(1 / (1 - loss), rel=1e-12)
    assert found.totals is not None
    assert found.totals.value == pytest.approx(1 / (1 - loss), rel=1e-12)


def test_boss_loses_7_668_percent_and_is_slower_by_8_31() -> None:
    estimate = ask(pairs([(4841.6, 5243.7)] * 12)).loss.estimate
    assert estimate.loss == pytest.approx(0.07668, abs=5e-6)
    assert estimate.slowdown == pytest.approx(1.0831, abs=5e-5)


def test_swapping_the_arms_flips_every_log_slowdown_exactly() -> None:
    there = pair_runs(noisy(), baseline="host", treatment="guest", kind=ValueKind.TIME)
    back = pair_runs(noisy(), baseline="guest", treatment="host", kind=ValueKind.TIME)
    assert [block.d for block in there.blocks] == [-block.d for block in back.blocks]
    a, b = ask(noisy()).loss.estimate, ask(noisy(), baseline="guest", treatment="host").loss.estimate
    assert a.slowdown is not None
    assert b.slowdown == pytest.approx(1 / a.slowdown, rel=1e-15)


def test_the_order_of_runs_changes_nothing() -> None:
    runs = noisy()
    assert ask(random.Random(2).sample(runs, len(runs))) == ask(runs)


@pytest.mark.parametrize("factor", [1e-9, 0.3, 1e9])
def test_the_unit_of_the_values_changes_nothing(factor: float) -> None:
    scaled = [MeasuredRun(r.block, r.arm, r.value * factor) for r in noisy()]
    a, b = ask(noisy()).loss.estimate, ask(scaled).loss.estimate
    assert (b.loss, b.low, b.high) == pytest.approx((a.loss, a.low, a.high), abs=1e-12)


def test_several_runs_of_an_arm_count_by_their_geometric_mean() -> None:
    twice = [
        MeasuredRun("0", "host", 50.0),
        MeasuredRun("0", "host", 200.0),
        MeasuredRun("0", "guest", 110.0),
    ]
    assert ask(twice).loss.estimate.slowdown == pytest.approx(1.1, rel=1e-12)


def test_blocks_of_one_name_in_two_sessions_are_two_blocks() -> None:
    runs = [*pairs([(100, 110)], session="a"), *pairs([(100, 110)], session="b")]
    found = ask(runs)
    assert (found.loss.estimate.blocks, found.loss.sessions) == (2, 2)


def test_a_block_with_one_arm_is_left_out_and_counted() -> None:
    found = ask([*noisy(), MeasuredRun("99", "host", 100.0), MeasuredRun("98", "other", 1.0)])
    assert found.loss.estimate == ask(noisy()).loss.estimate
    assert found.pairing.incomplete == 1
    assert [doubt.code for doubt in found.doubts] == ["incomplete-blocks"]


def test_one_block_has_a_loss_and_no_interval() -> None:
    found = ask(pairs([(90, 100)]))
    assert found.loss.estimate.loss == pytest.approx(0.1)
    assert (found.loss.estimate.low, found.loss.estimate.verdict) == (None, Verdict.INCONCLUSIVE)
    assert [doubt.code for doubt in found.doubts] == ["one-block"]


def test_without_a_complete_block_nothing_is_measured() -> None:
    found = ask([MeasuredRun("0", "host", 9.0), MeasuredRun("1", "guest", 9.0)])
    assert found.loss.estimate.verdict is Verdict.NOT_MEASURED
    assert found.totals is None


def test_the_headline_of_runs_without_events_is_that_of_paired_blocks() -> None:
    logs = [block.d for block in ask(noisy()).pairing.blocks]
    assert ask(noisy()).loss.estimate == paired_loss(logs, margin=0.01)


def test_names_sort_as_people_count() -> None:
    names = ["10", "b", "9", "a10"]
    assert [names[at] for at in natural_order(names).tolist()] == ["9", "10", "a10", "b"]


def scanned(kind: ValueKind = ValueKind.TIME, blocks: int = 4) -> list[MeasuredRun]:
    def value(events: int, fixed: float, slope: float) -> float:
        seconds = fixed + slope * events
        return seconds if kind is ValueKind.TIME else events / seconds

    return [
        MeasuredRun(str(block), arm, value(events, *line), events=events)
        for block in range(blocks)
        for events in (10, 100, 1000)
        for arm, line in (("host", (35.0, 0.85)), ("guest", (70.0, 0.875)))
    ]


@pytest.mark.parametrize("kind", list(ValueKind))
def test_the_line_over_events_is_found_from_times_and_from_rates(kind: ValueKind) -> None:
    found = ask(scanned(kind), kind=kind)
    assert found.scan is not None
    assert found.scan.fixed_cost_s is not None
    assert found.scan.per_event_s is not None
    assert found.scan.fixed_cost_s.loss == pytest.approx(0.5, rel=1e-9)
    assert found.scan.per_event_s.baseline.value == pytest.approx(0.85, rel=1e-9)
    assert found.scan.per_event_s.loss == pytest.approx(1 - 0.85 / 0.875, rel=1e-9)
    assert found.events == 1000
    assert found.loss.estimate.loss == pytest.approx(1 - 885 / 945, rel=1e-12)


def test_the_headline_is_at_the_largest_event_number_that_a_block_holds_on_both_arms() -> None:
    lonely = [MeasuredRun("7", "host", 99.0, events=5000), MeasuredRun("8", "guest", 99.0, events=5000)]
    runs = [*scanned(), *lonely]
    assert ask(runs).events == 1000


def test_arms_that_share_no_event_number_are_not_measured() -> None:
    found = ask([MeasuredRun("0", "host", 9.0, events=10), MeasuredRun("0", "guest", 9.0, events=20)])
    assert found.events is None
    assert found.loss.estimate.verdict is Verdict.NOT_MEASURED
