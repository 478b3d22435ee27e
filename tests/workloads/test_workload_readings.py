"""Figures of a user's own program: by pattern, pointer and a tool's reader; and when it succeeded."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from assay.model.metric import Direction, Metric
from assay.model.work.reading import Of, Reading, Success
from assay.model.work.tool_output import Figure, Refused, ToolOutput
from assay.model.work.workload import Workload
from assay.report.doubts import worded
from assay.workloads import (
    READERS,
    ReadingError,
    Wrote,
    command_workload,
    exit_is_good,
    measure,
    read_figures,
    unmet,
)
from assay.workloads.readings.file_sizes import sizes_of
from assay.workloads.readings.pattern import by_pattern
from assay.workloads.readings.pointer import by_pointer, parse_pointer
from assay.workloads.readings.selection import by_figure, why_not_comparable, why_refused
from assay.workloads.tool import OutputReader
from tests.workloads.test_workload_phases import USAGE

RATE = Metric("rate", "events/s", Direction.HIGHER)
SIZE = Metric("size", "MB", Direction.LOWER, timed=False)


def workload(*readings: Reading, success: Success | None = None, reader: str | None = None) -> Workload:
    return replace(command_workload("job", ["job"]), readings=readings, success=success, reader=reader)


def values(made: Workload, *copies: Wrote) -> dict[str, float | None]:
    return {one.metric.name: one.value for one in read_figures(made, copies).figures}


BLOCKS = Reading(Metric("read", "KiB/s", Direction.HIGHER), figure="get_block")


def bonnie(size: str) -> Wrote:
    """Return what bonnie++ 1.03 writes of a file of this size."""
    files = ",".join(["16", *["+++++", "+++"] * 6])
    return Wrote(f"host,{size},701,99,44128,45,30548,24,1849,98,74238,10,161.4,27,{files}\n".encode(), b"")


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        (["4G"], 4 << 30),
        (["300M"], 300 << 20),
        (["300"], 300 << 20),
        (["4G", "4096M"], 4 << 30),
        (["4G", "8G"], None),  # copies that did other work have no size in common
    ],
)
def test_the_size_of_the_file_is_what_the_tool_says_beside_its_figure(
    sizes: list[str], expected: int | None
) -> None:
    made = workload(BLOCKS, reader="bonnie++")
    assert read_figures(made, [bonnie(size) for size in sizes]).file_bytes == expected


def test_a_figure_that_no_reader_read_has_no_file() -> None:
    made = workload(Reading(RATE, pattern=r"rate: (\d+)"))
    assert read_figures(made, [Wrote(b"rate: 4\n", b"")]).file_bytes is None
    reported = ToolOutput("iozone", None, (
        Figure("read", 1.0, "KiB/s", Direction.HIGHER, {"file_size_kib": "512"}),
        Figure("write", 1.0, "KiB/s", Direction.HIGHER, {"file_size_kib": "1024"}),
        Figure("other", 1.0, "KiB/s", Direction.HIGHER, {"file_size": "a lot"}),
    ))  # fmt: skip
    assert sizes_of(reported, ["read"]) == {512 << 10}
    assert sizes_of(reported, ["read", "write", "other"]) == {512 << 10, 1 << 20}
    assert sizes_of(reported, ["absent"]) == set()


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("rate: 12.5 ev/s", 12.5),
        ("rate:7", 7.0),
        ("rate: 1.5e3", 1500.0),
        ("rate: +.5", 0.5),
        ("rate: 0", 0.0),
    ],
)
def test_the_group_of_a_pattern_is_the_number(line: str, value: float) -> None:
    assert by_pattern(f"start\n{line}\r\nend\n".encode(), r"rate: ?(\S+)", None) == value


@pytest.mark.parametrize(("of", "value"), [(Of.FIRST, 1.0), (Of.LAST, 6.0), (Of.SUM, 9.0), (Of.MEAN, 3.0)])
def test_one_of_several_lines_counts_as_the_scene_says(of: Of, value: float) -> None:
    assert by_pattern(b"n 1\nn 2\nn 6\n", r"^n (\d+)$", of) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n 1\nx\nn 2", (
r"expected one line that matches '^n (\S+)', got 2 (lines 1, 3); say which by 'of': "
r"first, last, sum, mean"
)),
        ("x 1\nlast words\n\n",
        r"expected a line that matches '^n (\S+)', got none; its last line is 'last words'"),
        ("", r"expected a line that matches '^n (\S+)', got an empty text"),
        ("n 1,234", "line 1: expected a number, got '1,234'"),
        ("x\nn nan", "line 2: expected a number, got 'nan'"),
        ("n -3", "line 1: expected a finite number of at least 0, got -3"),
        ("n 1e150", "line 1: expected a number of at most 1e+140, got 1e+150"),
        ("n 1e999", "line 1: expected a finite number of at least 0, got inf"),
        ("n \x1b[31m", "line 1: expected a number, got '␣[31m'"),
        ("n 0x10", "line 1: expected a number, got '0x10'"),
        ("n ٣", "line 1: expected a number, got '٣'"),
    ],
)  # fmt: skip
def test_what_a_pattern_does_not_find_is_said_in_words(text: str, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the whole message is compared
        by_pattern(text.encode(), r"^n (\S+)", None)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("text", "pattern", "piece", "whole"),
    [
        ("rate: 1.2e+06 ev/s", "rate: ([0-9.]+)", "1.2", "1.2e+06"),
        ("rate: 1,234.5", "rate: ([0-9.]+)", "1", "1,234.5"),
        ("at 12.7", r"(\d+)", "12", "12.7"),
        ("1.2e+06 ev/s", "([0-9.]+) ev/s", "06", "1.2e+06"),
        ("-5 ev/s", "([0-9.]+) ev/s", "5", "-5"),
    ],
)
def test_a_piece_of_a_number_is_no_figure(text: str, pattern: str, piece: str, whole: str) -> None:
    with pytest.raises(ValueError, match="holds a whole number") as refused:
        by_pattern(text.encode(), pattern, None)
    assert str(refused.value).endswith(f"got '{piece}' of '{whole}'")


@pytest.mark.parametrize(
    ("text", "pattern", "value"),
    [("a,10,20", r"a,(\d+)", 10.0), ("took 5s.", r"took (\d+)", 5.0), ("run-7", r"run-(\d+)", 7.0),
     ("1,234", r"(\d+),", 1.0), ("100.", r"(\d+)", 100.0)],
)  # fmt: skip
def test_what_stands_beside_a_number_may_be_anything_else(text: str, pattern: str, value: float) -> None:
    assert by_pattern(text.encode(), pattern, None) == value


def test_a_group_that_took_no_part_is_no_number() -> None:
    with pytest.raises(ValueError, match="expected a number, got ''"):
        by_pattern(b"rate", r"rate(\d+)?", None)


def test_sums_beyond_all_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 1e"):
        by_pattern(b"1e140\n1e140\n", r"(\S+)", Of.SUM)


@pytest.mark.parametrize(
    ("pointer", "value"),
    [("/a/b/1", 2.5), ("/m~1n", 3.0), ("/~0t", 4.0), ("/~01", 5.0), ("/", 6.0), ("/big", 1e130)],
)
def test_a_pointer_leads_to_its_number(pointer: str, value: float) -> None:
    document = b'{"a": {"b": [1, 2.5]}, "m/n": 3, "~t": 4, "~1": 5, "": 6, "big": 1e130}'
    assert by_pointer(document, pointer) == value
    assert by_pointer(b"warning: slow\n" + document + b"\ndone\n", pointer) == value


def test_a_document_may_be_a_list_or_a_number_alone() -> None:
    assert by_pointer(b"[[7]]", "/0/0") == 7
    assert by_pointer(b"\xef\xbb\xbf 8 ", "") == 8


@pytest.mark.parametrize(
    ("text", "pointer", "message"),
    [
        ('{"a": {"x": 1}}', "/a/y", "expected the name 'y' at '/a', got x"),
        ('{"a": [1]}', "/a/1", "expected one of 1 items at '/a', counted from 0, got '1'"),
        ('{"a": [1]}', "/a/-", "expected one of 1 items at '/a', counted from 0, got '-'"),
        ('{"a": [1, 2]}', "/a/01", "expected one of 2 items at '/a', counted from 0, got '01'"),
        ('{"a": 1}', "/a/b", "expected an object or an array at '/a', got 1"),
        ('{"a": "1.5"}', "/a", "expected a number at '/a', got '1.5'"),
        ('{"a": true}', "/a", "expected a number at '/a', got true"),
        ('{"a": null}', "/a", "expected a number at '/a', got null"),
        ('{"a": NaN}', "/a", "expected a number at '/a', got NaN"),
        ('{"a": {}}', "/a", "expected a number at '/a', got an object"),
        ('{"a": 1, "a": 2}', "/a", "expected a number at '/a', got the name 'a' twice"),
        ('{"a": -1}', "/a", "expected a finite number of at least 0, got -1"),
        ('{"a": 1e999}', "/a", "expected a finite number of at least 0, got inf"),
        ('{"a": 1' + "0" * 400 + "}", "/a", "expected a finite number at '/a'"),
        ("", "/a", "expected JSON, got an empty text"),
        ("hello", "/a", "expected JSON, got in line 1: expecting value"),
        ('{"a": 1', "/a", "expected JSON, got in line 1: expecting ',' delimiter"),
        ('{"a": 1}\n{"a": 2}\n', "/a", "expected one JSON object, got a second one in line 2"),
        ("[" * 100_000, "/a", "expected JSON that can be read, got brackets without end"),
    ],
)
def test_what_a_pointer_does_not_find_is_said_in_words(text: str, pointer: str, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the whole message is compared
        by_pointer(text.encode(), pointer)
    assert str(refused.value) == message


@pytest.mark.parametrize("pointer", ["a", "#/a", "/a~", "/a~2"])
def test_a_text_that_is_no_pointer_is_refused(pointer: str) -> None:
    with pytest.raises(ValueError, match=r"begins with|after '~'"):
        parse_pointer(pointer)


SAID = ToolOutput(
    "tool",
    "1",
    (
        Figure("bw", 10.0, "KiB/s", Direction.HIGHER, {"job": "write", "rw": "write"}),
        Figure("bw", 30.0, "KiB/s", Direction.HIGHER, {"job": "read", "rw": "read"}),
        Figure("reread", 5.0, "KiB/s", Direction.HIGHER, {"not_comparable": "the page cache served it"}),
    ),
    (Refused("rewrite", "too fast to be told", {"job": "read"}),),
)
BW = Metric("bandwidth", "KiB/s", Direction.HIGHER)


def figure(name: str, *labels: tuple[str, str], metric: Metric = BW, of: Of | None = None) -> Reading:
    return Reading(metric, figure=name, labels=labels, of=of)


def test_labels_tell_a_figure_of_a_tool_from_others() -> None:
    assert by_figure(SAID, figure("bw", ("job", "write"))) == 10
    assert by_figure(SAID, figure("bw", of=Of.SUM)) == 40


@pytest.mark.parametrize(
    ("reading", "message"),
    [
        (figure("bw"), (
"expected one figure 'bw', got 2 that differ in job (write, read), rw (write, read); say "
"which by 'of': first, last, sum, mean"
)),
        (figure("bq"), "expected a figure 'bq' of tool, got none; nearest: 'bw' (known: bw, reread)"),
        (figure("bw", ("jobb", "x")),
        "expected a label 'jobb' of bw, got none; nearest: 'job' (known: job, rw)"),
        (figure("bw", ("job", "wrte")),
        "expected bw with job: wrte, got none; nearest: 'write' (known: read, write)"),
        (figure("bw", ("job", "read"), ("rw", "write")), (
"expected a figure 'bw' (job: read, rw: write), got none with all of these labels together"
)),
        (figure("bw", ("job", "read"), metric=RATE),
        "expected the unit 'events/s' as the scene says, got 'KiB/s'"),
        (figure("bw", ("job", "read"), metric=replace(BW, direction=Direction.LOWER)),
        "expected 'lower' to be better as the scene says, for bw it is 'higher'"),
    ],
)  # fmt: skip
def test_a_selection_that_does_not_fit_names_what_there_is(reading: Reading, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the whole message is compared
        by_figure(SAID, reading)
    assert str(refused.value) == message


def test_what_a_tool_could_not_say_is_not_measured_and_never_zero() -> None:
    assert by_figure(SAID, figure("rewrite")) is None
    assert why_refused(SAID, figure("rewrite")) == "too fast to be told"
    assert why_refused(SAID, figure("rewrite", ("job", "write"))) is None


def test_what_is_not_to_be_compared_keeps_its_value_and_its_reason() -> None:
    assert by_figure(SAID, figure("reread")) == 5
    assert why_not_comparable(SAID, figure("reread")) == "the page cache served it"
    assert why_not_comparable(SAID, figure("bw", ("job", "read"))) is None


def test_rates_of_copies_add_up_and_the_rest_is_averaged() -> None:
    made = workload(Reading(RATE, pattern=r"rate (\d+)"), Reading(SIZE, pointer="/mb", file="out.json"))
    first, second = (
        Wrote(b"rate 10\n", files={"out.json": b'{"mb": 4}'}),
        Wrote(b"rate 30\n", files={"out.json": b'{"mb": 6}'}),
    )
    assert values(made, first, second) == {"rate": 40.0, "size": 5.0}
    assert values(made, first) == {"rate": 10.0, "size": 4.0}


def test_a_copy_that_does_not_say_a_figure_is_named() -> None:
    made = workload(Reading(RATE, pattern=r"rate (\d+)"))
    with pytest.raises(ReadingError) as refused:
        values(made, Wrote(b"rate 1"), Wrote(b"none"))
    assert refused.value.message.startswith(
        "cannot read 'rate' from standard output of copy 1: expected a line"
    )


def test_a_file_that_was_not_brought_gives_no_figure() -> None:
    with pytest.raises(ReadingError, match=r"cannot read 'size' from 'out\.json': it is not there"):
        values(workload(Reading(SIZE, pointer="/mb", file="out.json")), Wrote(b""))


def test_own_figures_stand_between_the_times_and_the_phases() -> None:
    made = workload(Reading(RATE, pattern=r"rate (\d+)"))
    own = read_figures(made, [Wrote(b"rate 5")]).figures
    figures = measure(made, outputs=[b"rate 5"], usage=USAGE, own=own)
    assert [one.metric.name for one in figures] == ["wall_time", "cpu_time", "rate"]


def test_a_workload_says_which_files_it_is_read_from() -> None:
    made = workload(
        Reading(RATE, pattern="(1)", file="a.log"),
        Reading(SIZE, pointer="/a", file="b.json"),
        success=Success(pattern="x", log="a.log", files=("c.root",)),
    )
    assert made.written == ("a.log", "b.json")


@pytest.mark.parametrize(
    ("success", "fault"),
    [
        (None, None),
        (Success(pattern="^all done$"), None),
        (Success(absent="^ERROR"), (
"expected no line that matches '^ERROR', got line 2 of standard error: 'ERROR: no geometry'"
)),
        (Success(pattern="finished"),
        "expected a line that matches 'finished' in standard output or standard error, got none"),
        (Success(pattern="ok", log="run.log"), None),
        (Success(absent="ok", log="run.log"),
        "expected no line that matches 'ok', got line 1 of 'run.log': 'ok'"),
        (Success(pattern="ok", log="no.log"),
        "expected the file 'no.log' that tells of its success, got none"),
    ],
)  # fmt: skip
def test_lines_tell_of_success(success: Success | None, fault: str | None) -> None:
    copy = Wrote(b"begin\nall done\n", b"hm\nERROR: no geometry\n", {"run.log": b"ok\n"})
    assert unmet(success, [copy]) == fault
    assert unmet(success, [copy, copy]) == (fault and f"copy 0: {fault}")


def test_other_exit_codes_than_0_are_good_where_the_scene_says_so() -> None:
    assert exit_is_good(None, 0)
    assert not exit_is_good(None, 3)
    assert exit_is_good(Success(exit=(0, 3)), 3)
    assert not exit_is_good(Success(exit=(3,)), 0)
    assert not exit_is_good(Success(exit=(3,)), None)


def test_a_tool_s_reader_reads_each_file_once_and_its_doubts_go_with_the_figures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[bytes] = []

    def reader(output: bytes) -> ToolOutput:
        read.append(output)
        return SAID

    small = ModuleType("assay.workloads.tools.small")
    vars(small)["read"] = reader
    monkeypatch.setitem(sys.modules, small.__name__, small)
    one = OutputReader("small", "what it prints", small.__name__)
    monkeypatch.setattr(READERS, "own", {"small": one})
    made = workload(
        figure("bw", ("job", "write")),
        figure("reread", metric=replace(BW, name="again")),
        figure("rewrite", metric=replace(BW, name="over")),
        reader="small",
    )
    found = read_figures(made, [Wrote(b"as printed")])
    assert [(one.metric.name, one.value) for one in found.figures] == [
        ("bandwidth", 10.0),
        ("again", 5.0),
        ("over", None),
    ]
    assert read == [b"as printed"]
    assert [(doubt.code, worded(doubt).sentence) for doubt in found.doubts] == [
        ("not-comparable", "again is not to be compared: the page cache served it."),
        ("no-figure", "tool printed no number for over: too fast to be told."),
    ]


def test_figures_of_a_real_report_are_read_by_the_tool_s_reader() -> None:
    report = (Path(__file__).parent / "captures/fio-3.33.json").read_bytes()
    labels = (("job", "seq_write"), ("operation", "write"))
    written = figure("bw_bytes", *labels, metric=Metric("seq_write", "B/s", Direction.HIGHER))
    assert values(workload(written, reader="fio"), Wrote(report)) == {"seq_write": 1934225848.0}
    with pytest.raises(
        ReadingError, match=r"expected bw_bytes with job: seq_rite, got none; nearest: 'seq_write'"
    ):
        values(workload(replace(written, labels=(("job", "seq_rite"),)), reader="fio"), Wrote(report))
