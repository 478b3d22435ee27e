"""The comparison of two results in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.pages.comparison import ComparisonPage
from assay.report.render.compare import statement, text_comparison


@pytest.mark.parametrize(
    ("difference", "low", "high", "reason", "words"),
    [
        (0.02, 0.01, 0.03, None, "B loses more"),
        (-0.02, -0.03, -0.01, None, "B loses less"),
        (0.001, -0.01, 0.012, None, "no difference seen"),
        (0.02, None, None, "too few blocks", "too few blocks"),
        (0.02, None, None, "no scatter", "no scatter"),
        (0.02, None, None, None, "no interval"),
        (None, None, None, None, "not measured"),
        (None, None, None, "its files were of other sizes", "not comparable"),
    ],
)
def test_a_difference_is_named_by_its_interval_or_by_the_reason_why_it_has_none(
    difference: float | None,
    low: float | None,
    high: float | None,
    reason: str | None,
    words: str,
    comparison: ComparisonPage,
) -> None:
    row = replace(comparison.rows[0], difference=difference, low=low, high=high, reason=reason)
    assert statement(row) == words


@pytest.mark.parametrize(
    ("a", "b", "shown"),
    [
        (5, 6, "-1.20 pp [-1.90, -0.50]"),
        (4, 6, "-1.90 to -0.50 pp"),
        (6, 4, "-1.90 to -0.50 pp"),
    ],
)
def test_a_difference_is_in_percentage_points_and_a_range_where_a_side_has_few_blocks(
    a: int, b: int, shown: str, comparison: ComparisonPage
) -> None:
    row = comparison.rows[0]
    assert row.a is not None
    assert row.b is not None
    row = replace(row, a=replace(row.a, blocks=a), b=replace(row.b, blocks=b))
    (line,) = (
        line for line in text_comparison(replace(comparison, rows=(row,))).splitlines() if "flops" in line
    )
    assert f"  {shown}  B loses less" in line


def test_several_differences_are_judged_together_and_one_has_its_interval(comparison: ComparisonPage) -> None:
    assert "(pp), judged together at 95 %\n" in text_comparison(comparison)
    one = replace(comparison, rows=(comparison.rows[0], *comparison.rows[4:]))
    assert "(pp), 95 % interval\n" in text_comparison(one)


def test_two_results_without_a_common_metric_can_be_shown(comparison: ComparisonPage) -> None:
    text = text_comparison(replace(comparison, rows=()))
    assert "Only in A\n  iperf3 throughput\n" in text
