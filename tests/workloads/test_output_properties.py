"""What holds for every reader and every output, whole or damaged: a figure that was printed, or an error."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.cli.output import spelled
from assay.model.work.tool_output import ToolOutput
from assay.report.lists.tool_output import tool_page, tool_text
from assay.workloads import READERS
from assay.workloads.errors import OutputError
from assay.workloads.saved_outputs import read_output
from assay.workloads.tools.iozone.sheet import MAGIC as SHEET
from tests.mutations import SEEDS, check_refusal, check_values
from tests.mutations import damaged as damaged_content
from tests.properties import share
from tests.workloads.damaged import captures, damaged

each = pytest.mark.parametrize("tool", READERS)
some = share(len(READERS))
NUMBER = re.compile(r"\d+(?:\.\d*)?|\.\d+")
WITH_POWER = re.compile(rf"(?:{NUMBER.pattern})[eE][+-]?\d+")
BARE_NUMBER = re.compile(rb"\s*[\d.]+(?:[eE][+-]?\d+)?\s*")
"""DB12's JSON of one copy, whose end nothing marks."""


def read_or_refuse(tool: str, output: bytes) -> ToolOutput | None:
    """Return what an output says; ``None`` where it is refused with a reason."""
    try:
        return read_output(tool, output)
    except OutputError as error:
        assert error.problem  # noqa: PT017 - an error without a reason is what is looked for
        assert error.tool == tool  # noqa: PT017
        assert error.line is None or 1 <= error.line <= output.count(b"\n") + 1 + len(output)  # noqa: PT017
        return None


def figures(output: ToolOutput | None) -> set[tuple[str, str, float]]:
    return set() if output is None else {(one.metric, one.unit, one.value) for one in output.measurements}


def printed(text: str) -> set[float]:
    """Return all numbers in a text, whatever separates their thousands and whatever unit scales them."""
    spelt = {
        text,
        text.replace(",", ""),
        text.replace(",", "."),
        re.sub(r"(?<=\d)[. \u202f](?=\d{3})", "", text),
    }
    found = {float(word) for one in spelt for form in (NUMBER, WITH_POWER) for word in form.findall(one)}
    return {number * scale for number in found for scale in (1, 1e3, 1e6)}


@each
@some
@given(data=st.data())
def test_any_damaged_output_gives_finite_figures_or_the_reason_why_not(
    tool: str, data: st.DataObject
) -> None:
    found = read_or_refuse(tool, data.draw(damaged(tool)))
    for one in found.measurements if found else ():
        assert math.isfinite(one.value)
        assert one.metric
        assert one.unit
    for lost in found.refused if found else ():
        assert lost.metric
        assert lost.reason


@each
@some
@given(output=st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_any_bytes_give_finite_figures_or_the_reason_why_not(tool: str, output: bytes) -> None:
    found = read_or_refuse(tool, output)
    assert all(math.isfinite(one.value) for one in (found.measurements if found else ()))


@each
@some
@given(data=st.data())
def test_an_output_that_is_cut_anywhere_gives_no_figure_that_the_whole_has_not(
    tool: str, data: st.DataObject
) -> None:
    whole = data.draw(st.sampled_from(captures()[tool]))
    left = whole[: data.draw(st.integers(0, len(whole) - 1))]
    if tool != "db12" or not BARE_NUMBER.fullmatch(left):
        assert figures(read_or_refuse(tool, left)) <= figures(read_or_refuse(tool, whole))


@each
@some
@given(data=st.data())
def test_every_value_of_a_damaged_output_stands_in_it(tool: str, data: st.DataObject) -> None:
    output = data.draw(damaged(tool))
    assume(not output.startswith(SHEET))
    found = read_or_refuse(tool, output)
    numbers = printed(output.decode("utf-8", "replace"))
    for one in found.measurements if found else ():
        assert abs(one.value) in numbers, one


@each
@share(len(READERS), seeded=True)
@given(seed=SEEDS)
def test_any_mutated_output_gives_what_can_be_shown_or_the_reason_why_not(tool: str, seed: int) -> None:
    known = captures()[tool]
    output = damaged_content(known[seed % len(known)], seed)
    try:
        found = read_output(tool, output)
    except OutputError as error:
        check_refusal(error)
        return
    check_values(found)
    assert all(line.isprintable() for line in spelled(tool_text(tool_page(found))).splitlines())
    assert all("\n" not in remark for remark in found.remarks)
