"""Large tables from elsewhere: processor time grows with their rows, not with the square."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from assay.report.render.analysis_text import text_analysis
from assay.results.analysis.analyse import analyse_table

SLACK_S = 0.1
"""Processor time below which nothing is compared."""
Rows = list[dict[str, object]]


def value(at: int) -> float:
    """Return a value that scatters by a percent."""
    return 10 + 0.1 * (at * 7919 % 1009) / 1009


def of_arms(arms: int) -> Rows:
    return [
        {"block": block, "arm": f"guest{arm}" if arm else "host", "value": value(arm + 13 * block)}
        for block in range(40)
        for arm in range(arms)
    ]


def of_events(blocks: int) -> Rows:
    """Return blocks with an event number of their own."""
    return [
        {"block": block, "arm": arm, "value": (block + 20) * value(2 * block + at), "events": block + 1}
        for block in range(blocks)
        for at, arm in enumerate(("host", "guest"))
    ]


def of_pairs(blocks: int) -> Rows:
    """Return blocks with two event numbers, each of which the next block has, too."""
    return [
        {
            "block": block,
            "arm": arm,
            "value": (events + 20) * value(4 * block + at + events),
            "events": events,
        }
        for block in range(blocks)
        for events in (block + 1, block + 2)
        for at, arm in enumerate(("host", "guest"))
    ]


def cost_s(rows: Rows) -> float:
    """Return the processor time of an analysis, the least of two."""

    def once() -> Iterator[float]:
        for _ in range(2):
            began = time.process_time()
            text_analysis(analyse_table(rows))
            yield time.process_time() - began

    return min(once())


@pytest.mark.parametrize(("make", "size"), [(of_arms, 40), (of_events, 500), (of_pairs, 300)])
def test_four_times_the_rows_take_far_less_than_sixteen_times_the_time(
    make: Callable[[int], Rows], size: int
) -> None:
    analyse_table(make(8))  # what is imported once
    assert cost_s(make(4 * size)) < 8 * max(SLACK_S, cost_s(make(size)))


def test_a_treatment_has_the_same_row_whatever_other_arms_there_are() -> None:
    rows = of_arms(4)
    alone = [row for row in rows if row["arm"] in {"host", "guest2"}]
    (found,) = analyse_table(alone).estimates
    assert found in analyse_table(rows).estimates
