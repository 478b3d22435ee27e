"""How much is left, in words."""

from __future__ import annotations

import pytest

from assay.model.figures.estimate import Verdict
from assay.pages.headline import Left
from assay.report.tables.left import left_text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.9, 0.96, "90.0 to 96.0 %"),
        (0.0, 5.94e7, "0 to more than 1,000 %"),
        (0.004, 10.5, "0.4 to more than 1,000 %"),
        (12.1, 12.9, "1210 to 1290 %"),
        (9.6, 10.2, "960 to 1020 %"),
    ],
)
def test_an_interval_that_reaches_beyond_ten_times_everything_ends_there(
    low: float, high: float, text: str
) -> None:
    few = Left("guest", 0.93, low, high, 2, Verdict.INCONCLUSIVE, None, None, None, None, None)
    assert left_text(few) == text
