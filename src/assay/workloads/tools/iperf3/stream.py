"""iperf3's ``--json-stream``: an event a line, put together to the report that ``--json`` prints."""

from __future__ import annotations

import json
import re

from assay.workloads.document import Document, read_document
from assay.workloads.errors import OutputError

TOOL = "iperf3"
_EVENT = re.compile(r'\s*\{\s*"event"\s*:')


def is_stream(text: str) -> bool:
    """Tell whether an output is a stream of events."""
    return _EVENT.match(text) is not None


def joined(text: str) -> Document:
    """Return the events as one report.

    Raises:
        OutputError: a line is no event, or the stream ends before its end.
    """
    content: dict[str, object] = {"intervals": []}
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            _add(content, number, line)
    report = Document(TOOL, text.count("\n") or 1, content, frozenset())
    if not {"end", "error"} & set(content):
        report.fail("expected an event 'end', got none: the test was stopped")
    return report


def _add(content: dict[str, object], number: int, line: str) -> None:
    try:
        event = read_document(line.encode(), tool=TOOL)
    except OutputError as error:
        raise OutputError(TOOL, number, error.problem) from error
    name, data = event.at("event"), event.at("data")
    if name == "start" and name in content:
        raise OutputError(TOOL, number, "expected one stream of events, got the start of a second")
    if not isinstance(name, str):
        raise OutputError(TOOL, number, f"expected an event, got '{json.dumps(event.content):.60}'")
    intervals = content["intervals"]
    if name == "interval" and isinstance(intervals, list):
        intervals.append(data)
    else:
        content[name] = data
