"""Readers take a time that grows with the length of a line, not with its square, whatever stands in it.

A line of an output is made long at each of its blanks, digits and words; four times the length takes four
times the time. What grows with the square takes sixteen times, which is compared, not the seconds: the
machine may be busy.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache

import pytest

from assay.exchange import TableError, parse, to_runs
from assay.model.errors import AssayError
from assay.probe.folded import count_samples, merge_folded
from assay.probe.series import parse_phase_events, parse_series
from assay.workloads import READERS
from assay.workloads.readings.pattern import by_pattern
from assay.workloads.saved_outputs import read_output
from tests.in_gate import in_gate
from tests.workloads.damaged import captures

LONG = 4_000
"""Letters; a reader whose time grew with the square took seconds for four times as many."""
SLACK_S = 0.03
SAMPLE = 6
"""Lines of a tool in the gate."""
RUNS = re.compile(r"[ \t]+|\d+|[A-Za-z]+|[^\w\s]")
"""What is made long in a line."""


def cost_s(read: Callable[[bytes], object], output: bytes) -> float:
    """Return the processor time of a reading, the least of some where it is not short."""
    least = float("inf")
    for _ in range(3):
        began = time.process_time()
        with suppress(AssayError, ValueError):
            read(output)
        least = min(least, time.process_time() - began)
        if least < SLACK_S:
            break
    return least


def refuse_square(read: Callable[[bytes], object], make: Callable[[int], bytes]) -> None:
    """Refuse a reader that takes far more than four times the time for four times the length."""
    most = 8 * max(SLACK_S, cost_s(read, make(LONG)))
    assert cost_s(read, make(4 * LONG)) < most, make(20)


@cache
def shapes(tool: str) -> tuple[tuple[bytes, int], ...]:
    """Return one line for each shape that lines of a tool's outputs have: the output and the line's place."""
    found: dict[str, tuple[bytes, int]] = {}
    for output in captures()[tool]:
        if not output.startswith(b"\x00") and len(output) < 30_000:
            for at, line in enumerate(output.decode("utf-8", "replace").splitlines()):
                found.setdefault(re.sub(r"\d+|[ \t]+", " ", line)[:60], (output, at))
    return tuple(found.values())


def made_long(output: bytes, at: int) -> Iterator[Callable[[int], bytes]]:
    """Yield outputs with a line in which one run of letters is as long as is asked, and what follows it is
    damaged.
    """
    lines = output.decode("utf-8", "replace").splitlines(keepends=True)
    for run in {found[0][0]: found for found in RUNS.finditer(lines[at])}.values():

        def make(size: int, run: re.Match[str] = run) -> bytes:
            line = lines[at][: run.start()] + run[0][:1] * size + "\0" + lines[at][run.end() :]
            return "".join([*lines[:at], line, *lines[at + 1 :]]).encode()

        yield make


def hold(tool: str, most: int) -> None:
    known = list(shapes(tool))
    for output, at in random.Random(tool).sample(known, min(most, len(known))):
        for make in made_long(output, at):
            refuse_square(lambda text: read_output(tool, text), make)


@pytest.mark.parametrize("tool", READERS)
def test_a_long_line_is_read_in_linear_time(tool: str) -> None:
    hold(tool, SAMPLE)


@pytest.mark.long
@pytest.mark.parametrize("tool", READERS)
def test_any_long_line_is_read_in_linear_time(tool: str) -> None:
    hold(tool, 100_000)


@pytest.mark.parametrize("tool", READERS)
@pytest.mark.parametrize(
    "letter", in_gate([" ", "1", "a: ", "\n", "\t", "a", "1 ", ",", "[", "(", "\u00a0", "1.", "{}\n"], 4)
)
def test_tens_of_kilobytes_of_one_letter_are_refused_in_linear_time(tool: str, letter: str) -> None:
    refuse_square(lambda text: read_output(tool, text), lambda size: (letter * size + "\0").encode())


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        (" Performance counter stats for 'x':\n\n  1 cycles", " "),
        (" Performance counter stats for 'x':\n\n", "\u00a0"),
        (
            (
                "Version 1.97------Sequential Output------ --S\nConc -Per Chr- --Block-- -Rewrite-\n"
                ".*/sec %CP\na b "
            ),
            "11 ",
        ),
        ("stress-ng: metrc: [1] a 1 b", " "),
        ("\tChildren see throughput for 1 a", " "),
        ("sysbench 1.0:  b\n", "\n"),
        ("events (avg/stddev):", " "),
    ],
)
def test_what_took_the_square_of_its_length_or_more_is_read_in_linear_time(head: str, piece: str) -> None:
    for tool in READERS:
        refuse_square(
            lambda text, tool=tool: read_output(tool, text), lambda size: f"{head}{piece * size}x\n".encode()
        )


@pytest.mark.parametrize("letter", [",", "\n", '"', "1", ";", "block,arm,value\n", "1,2,3\n", "a;b 1\n"])
def test_tables_series_and_stacks_are_read_in_linear_time(letter: str) -> None:
    def make(size: int) -> bytes:
        return f"block,arm,value\n{letter * size}\n".encode()

    for read in (parse_series, parse_phase_events, lambda data: count_samples(merge_folded([data]))):
        refuse_square(read, make)
    refuse_square(lambda data: to_runs(parse(data, name="x")), make)


def test_a_number_by_a_pattern_is_read_in_linear_time() -> None:
    refuse_square(
        lambda text: by_pattern(text, "x([0-9])", None), lambda size: b"1" * size + b"x7" + b"1" * size
    )
    with pytest.raises(TableError):
        parse(b"", name="x")
