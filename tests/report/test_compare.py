"""The comparison of two results in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.report.compare import statement, text_comparison
from assay.report.comparison import ComparisonPage


@pytest.mark.parametrize(
    ("difference", "low", "high", "words"),
    [
        (0.02, 0.01, 0.03, "B loses more"),
        (-0.02, -0.03, -0.01, "B loses less"),
        (0.001, -0.01, 0.012, "no difference seen"),
        (0.02, None, None, "too few blocks"),
        (None, None, None, "not measured"),
    ],
)
def test_a_difference_is_named_by_its_interval(
    difference: float | None, low: float | None, high: float | None, words: str, comparison: ComparisonPage
) -> None:
    row = replace(comparison.rows[0], difference=difference, low=low, high=high)
    assert statement(row) == words


def test_differences_are_percentage_points(comparison: ComparisonPage) -> None:
    assert "-1.20 pp [-1.90, -0.50]" in text_comparison(comparison)


def test_two_results_without_a_common_metric_can_be_shown(comparison: ComparisonPage) -> None:
    text = text_comparison(replace(comparison, rows=()))
    assert "Only in A\n  iperf3 throughput\n" in text
