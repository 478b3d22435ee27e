"""The columns of a counter in the text of ``perf stat``: place, value, unit, event and cgroup."""

from __future__ import annotations

import re

from assay.workloads.outputs.numbered import Line, finite
from assay.workloads.tools.perf.counter import NO_NUMBER
from assay.workloads.tools.perf.csv_lines import kind_of

_UNITS = frozenset(
    (
        "msec",
        "nsec",
        "usec",
        "sec",
        "ns",
        "us",
        "ms",
        "Joules",
        "W",
        "Bytes",
        "MiB",
        "KiB",
        "GiB",
        "MB",
        "KB",
        "GB",
        "C",
        "%",
    )
)
"""Of events; perf prints no mark between a unit and an event."""
_UNIT_BEHIND = re.compile(r"\((\w+)\)")
"""``task-clock (msec)``, up to Linux 4.19."""
_CLOCKS = re.compile(r"(?:task|cpu)-clock(?::\w+)?")
"""Always in milliseconds where perf prints no unit and decimals."""
_EVENT = re.compile(r"[\w.-]+/[^/]*/\w*")
_THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3})+")


def split(text: str) -> list[str]:
    """Return the words of a line; what perf prints for no number is one word."""
    for words in NO_NUMBER:
        text = text.replace(words, words.replace(" ", "_"))
    known = {words.replace(" ", "_"): words for words in NO_NUMBER}
    return [known.get(word, word) for word in text.split()]


def is_value(word: str) -> bool:
    """Tell whether a word is a number, or what perf prints for none."""
    return word in NO_NUMBER or finite(_plain(word)) is not None


def _plain(word: str) -> str:
    """Return a number without separators of thousands; perf prints a point before decimals only."""
    return re.sub(r"[,'\u202f\u00a0](?=\d{3})", "", word)


def place(words: list[str], *, timed: bool) -> tuple[dict[str, str], list[str]]:
    """Return the labels before a counter, and the words behind them."""
    labels: dict[str, str] = {}
    if timed and words and re.fullmatch(r"\d+\.\d{9}", words[0]):
        labels, words = {"interval": words[0]}, words[1:]
    if len(words) > 2 and not is_value(words[0]):
        kind = kind_of(words[0])
        labels, words = {**labels, kind: words[0]}, words[1:]
        if kind not in ("cpu", "thread") and words[0].isdigit() and is_value(words[1]):
            labels, words = {**labels, "counters": words[0]}, words[1:]
    return labels, words


def columns(line: Line, words: list[str]) -> tuple[str, str, str, str]:
    """Return value, unit, event and cgroup of a counter.

    Raises:
        OutputError: a unit that is not known.
    """
    value = words[0] if words[0] in NO_NUMBER else _plain(words[0])
    rest = words[1:]
    unit = rest.pop(0) if len(rest) > 1 and rest[0] in _UNITS else ""
    event, *more = rest
    if more and not unit and (behind := _UNIT_BEHIND.fullmatch(more[0])) and behind[1] in _UNITS:
        unit, more = behind[1], more[1:]
    if _CLOCKS.fullmatch(event) and not unit and "." in value:
        unit = "msec"
    _refuse_doubtful(line, (value, unit, event), more)
    return value, unit, event, more[0] if more else ""


def _refuse_doubtful(line: Line, counted: tuple[str, str, str], more: list[str]) -> None:
    """Refuse what may be a unit that is not known, and a count that may be a thousand times as much."""
    value, unit, _ = counted
    if more and (len(more) > 1 or more[0].startswith(("(", "["))):
        line.unknown()
    if more and not unit and ("." in value or _EVENT.fullmatch(more[0])):
        line.unknown()
    if not unit and _THOUSANDS.fullmatch(value):
        line.fail(f"expected a count, got '{value}': the point may be one between thousands")
