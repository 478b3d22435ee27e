"""Where one run ends and the next begins in a file of several, of logs and of YAML."""

from __future__ import annotations

import re

from assay.workloads.outputs.numbered import Line

PREFIX = re.compile(
    r"\s*(?:\S.*?\s)??stress-ng:\s+(?:\d\d:\d\d:\d\d\.\S+\s+)?(info|metrc|debug|fail|warn|error|note|skip|time):\s+\[\d+\]\s?"
)
"""Before it may stand what others put before every line: the journal, the name of a machine, a time."""

_START = "dispatching hogs:"
_OVER = re.compile(
    r"\s|(?:un)?successful run completed|(?:skipped|passed|failed|metrics untrustworthy): |load average: "
    r"|for a .* run time:|stressor\s+bogo ops|miscellaneous metrics:|(?!stress-ng\s)[a-z][\w-]*(?:\s+\d|:$)"
)
"""What stress-ng prints when stressors have ended, and never before they start."""


def of_log(lines: list[Line]) -> list[list[Line]]:
    """Return the lines of each run: what stands between the end of one and the start of the next is the
    next's.
    """
    starts = [index for index, line in enumerate(lines) if _text(line)[1].startswith(_START)]
    begins = [0, *(_back(lines, start) for start in starts[1:])]
    return [lines[a:b] for a, b in zip(begins, [*begins[1:], len(lines)], strict=True)]


def of_yaml(lines: list[Line]) -> list[list[Line]]:
    """Return the lines of each document."""
    documents: list[list[Line]] = [[]]
    for line in lines:
        if line.text.rstrip() == "---" and any(one.text.strip() for one in documents[-1]):
            documents.append([])
        documents[-1].append(line)
    return documents


def _back(lines: list[Line], start: int) -> int:
    while start > 0 and not _is_over(lines[start - 1]):
        start -= 1
    return start


def _is_over(line: Line) -> bool:
    kind, text = _text(line)
    return kind == "metrc" or _OVER.match(text) is not None


def _text(line: Line) -> tuple[str, str]:
    prefix = PREFIX.match(line.text)
    return (prefix[1], line.text[prefix.end() :]) if prefix else ("", line.text)
