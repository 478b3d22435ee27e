"""stream: the output of the original STREAM, versions 4 to 5.10, in C or Fortran.

Source: https://www.cs.virginia.edu/stream/FTP/Code/stream.c and stream.f.
Limits: whether the arrays are four times the last-level caches, as STREAM's rules ask, is not in its output.
"""

from __future__ import annotations

import re

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure, Refused, ToolOutput
from assay.workloads.errors import OutputError
from assay.workloads.outputs.numbered import Line, because, finite, numbered, refuse_cut

TOOL = "stream"
COARSE = "STREAM says that its clock is too coarse for arrays of this size"
LEAST_TICKS = 20
"""Of its clock for each test. Source: stream.c, "you are not getting at least 20 clock ticks per test"."""

UNCHECKED = "this version of STREAM does not check its arrays"

_NUMBER = r"([\d.eE+-]+|\*+|inf|-?nan)"
_ROW = re.compile(
    rf"\s*(Copy|Scale|Add|Triad):?\s+{_NUMBER}\s+{_NUMBER}\s+{_NUMBER}\s+{_NUMBER}\s*", re.IGNORECASE
)
_HEADING = re.compile(r"\s*Function\s+(?:Best )?Rate\s*\(?MB/s\)?\s+(Avg|RMS) time\s+Min time\s+Max time\s*")
_VERSION = re.compile(r"\s*STREAM version \$Revision: ([\d.]+) \$\s*", re.IGNORECASE)
_FACTS = (
    ("element_size", "B", re.compile(r"\s*(?:This system uses|Assuming) (\d+) bytes per .*")),
    ("array_size", "1", re.compile(r"\s*Array size\s*=\s*(\d+).*")),
    ("memory_per_array", "MiB", re.compile(r"\s*Memory per array = ([\d.]+) MiB.*")),
    ("total_memory", "MiB", re.compile(r"\s*Total memory required = ([\d.]+) (?:MiB|MB)\b.*")),
    ("total_memory", "MiB", re.compile(r"\s*The total memory requirement is\s+(\d+) MB\s*")),
    ("repetitions", "1",
    re.compile(r"\s*(?:Each kernel will be executed|Each test is run|You are running each test)\s+(\d+) "
r"times.*")),
    ("threads_requested", "1", re.compile(r"\s*Number of Threads requested\s*=\s*(\d+)\s*")),
    ("threads_counted", "1", re.compile(r"\s*Number of Threads counted\s*=\s*(\d+)\s*")),
    ("threads", "1", re.compile(r"\s*Number of Threads\s*=\s*(\d+)\s*")),
    ("clock_precision", "us",
    re.compile(r"\s*Your clock granularity/precision appears to be\s+(\d+) microseconds\.?\s*")),
    ("test_time", "us", re.compile(r"\s*Each test below will take on the order of (\d+) microseconds\.\s*")),
    ("test_ticks", "1", re.compile(r"\s*\(= (\d+) clock ticks\)\s*")),
    ("avg_error_less_than", "1", re.compile(r"\s*Solution Validates: avg error less than ([\d.e+-]+) on .*")),
)  # fmt: skip
"""What it tells of its run. STREAM writes MB for what it counts in 1,048,576 bytes, but for its rates."""
_KNOWN = re.compile(
    r"[\s-]*|\s*(?:The \*best\* time for each.*|the \*best\* time for each is used\.|will be "
    r"used to compute .*"
    r"|\*EXCLUDING\* the first.*|Increase the size of the arrays.*|you are not getting at least.*"
    r"|WARNING -- .*|For best results,.*|precision of your system timer\.|Offset\s*=\s*\d+"
    r"|Printing one line per active thread\.*|Your clock granularity appears to be less\s+than "
    r"one microsecond\.?"
    r"|Double precision appears to have .*|Solution Validates!?|\*+\s*WARNING: \*+|It appears that you set .*"
    r"|This version of the code uses .*|Reverting to default value .*|Results Validation Verbose Results:"
    r"|(?:Expected|Observed) a\(1\), b\(1\), c\(1\):.*|Rel Errors on a, b, c:.*)\s*",
    re.IGNORECASE,
)
_VALID = re.compile(r"\s*Solution Validates", re.IGNORECASE)
_FAILED = re.compile(r"\s*(Failed Validation on array.*|WEIRD: .*)", re.IGNORECASE)
_DETAIL = re.compile(
    r"\s*+(?:Expected\s*+(?:Value)?\s*:.*|Observed\s*:.*|(?:Target|Computed)\s+Sum of \w "
    r"is.*|.*AvgRelAbsErr.*"
    r"|array \w: index:.*|For array \w\[\], \d+ errors were found\.)\s*"
)


