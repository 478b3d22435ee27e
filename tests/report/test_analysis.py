"""The text of an analysis: its digits, its sections, and words that steer no terminal."""

from __future__ import annotations

import json
import re

import pytest

from assay.report.analysis_text import losses_table, text_analysis
from assay.report.json import to_json
from assay.report.numbers import ends_text
from assay.results.analyse import analyse_table


@pytest.mark.parametrize(
    ("point", "low", "high", "said"),
    [
        (35.2171, 34.9, 35.5, "35.22 s [34.90, 35.50]"),
        (434.81, 420.3, 449.1, "435 s [420, 449]"),
        (0.8512345, 0.8510, 0.8515, "0.85123 s [0.85100, 0.85150]"),
        (1234567.8, 1234567.7, 1234567.9, "1234568 s [1234568, 1234568]"),
        (12.0, 12.0, 12.0, "12.0000 s [12.0000, 12.0000]"),
        (35.2171, None, None, "35.2 s [-, -]"),
        (1234.5, None, None, "1234 s [-, -]"),
        (None, None, None, "-"),
    ],
)
def test_a_quantity_has_the_digits_that_its_interval_supports(
    point: float | None, low: float | None, high: float | None, said: str
) -> None:
    assert ends_text(point, low, high, unit="s") == said


def rows(**arms: float) -> list[dict[str, object]]:
    return [
        {
            "block": block,
            "arm": arm,
            "value": seconds * (1 + 0.002 * (block % 4 if seconds > 95 else block % 3)),
        }
        for block in range(8)
        for arm, seconds in arms.items()
    ]


def test_several_treatments_have_their_own_sections() -> None:
    text = text_analysis(analyse_table(rows(host=90.0, guest=100.0, tuned=93.0)))
    assert "How it was estimated: guest\n" in text
    assert "Doubts: tuned\n" in text


def test_the_verdict_is_coloured_only_where_asked_and_the_widths_stay() -> None:
    page = analyse_table(rows(host=90.0, guest=100.0))
    plain, coloured = losses_table(page), losses_table(page, colour=True)
    assert "\x1b[31m" in coloured
    bare = re.sub(r"\x1b\[\d*m", "", coloured)
    assert [line.rstrip() for line in bare.splitlines()] == plain.splitlines()


def test_words_of_the_data_steer_no_terminal() -> None:
    page = analyse_table(rows(**{"host": 90.0, "\x1b[2Jguest\n": 100.0}))
    assert "\x1b" not in text_analysis(page)
    assert json.loads(to_json(page))["estimates"][0]["treatment"] == "\x1b[2Jguest"


def test_without_a_complete_block_the_text_says_not_measured() -> None:
    page = analyse_table([{"block": 1, "arm": "host", "value": 9}, {"block": 2, "arm": "guest", "value": 9}])
    (line,) = [line for line in text_analysis(page).splitlines() if line.startswith("guest ")]
    assert line.split()[1:] == ["-", "-", "-", "-", "-", "0", "not", "measured"]
