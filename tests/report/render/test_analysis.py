"""The text of an analysis: its digits, its sections, and words that steer no terminal."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable

import pytest

from assay.pages.numbers import ends_text
from assay.report.render.analysis_text import losses_table, text_analysis
from assay.report.render.json import to_json
from assay.results.analysis.analyse import analyse_table


@pytest.mark.parametrize(
    ("point", "low", "high", "said"),
    [
        (35.2171, 34.9, 35.5, "35.22 s [34.90, 35.50]"),
        (434.81, 420.3, 449.1, "435 s [420, 449]"),
        (0.8512345, 0.8510, 0.8515, "0.85123 s [0.85100, 0.85150]"),
        (1234567.8, 1234567.7, 1234567.9, "1234568 s [1234568, 1234568]"),
        (12.0, 12.0, 12.0, "12.00 s [12.00, 12.00]"),
        (1e60, 1e60, 1e60, "1.000e+60 s [1.000e+60, 1.000e+60]"),
        (1.2345e60, 1.21e60, 1.26e60, "1.235e+60 s [1.210e+60, 1.260e+60]"),
        (1.2345e-20, 1.0e-20, 1.5e-20, "1.23e-20 s [1.00e-20, 1.50e-20]"),
        (0.1 + 0.2, 0.3, 0.1 + 0.2, "0.3000 s [0.3000, 0.3000]"),
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


def test_a_slowdown_beyond_all_measure_is_no_row_of_zeros() -> None:
    huge = [
        {"block": block, "arm": arm, "value": value}
        for block in range(8)
        for arm, value in (("host", 1e-30), ("guest", 1e30), ("tuned", 1e-30))
    ]
    text = text_analysis(analyse_table(huge))
    assert "1.00e+60" in text
    assert not re.search(r"\d{20}", text)
    back = text_analysis(analyse_table(huge, baseline="guest"))
    assert "1.00e-60" in back


def test_an_interval_without_width_has_four_digits() -> None:
    rows = [
        {"block": b, "arm": arm, "value": v} for b in range(8) for arm, v in (("host", 100), ("guest", 110))
    ]
    text = text_analysis(analyse_table(rows))
    assert " 1.100 " in text
    assert "1.100 [1.100, 1.100] (Fieller)" in text
    assert "slowdowns are exactly the same" in text


def test_where_sessions_differ_the_verdict_asks_for_sessions() -> None:
    rows = [
        {
            "block": b,
            "session": s,
            "arm": arm,
            "value": 100 * (1 + 0.001 * (b % 3)) * (1 + shift * (arm == "guest")),
        }
        for s, shift in enumerate((0.03, 0.08, -0.05, 0.01))
        for b in range(5)
        for arm in ("host", "guest")
    ]
    rows = [row | {"value": float(row["value"]) + 0.01 * (i % 7)} for i, row in enumerate(rows)]
    page = analyse_table(rows)
    assert (page.estimates[0].level, page.estimates[0].blocks_more) == ("session", None)
    text = text_analysis(page)
    assert "not decided (more sessions are needed)" in text
    assert "(Fieller, over 4 sessions)" in text


@pytest.mark.parametrize(
    ("bend", "said"),
    [
        (
            lambda n: 0.5 * max(0, n - 600),
            "guest: fixed cost before the kink, cost per event after it: see the doubts",
        ),
        (lambda n: 40 * math.sin(math.log(n)), "these are straight lines that do not fit: see the doubts"),
    ],
)
def test_of_bent_lines_no_number_of_events_is_printed(bend: Callable[[int], float], said: str) -> None:
    rows = [
        {
            "block": b,
            "arm": arm,
            "events": n,
            "value": (120 + 0.85 * n + share * bend(n)) * (1 + 0.001 * ((b * n) % 7)),
        }
        for b in range(8)
        for n in (10, 100, 300, 600, 1000, 2000, 4000)
        for arm, share in (("host", 0), ("guest", 1))
    ]
    text = text_analysis(analyse_table(rows))
    assert said in text
    assert "events on, the loss" not in text
