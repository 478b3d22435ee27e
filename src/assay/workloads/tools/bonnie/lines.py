"""Bonnie++'s lines with commas, a run each: fields by version."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure, Refused
from assay.workloads.errors import OutputError

TOOL = "bonnie++"
Entry = Figure | Refused
BLOCKS = ("putc", "put_block", "rewrite", "getc", "get_block", "seeks")
FILES = ("seq_create", "seq_stat", "seq_del", "ran_create", "ran_stat", "ran_del")
SHORT = "bonnie++ prints + where a test took less than half a second: no rate can be told"

_COUNT_1_03 = 27
_LATENCY = re.compile(r"(\d+)(us|ms|s)$")
_RATE = re.compile(r"\d+(\.\d+)?$")


@dataclass(frozen=True)
class Run:
    """One run.

    Attributes:
        version: Of bonnie++, ``2.00a``; lines of 1.03 do not say theirs.
        labels: Machine, sizes, counts: of all figures.
        entries: Its figures.
    """

    version: str | None
    labels: dict[str, str] = field(default_factory=dict)
    entries: tuple[Entry, ...] = ()


def run_of(number: int, text: str) -> Run:
    """Return the run of a line.

    Raises:
        OutputError: another number of fields than its version has, or a field that is not known.
    """
    fields = [word.strip() for word in text.strip().split(",")]
    if re.match(r"[12]\.\d\d[a-z]?$", fields[0]):
        return _later(number, fields)
    if len(fields) != _COUNT_1_03:
        raise OutputError(TOOL, number, f"expected {_COUNT_1_03} fields of bonnie++ 1.03, got {len(fields)}")
    size, _, chunk = fields[1].partition(":")
    labels = _labels({"name": fields[0], "file_size": size, "io_chunk_size": chunk})
    files = _labels({"num_files": fields[14]})
    blocks = _pairs(number, BLOCKS, fields[2:14], "KiB/s", labels)
    return Run(None, {}, (*blocks, *_pairs(number, FILES, fields[15:27], "1/s", {**labels, **files})))


_HEAD = ("name", "concurrency", "seed", "file_size", "io_chunk_size")
_TAIL = ("num_files", "max_size", "min_size", "num_dirs", "file_chunk_size")


def _later(number: int, fields: list[str]) -> Run:
    """Return the run of 1.9x and 2: 1.98 and later tell the numbers of seeks and of seekers."""
    seeks = ("seeks_count", "seekers") if float(fields[0][:4]) >= 1.98 else ()
    names: tuple[str, ...] = (*_HEAD, *seeks)
    counts = 2 + len(names) + 12 + len(_TAIL) + 12 + 12
    if fields[0] == "1.96" and len(fields) == counts - 1 and not fields[5]:
        fields = [*fields[:5], "", *fields[5:]]  # its -s 0 left a field out (changelog of 1.97)
    if len(fields) != counts:
        raise OutputError(TOOL, number, f"expected {counts} fields of format {fields[0]}, got {len(fields)}")
    labels = _labels(dict(zip(names, fields[2 : 2 + len(names)], strict=True)))
    at = 2 + len(names)
    reported: dict[str, str] = dict(zip(_TAIL, fields[at + 12 : at + 17], strict=True))
    if (
        reported["file_chunk_size"].isdigit() and not reported["num_dirs"]
    ):  # it prints the directories one field late
        reported["num_dirs"], reported["file_chunk_size"] = reported["file_chunk_size"], ""
    shared = _labels({key: labels.get(key, "") for key in ("name", "concurrency", "seed")})
    files = {**shared, **_labels(reported)}
    blocks = _pairs(number, BLOCKS, fields[at : at + 12], "KiB/s", labels)
    creates = _pairs(number, FILES, fields[at + 17 : at + 29], "1/s", files)
    late = [
        *latencies(number, BLOCKS, fields[at + 29 : at + 35], labels),
        *latencies(number, FILES, fields[at + 35 : at + 41], files),
    ]
    return Run(fields[1], {}, (*blocks, *creates, *late))


def _labels(reported: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in reported.items() if value}


def _pairs(
    number: int, names: Sequence[str], fields: Sequence[str], unit: str, labels: dict[str, str]
) -> list[Entry]:
    """Return rates and the processor's share of each; an empty field is a test that was not asked for."""
    entries: list[Entry] = []
    for at, name in enumerate(names):
        of = "1/s" if name == "seeks" else unit
        entries += value(number, name, fields[2 * at], (of, Direction.HIGHER), labels)
        entries += value(number, f"{name}_cpu", fields[2 * at + 1], ("%", Direction.LOWER), labels)
    return entries


def value(
    number: int, metric: str, word: str, kind: tuple[str, Direction], labels: dict[str, str]
) -> list[Entry]:
    """Return the figure of a field; none of an empty one."""
    if not word:
        return []
    if re.fullmatch(r"\++", word):
        return [Refused(metric, SHORT, labels)]
    if _RATE.match(word) is None:
        raise OutputError(TOOL, number, f"expected a number or +++++ for {metric}, got '{word:.40}'")
    return [Figure(metric, float(word), kind[0], kind[1], labels)]


def latencies(number: int, names: Sequence[str], words: Sequence[str], labels: dict[str, str]) -> list[Entry]:
    """Return the longest time that an operation of each test took, in the unit printed."""
    entries: list[Entry] = []
    for name, word in zip(names, words, strict=True):
        if word and (reported := _LATENCY.match(word)) is None:
            raise OutputError(TOOL, number, f"expected a latency like 7897us for {name}, got '{word:.40}'")
        if word and reported is not None:
            entries.append(
                Figure(f"{name}_latency", float(reported[1]), reported[2], Direction.LOWER, labels)
            )
    return entries
