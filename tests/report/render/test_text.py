"""The terminal's text: one line a metric, never wrapped, nothing in it but what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace

import pytest

from assay.model.figures.estimate import Verdict
from assay.pages.context import Value
from assay.report.render.text import losses_table, text_report
from assay.report.tables.tables import align, plain, table, width
from assay.report.tables.words import values_text, verdict_text
from tests.report.pages import PAGES, quick_page


def test_there_is_one_line_a_metric_with_loss_interval_blocks_and_verdict() -> None:
    lines = losses_table(quick_page()).splitlines()
    assert len(lines) == 1 + len(quick_page().estimates)
    assert re.search(
        r"stream +copy \(MB/s\) +12013 +2934 +73\.8 to 77\.2 % .* 3  loss, it matters$", lines[3]
    )


def test_columns_stand_below_each_other() -> None:
    lines = losses_table(quick_page()).splitlines()
    assert len({line.index("%") for line in lines[1:]}) == 1
    assert len({line.rindex("%") for line in lines[1:]}) == 1


def test_off_a_terminal_nothing_is_coloured() -> None:
    assert all("\x1b" not in text_report(make()) for make in PAGES.values())


def test_colour_changes_neither_words_nor_widths() -> None:
    for make in PAGES.values():
        coloured = text_report(make(), colour=True)
        assert "\x1b[3" in coloured
        stripped = "\n".join(line.rstrip() for line in re.sub(r"\x1b\[\d*m", "", coloured).split("\n"))
        assert stripped == text_report(make())


def test_without_a_metric_the_page_still_says_so() -> None:
    text = text_report(replace(quick_page(), estimates=(), trials=(), doubts=()), colour=True)
    assert "complete: no metric" in text
    assert "Doubts\n  none\n" in text


def test_what_was_not_measured_says_why() -> None:
    row = replace(
        quick_page().estimates[0], verdict=Verdict.NOT_MEASURED, reason=None, loss=None, baseline_value=None
    )
    text = text_report(replace(quick_page(), estimates=(row,)))
    assert "Not measured\n  sysbench-cpu events_per_s: the reason is not known\n" in text


@pytest.mark.parametrize(
    ("more", "text"),
    [(None, "not decided"), (1, "not decided (1 more block)"), (7, "not decided (7 more blocks)")],
)
def test_an_open_verdict_says_how_many_blocks_more(more: int | None, text: str) -> None:
    row = replace(quick_page().estimates[0], verdict=Verdict.INCONCLUSIVE, blocks_more=more)
    assert verdict_text(row) == text


def test_a_trials_figures_are_said_with_what_its_own_clock_said() -> None:
    values = (Value("score", "1/s", 10.61, 10.5), Value("wall_time", "s", None))
    assert values_text(values) == "score 10.61 1/s (10.5 by its own clock), wall_time - s"
    assert values_text(()) == ""


def test_nothing_in_a_cell_can_break_its_line_or_steer_the_terminal() -> None:
    assert table(["a"], [["x\ny"], ["\x1b[2J"], ["\u202egnp"]]) == "a\nx\\ny\n\\x1b[2J\n\\u202egnp"


def test_wide_and_combining_characters_keep_the_columns() -> None:
    assert (width("日本"), width("e\u0301"), width("größe")) == (4, 1, 5)
    assert table(["name", "n"], [["日本", "1"], ["ab", "22"]], right={1}) == "name   n\n日本   1\nab    22"
    assert table(["n"], [["日"], ["1234"]], right={0}) == "   n\n  日\n1234"


def test_an_empty_table_is_its_headers() -> None:
    assert table(["machine", "host"], []) == "machine  host"
    assert align([], " %") == []


def test_plain_keeps_what_can_be_read() -> None:
    assert plain("größe µ 日本 × −") == "größe µ 日本 × −"


def test_importing_the_room_loads_no_heavy_library() -> None:
    code = (
        "import sys, assay.report, assay.report.render.text, assay.report.render.json, "
        "assay.report.render.html, assay.report.render.compare;"
        "print(sorted({'jinja2', 'rich', 'scipy', 'numpy', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
