"""Whether the last line of a tool's output marks its end, so that nothing behind it can have been cut off."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Mapping
from types import MappingProxyType

_JSON = frozenset(
    {"db12", "fio", "hep-workloads", "hepscore", "hs06", "hyperfine", "iperf3"},
)
"""Tools that write one JSON document a report: its closing bracket is its end."""
_LAST: Mapping[str, re.Pattern[bytes]] = MappingProxyType(
    {
        "db12": re.compile(rb"[\d. ]+(?:e[+-]\d+)?\n"),
        "iperf3": re.compile(rb"iperf Done\.\s*\n"),
        "stream": re.compile(rb"Solution Validates: .*\n|-+\s*\n"),
        "time": re.compile(rb"\tExit status: \d+\s*\n"),
    }
)
"""The last line of a whole report, where a tool prints one in its text."""


def marks_end(tool: str, output: bytes) -> bool:
    """Tell whether what a reader has read ends with what closes a report of that tool."""
    text = output.removeprefix(BOM_UTF8).strip()
    if tool in _JSON and text.startswith(b"{") and text.endswith(b"}"):
        return True
    last = text[text.rfind(b"\n") + 1 :] + output[len(output.rstrip(b"\r\n")) :][:2].lstrip(b"\r")
    return tool in _LAST and _LAST[tool].fullmatch(last) is not None
