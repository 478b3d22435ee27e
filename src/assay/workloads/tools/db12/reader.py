"""db12: one copy, several, the whole node, as text or ``--json``; and the block of the HEP Benchmark Suite.

A score is 250 over CPU seconds of Python's own random numbers, so that it measures the interpreter as much as
the
processor: DB12 corrects it for Python 3.9 alone. What was not corrected, or does not tell under which Python
    it ran, is
not to be compared.

Source: https://github.com/DIRACGrid/DB12 1.0 (``__main__.py``, ``benchmark.py``, ``factors.json``); the HEP
    Benchmark Suite's ``db12.py``.
Limits: it divides by CPU time, so that it is blind to steal and to overcommitted processors. ``--json`` of
    one copy writes a number alone, without the end of a line: that it was cut off cannot be seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure, Refused, ToolOutput
from assay.workloads.document import read_document
from assay.workloads.outputs.numbered import Line, because, finite, numbered, refuse_cut

TOOL = "db12"
UNIT = "DB12"
PYTHON = "3.9"
"""The only version that DB12 has factors for."""
AGGREGATES = ("sum", "arithmetic_mean", "geometric_mean", "median")
UNTOLD = f"it does not tell under which Python it ran, and DB12 is corrected for Python {PYTHON} alone"
SUITE = "the suite's DB12 is not corrected for the Python that it ran under"
LOST = "a copy that gave no result counts as 0 in it"

_KNOWN = re.compile(
    r"(?:WARNING:root:)?(?:You are executing DB12 using python3.*|Trying to apply a correction\.\.\."
    r"|Versions available are: .*|Brands available are: .*|Please consult https://zenodo\.org/.*)"
    r"|INFO:root:Applying a factor of .*"
    r"|\S+:\d+: (?:User|Deprecation)Warning: .*|  from pkg_resources import .*"
    r"|(?:real|user|sys)\s+\d+m[\d.]+s|"
)
_UNCORRECTED = re.compile(r"(?:WARNING:root:)?(Cannot correct the score, return the raw norm: (.*?))\.?")
_TRIED = "Trying to apply a correction"


def read(output: bytes) -> ToolOutput:
    """Return the scores; DB12 does not print its version.

    Raises:
        OutputError: no score, a line that is not known, copies that do not add up to what is printed of them.
    """
    if output.lstrip()[:1] == b"{":
        return _read_json(output)
    lines = numbered(output, tool=TOOL)
    rows = [line for line in lines if _is_row(line)]
    for line in lines:
        if line not in rows and not _KNOWN.fullmatch(line.text) and not _UNCORRECTED.fullmatch(line.text):
            line.unknown()
    if sum(bool(line.text.strip()) for line in lines) > 1:
        refuse_cut(output, tool=TOOL)
    reason = _reason(lines)
    if len(rows) == 1 and len(rows[0].text.split()) == 1:
        return _output([("norm", rows[0].text.strip(), {})], reason)
    if len(rows) != 2 or len(rows[0].text.split()) != 5:
        place = rows[-1] if rows else lines[-1]
        place.fail("expected one score, or 'COPIES SUM MEAN GEOMEAN MEDIAN' and the score of each copy")
    return _several(rows[0].text.split(), rows[1].text.split(), reason, rows[1])


def _is_row(line: Line) -> bool:
    words = line.text.split()
    return bool(words) and all(finite(word) is not None or word in ("inf", "nan") for word in words)


def _reason(lines: list[Line]) -> str | None:
    for line in lines:
        if (match := _UNCORRECTED.fullmatch(line.text)) is not None:
            return f"DB12 says '{match[1]}'"
    return None if any(_TRIED in line.text for line in lines) else UNTOLD


def _several(words: list[str], raw: list[str], reason: str | None, line: Line) -> ToolOutput:
    copies = int(line.value(words[0]))
    if copies != len(raw):
        line.fail(f"expected the scores of {copies} copies, got {len(raw)}")
    figures: list[tuple[str, str, dict[str, str]]] = [("copies", words[0], {})]
    figures += [(name, word, {}) for name, word in zip(AGGREGATES, words[1:], strict=True)]
    figures += [("raw", word, {"copy": str(number)}) for number, word in enumerate(raw, start=1)]
    return _output(figures, reason)


def _output(words: Iterable[tuple[str, str, dict[str, str]]], reason: str | None) -> ToolOutput:
    printed = list(words)
    lost = any(name == "raw" and finite(word) == 0 for name, word, _ in printed)
    figures: list[Figure] = []
    refused: list[Refused] = []
    for name, word, labels in printed:
        value = finite(word)
        if value is None:
            refused.append(
                Refused(name, f"DB12 printed '{word}': its product of all scores overflows", labels)
            )
        elif name == "copies":
            figures.append(Figure(name, value, "1", None, labels))
        elif value == 0 and name in ("raw", "norm"):
            refused.append(Refused(name, "DB12 gives 0 for a copy that gave no result", labels))
        else:
            why = LOST if lost and name != "raw" else reason
            figures.append(Figure(name, value, UNIT, Direction.HIGHER, because(why, labels)))
    return ToolOutput(TOOL, None, tuple(figures), tuple(refused))


def _read_json(output: bytes) -> ToolOutput:
    document = read_document(output, tool=TOOL)
    for place in (("profiles", "DB12"), ("DB12",)):
        if document.at(*place) is not None:
            return ToolOutput(
                TOOL, None, (suite_figure(document.number(*place, "value"), _unit(document.at(*place))),)
            )
    raw = document.at("raw")
    if not isinstance(raw, list):
        document.fail("expected 'raw', or the suite's 'DB12', got neither")
    line = Line(TOOL, document.line, "")
    words = [str(document.at(name)) for name in ("copies", *AGGREGATES)]
    return _several(words, [str(word) for word in raw], UNTOLD, line)


def _unit(block: object) -> str:
    unit = block.get("unit") if isinstance(block, dict) else None
    return unit if isinstance(unit, str) and unit else UNIT


def suite_figure(value: float, unit: str) -> Figure:
    """Return the HEP Benchmark Suite's DB12: 360 over CPU seconds, summed over all copies."""
    return Figure("value", value, unit, Direction.HIGHER, because(SUITE, {"profile": "DB12"}))
