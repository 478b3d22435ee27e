"""Markdown: whatever the words hold, they stay words."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from assay.report.render.markdown import markdown_report
from assay.report.render.markdown_words import bullets, code, escape, markdown_table
from tests.report.pages import partial_page


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("<script>", "&lt;script&gt;"),
        ("a|b", "a\\|b"),
        ("events_per_s", "events_per_s"),
        ("_stress_", "\\_stress\\_"),
        ("*a* `b` ~~c~~", "\\*a\\* \\`b\\` \\~\\~c\\~\\~"),
        ("12.3 % [10.1, 14.5]", "12.3 % [10.1, 14.5]"),
        ("[link](http://x)", "[link\\](http://x)"),
        ("&amp; \\", "&amp;amp; \\\\"),
        ("two\nlines", "two\\\\nlines"),
    ],
)
def test_marks_are_escaped(text: str, escaped: str) -> None:
    assert escape(text) == escaped


def test_an_item_never_becomes_another_block() -> None:
    lines = ["# one", "- two", "3. three", "[ ] four", "-5 %", "6.5 s"]
    assert bullets(lines) == "- \\# one\n- \\- two\n- 3\\. three\n- \\[ ] four\n- -5 %\n- 6.5 s"


def test_a_code_span_holds_backticks() -> None:
    assert [code("a b"), code("a`b"), code("``")] == ["`a b`", "`` a`b ``", "``` `` ```"]


def test_a_table_has_as_many_cells_in_each_line() -> None:
    lines = markdown_table(["a", "b"], [["|", "x"]], right={1}).splitlines()
    assert lines == ["| a | b |", "| --- | ---: |", "| \\| | x |"]


def test_no_markup_of_the_words_survives() -> None:
    text = re.sub("```sh.*?```", "", markdown_report(partial_page()), flags=re.DOTALL)
    assert "<" not in text.replace("`<&>`", "")


def test_a_recipe_is_a_block_that_no_name_ends() -> None:
    page = partial_page()
    name = "```\n# title"
    rows = tuple(replace(row, metric=name) for row in page.estimates)
    value = replace(page.trials[0].metrics[0], metric=name)
    trials = tuple(replace(trial, metrics=(value,)) for trial in page.trials)
    lines = markdown_report(replace(page, estimates=rows, trials=trials)).splitlines()
    begin = lines.index("````sh")
    assert "````" in lines[begin + 1 :]
    assert "# title" not in lines
