"""A known answer for each sentence and cell that all renderings share."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.model.figures.estimate import Matters, Verdict
from assay.pages.context import DoubtCount, Interval, Row
from assay.pages.numbers import size_text
from assay.pages.track import ProbeUse
from assay.report.lists.cost import CostPage, CostRow, OwnCost, text_cost
from assay.report.tables.words import (
    blocks_more_text,
    doubts,
    floor_text,
    headline,
    mean_text,
    probe_text,
    slowdown_text,
    verdict_text,
)
from tests.report.pages import quick_page


def row(**changes: object) -> Row:
    """Return a row of the quick page, changed."""
    return replace(quick_page().estimates[0], **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("count", "hours", "text"),
    [
        (None, None, ""),
        (None, 2.0, ""),
        (0, None, " (0 more blocks)"),
        (1, 0.5, " (1 more block, 30 min)"),
        (7, 2.0, " (7 more blocks, 2 h 0 min)"),
        (7, 1 / 120, " (7 more blocks, 30 s)"),
        (7, 0.0, " (7 more blocks)"),
    ],
)
def test_blocks_still_needed_are_told_with_their_time(
    count: int | None, hours: float | None, text: str
) -> None:
    assert blocks_more_text(count, hours) == text


@pytest.mark.parametrize("verdict", [Verdict.LOSS, Verdict.GAIN])
@pytest.mark.parametrize(
    ("matters", "behind"),
    [
        (None, ""),
        (Matters.YES, ", it matters"),
        (Matters.MAYBE, ", may not matter"),
        (Matters.NO, " within the margin"),
    ],
)
def test_a_loss_says_whether_it_matters(verdict: Verdict, matters: Matters | None, behind: str) -> None:
    assert verdict_text(row(verdict=verdict, matters=matters)) == f"{verdict}{behind}"


def test_what_is_no_loss_and_no_gain_has_a_word_of_its_own() -> None:
    assert verdict_text(row(verdict=Verdict.EQUIVALENT, matters=Matters.NO)) == "equivalent"
    assert verdict_text(row(verdict=Verdict.INCONCLUSIVE, matters=None, blocks_more=None)) == "not decided"
    assert verdict_text(row(verdict=Verdict.NOT_MEASURED, matters=None)) == "not measured"


@pytest.mark.parametrize(
    ("method", "needed"),
    [
        ("mean with Student's t interval", "7 more blocks"),
        ("over 3 sessions: mean with Student's t interval", "more sessions are needed"),
    ],
)
def test_what_is_open_over_sessions_needs_sessions_and_no_blocks(method: str, needed: str) -> None:
    open_ = row(verdict=Verdict.INCONCLUSIVE, matters=None, blocks_more=7, hours_more=None, method=method)
    assert verdict_text(open_) == f"not decided ({needed})"
    lost = row(verdict=Verdict.LOSS, matters=Matters.YES, method=method)
    assert verdict_text(lost) == "loss, it matters"


@pytest.mark.parametrize(("blocks", "text"), [(4, "10 to 30 %"), (5, "20 % [10, 30]")])
def test_of_few_blocks_the_size_is_a_range(blocks: int, text: str) -> None:
    assert size_text(row(blocks=blocks, loss=0.2, low=0.1, high=0.3)) == text
    assert size_text(row(blocks=1, loss=0.2, low=None, high=None)) == "20 % [-, -]"


@pytest.mark.parametrize(
    ("slowdown", "low", "high", "text"),
    [
        (2.0, 0.4, 0.6, "2.00"),
        (2.0, 0.49, 0.51, "2.000"),
        (2.0, 0.499, 0.501, "2.0000"),
        (2.0, 0.4999, 0.5001, "2.0000"),
        (2.0, 0.5, 0.5, "2.000"),
        (0.9, 0.0, 0.1, "0.900"),
        (10.0, 0.89, 0.91, "10.00"),
        (2.0, None, None, "2.00"),
        (2.0, 0.4, 1.0, "2.00"),
        (0.001, -999.0, -998.0, "0.0010"),
        (0.00099, -1010.0, -1009.0, "9.90e-04"),
        (999_999.0, 0.9, 0.99, "999999.00"),
        (1e6, 0.9, 0.99, "1.00e+06"),
        (None, 0.4, 0.6, "-"),
    ],
)
def test_a_slowdown_has_the_decimals_of_its_interval(
    slowdown: float | None, low: float | None, high: float | None, text: str
) -> None:
    assert slowdown_text(row(slowdown=slowdown, low=low, high=high, blocks=5)) == text


def test_of_few_blocks_the_slowdown_is_a_range_too() -> None:
    assert slowdown_text(row(slowdown=1.25, low=0.1, high=0.3, blocks=4)) == "1.11 to 1.43"
    assert slowdown_text(row(slowdown=1.25, low=None, high=None, blocks=1)) == "1.25"


def test_a_mean_is_told_where_the_headline_is_another_centre() -> None:
    mean = Interval(0.2, 0.1, 0.3, 3)
    assert mean_text(row(loss=0.2, mean=mean)) == "-"
    assert mean_text(row(loss=0.19, mean=mean, blocks=5)) == "20 % [10, 30]"
    assert mean_text(row(loss=0.19, mean=mean, blocks=4)) == "-"
    assert mean_text(row(mean=None)) == "-"


def test_a_floor_that_was_not_measured_is_a_dash() -> None:
    assert floor_text(row(floor=None)) == "-"
    assert floor_text(row(floor=Interval(0.001, -0.01, 0.012, 3))) == "-1.0 to 1.2 %"
    assert floor_text(row(floor=Interval(0.001, -0.01, 0.012, 5))) == "0.1 % [-1.0, 1.2]"


def test_the_headline_counts_each_verdict_in_one_order() -> None:
    page = replace(
        quick_page(),
        estimates=(
            row(verdict=Verdict.GAIN, matters=Matters.MAYBE),
            row(verdict=Verdict.LOSS, matters=Matters.NO),
            row(verdict=Verdict.LOSS, matters=Matters.YES),
            row(verdict=Verdict.LOSS, matters=Matters.YES),
        ),
    )
    reported = "4 metrics: 2 loss, it matters; 1 loss within the margin; 1 gain, may not matter"
    assert headline(page) == reported
    assert headline(replace(page, estimates=page.estimates[:1])) == "1 metric: 1 gain, may not matter"


def test_a_doubt_of_several_trials_is_told_once_with_their_number() -> None:
    one, two = (DoubtCount("cold", "The first block was slow.", count) for count in (1, 2))
    assert doubts([one, two]) == ("The first block was slow.", "The first block was slow. (×2)")


def test_the_probes_own_cost_is_told_in_percent_of_a_core_and_mib() -> None:
    use = ProbeUse(cpu_share=0.0123, rss_bytes=3 << 19, samples=9, largest_gap_s=1.0246, wake_ups=12)
    assert probe_text(use) == "1.2 % of a core, 1.5 MiB, largest gap 1.02 s, woken 12 times"
    bare = ProbeUse(cpu_share=None, rss_bytes=1 << 20, samples=1, largest_gap_s=None, wake_ups=None)
    assert (probe_text(bare), probe_text(None)) == ("1.0 MiB", "-")


def cost(**changes: object) -> CostPage:
    interval = Interval(0.011, 0.008, 0.014, 9)
    own = OwnCost("spin", "counts", 0.0042, 5 << 19, 0.1004, 10.06)
    rows = (CostRow("spin", "wall", 1.23456, interval, interval, Verdict.INCONCLUSIVE, 2),)
    page = CostPage("node1", 1, 0.1, 3600.0, (), (), 9, 42, 0.95, 0.005, (own,), rows)
    return replace(page, **changes)  # type: ignore[arg-type]


def test_the_cost_of_watching_has_a_line_of_the_loss_and_one_of_the_probe() -> None:
    lines = [" ".join(line.split()) for line in text_cost(cost()).splitlines()]
    assert (
        lines[0] == "What the probe costs on node1: sampling the core set every 0.1 s against hardly at all"
    )
    assert lines[1] == "9 blocks, seed 42; the machine is full: 1 copy, one a processor"
    assert lines[4] == "spin, wall 1.235 1.10 % [0.80, 1.40] 1.10 % [0.80, 1.40] not decided (2 more blocks)"
    assert lines[7] == "spin 0.42 % 2.5 MiB 0.1 s 10.1"
    assert "its 95 % interval; within ±0.5 % it does not matter" in text_cost(cost())


def test_what_the_probe_did_not_count_is_a_dash() -> None:
    own = OwnCost("spin", "counts", 0.0, 1 << 20, None, None)
    lines = [" ".join(line.split()) for line in text_cost(cost(own=(own,), copies=2)).splitlines()]
    assert "2 copies, one a processor" in lines[1]
    assert lines[7] == "spin 0 % 1.0 MiB - -"