def read(output: bytes) -> ToolOutput:
    """Return rates (1 MB = 1,000,000 B), times and what STREAM says of its arrays.

    Rates of a run whose arrays were wrong at the end are refused.

    Raises:
        OutputError: no result, one that was not validated, or a line that is not known.
    """
    lines = numbered(output, tool=TOOL)
    refuse_cut(output, tool=TOOL)
    version = next((match[1] for line in lines if (match := _VERSION.fullmatch(line.text))), None)
    failed = next((match[1] for line in lines if (match := _FAILED.fullmatch(line.text))), None)
    for line in lines:
        _refuse_unknown(line)
    rows = [match for line in lines if (match := _ROW.fullmatch(line.text))]
    if len(rows) != 4:
        raise OutputError(
            TOOL, len(lines), f"expected the rates of copy, scale, add and triad, got {len(rows)}"
        )
    old = any((match := _HEADING.fullmatch(line.text)) and match[1] == "RMS" for line in lines)
    if failed is None and not old and not any(_VALID.match(line.text) for line in lines):
        raise OutputError(TOOL, len(lines), "expected 'Solution Validates', got the end of the output")
    facts = tuple(figure for line in lines for figure in _fact(line))
    if failed is not None:
        return ToolOutput(TOOL, version, facts, _failed(rows, failed))
    reason = UNCHECKED if old else _coarse(facts)
    figures = [figure for row in rows for figure in _figures(row, reason, "rms_time" if old else "avg_time")]
    bad = tuple(
        Refused("rate", f"STREAM printed '{row[2]}'", _kernel(row)) for row in rows if finite(row[2]) is None
    )
    return ToolOutput(TOOL, version, (*facts, *figures), bad)


def _failed(rows: list[re.Match[str]], failed: str) -> tuple[Refused, ...]:
    return tuple(Refused("rate", f"STREAM says '{failed.strip()}'", _kernel(row)) for row in rows)


def _refuse_unknown(line: Line) -> None:
    patterns = (_ROW, _HEADING, _VERSION, _FAILED, _DETAIL, _KNOWN, *(pattern for _, _, pattern in _FACTS))
    if not any(pattern.fullmatch(line.text) for pattern in patterns):
        line.unknown()


def _fact(line: Line) -> tuple[Figure, ...]:
    matches = ((name, unit, pattern.fullmatch(line.text)) for name, unit, pattern in _FACTS)
    return tuple(Figure(name, line.value(match[1]), unit, None) for name, unit, match in matches if match)


def _coarse(facts: tuple[Figure, ...]) -> str | None:
    few = any(fact.metric == "test_ticks" and fact.value < LEAST_TICKS for fact in facts)
    return COARSE if few else None


def _kernel(row: re.Match[str]) -> dict[str, str]:
    return {"kernel": row[1].lower()}


def _figures(row: re.Match[str], reason: str | None, mean: str) -> tuple[Figure, ...]:
    labels = because(reason, _kernel(row))
    times = tuple((name, "s", Direction.LOWER) for name in (mean, "min_time", "max_time"))
    columns = (("rate", "MB/s", Direction.HIGHER), *times)
    values = [finite(word) for word in row.groups()[1:]]
    return tuple(
        Figure(name, value, unit, direction, labels)
        for (name, unit, direction), value in zip(columns, values, strict=True)
        if value is not None
    )
