"""The tables that bonnie++ and ``bon_csv2txt`` print: a head of three lines, a line of numbers, a line of
latencies.

Limits: with ``-f`` the columns of single characters are blank; other blanks are refused, since they cannot be
    told apart. From 1.98 on bonnie++ itself prints another number than the rate in its table of files (a
    whole number is asked of a rate with fractions), so these say ``not_comparable``; ``bon_csv2txt`` prints
    the right one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.model.metric import Direction
from assay.model.work.tool_output import NOT_COMPARABLE, Figure, Refused
from assay.workloads.errors import OutputError
from assay.workloads.tools.bonnie.lines import BLOCKS, FILES, SHORT, TOOL, Entry, Run, latencies, value

_FIRST = re.compile(r"(?:Version\s+(\S+))?(\s*)------Sequential (Output|Create)------ ")
_SECOND = re.compile(r"(.*?)-(?:Per Chr- --Block-- -Rewrite-|Create-- --Read--- -Delete-- )")
_THIRD = re.compile(r".*/sec %CP\s+(K?)/sec %CP\s")
_LATENCY = re.compile(r"Latency\s")
_RATE = re.compile(r"\+{5}|\d+(?:\.\d+)?[kmg]?")
_SHARE = re.compile(r"\+{3}|\d+")
_WIDE = re.compile(r"\d+[:/]\S+")
"""Sizes of files that fill their column, so that nothing stands before them."""
_SCALES = {"k": "KiB/s", "m": "MiB/s", "g": "GiB/s"}
_CONVERTED = 3
"""Blanks between version and title where ``bon_csv2txt`` prints; bonnie++ itself prints seven."""
_WRONG = "bonnie++ since 1.98 prints another number here than the rate: take its line with commas"
_FAST = ("put_block", "rewrite", "get_block", "seeks")


@dataclass(frozen=True)
class _Row:
    """A line of numbers: the machine's name, what sizes were used, and pairs of a rate and a share."""

    name: str
    what: str
    numbers: tuple[str, ...]


@dataclass
class _Table:
    """One table while it is read."""

    files: bool
    scaled: bool
    wrong: bool
    converted: bool
    labels: dict[str, str]
    names: tuple[str, ...] = ()


def tables(lines: Sequence[tuple[int, str]]) -> list[Run]:
    """Return what tables say, as one run for each table of blocks and what follows it.

    Raises:
        OutputError: a line that belongs to no table.
    """
    runs: list[list[Entry]] = []
    version: str | None = None
    table = _Table(files=False, scaled=False, wrong=False, converted=False, labels={})
    for number, text in lines:
        if first := _FIRST.match(text):
            version = first[1] or version
            files, new = first[3] == "Create", (first[1] or "")[:4] >= "1.98"
            table = _Table(
                files, scaled=False, wrong=files and new, converted=len(first[2]) == _CONVERTED, labels={}
            )
            runs += [] if files and runs else [[]]
        elif runs and (second := _SECOND.match(text)):
            table.labels = _aside(second[1].strip(), files=table.files)
        elif runs and (third := _THIRD.match(text)):
            table.scaled = not third[1] and not table.files
        elif runs and _LATENCY.match(text):
            runs[-1] += _latency(number, text, table)
        elif runs and (row := _row(text, files=table.files)) is not None:
            runs[-1] += _values(number, row, table)
        else:
            raise OutputError(TOOL, number, f"expected a line of bonnie++, got '{text.strip():.100}'")
    return [Run(version, {}, tuple(entries)) for entries in runs]


def _aside(words: str, *, files: bool) -> dict[str, str]:
    """Return what stands before the names of the columns: how many ran at once, or in a table of files the
    machine.
    """
    if match := re.fullmatch(r"Concurrency\s+(\d+)", words):
        return {"concurrency": match[1]}
    return {"name": words} if files and words else {}


def _row(text: str, *, files: bool) -> _Row | None:
    """Return a line of numbers, of which as many are taken as stand at its end; ``None`` where it is none."""
    matches = list(re.finditer(r"\S+", text))
    words = [match[0] for match in matches]
    wide = files and bool(words) and text[:1] == words[0][:1] and _WIDE.fullmatch(words[0]) is not None
    first = 1 if wide or text[:1].isspace() else 2
    start = len(words)
    while start - 2 >= first and _RATE.fullmatch(words[start - 2]) and _SHARE.fullmatch(words[start - 1]):
        start -= 2
    if start == len(words):
        return None
    name = text[: matches[start - 2].end()].strip() if start > 1 else ""
    return _Row(name, words[start - 1], tuple(words[start:]))


def _values(number: int, row: _Row, table: _Table) -> list[Entry]:
    words = row.numbers
    table.names = _FAST if len(words) == 2 * len(_FAST) else (FILES if table.files else BLOCKS)
    if len(words) not in (12, 8) or (table.files and len(words) != 12):
        raise OutputError(TOOL, number, f"expected 12 numbers, or 8 with -f, got {len(words)}")
    named = {"name": row.name} if row.name else {}
    table.labels = {**table.labels, **named, **_sizes(row.what, table)}
    entries: list[Entry] = []
    for at, name in enumerate(table.names):
        entries += _rate(number, name, words[2 * at], words[2 * at + 1], table)
        entries += value(number, f"{name}_cpu", words[2 * at + 1], ("%", Direction.LOWER), table.labels)
    return entries


def _sizes(what: str, table: _Table) -> dict[str, str]:
    first, *more = what.split(":")
    if table.files:
        sizes, _, directories = what.partition("/")
        reported = dict(
            zip(("num_files", "max_size", "min_size", "num_dirs"), sizes.split(":"), strict=False)
        )
        return {**reported, "num_dirs": directories} if directories else reported
    keys = ("io_chunk_size", *(() if table.converted else ("concurrency",)), "seeks_count", "seekers")
    return {"file_size": first, **{key: word for key, word in zip(keys, more, strict=False) if word}}


def _rate(number: int, name: str, word: str, cpu: str, table: _Table) -> list[Entry]:
    if word.startswith("+") or (word == "0k" and cpu == "+++"):
        return [Refused(name, SHORT, table.labels)]
    labels = {**table.labels, NOT_COMPARABLE: _WRONG} if table.wrong else table.labels
    scale = _SCALES.get(word[-1])
    if scale is not None:
        return [Figure(name, float(word[:-1]), scale, Direction.HIGHER, labels)]
    counted = table.files or name == "seeks"
    return value(number, name, word, ("1/s" if counted else "KiB/s", Direction.HIGHER), labels)


def _latency(number: int, text: str, table: _Table) -> list[Entry]:
    words = text.split()[1:]
    names: tuple[str, ...] = FILES if table.files else BLOCKS
    if len(words) == len(_FAST) and table.names == _FAST:
        names = _FAST
    if len(words) != len(names):
        raise OutputError(TOOL, number, f"expected {len(names)} latencies, got {len(words)}")
    return latencies(number, names, words, table.labels)
