"""Bonnie++ 1.03 to 2.00: its lines with commas, and the tables that it and ``bon_csv2txt`` print.

Where a line with commas follows a table of the same run, the line is taken: it has more digits. Its K/sec are
1024 bytes a second. ``+++++`` stands where a test took less than half a second and has no number.

The rates of blocks, of seeks and of rewriting are comparable where the file was at least twice as large as
the memory; an output never tells the memory (``memory_bytes``).

Source: ``bon_time.cpp``, ``bon_csv2txt`` and changelog of 2.00a and 1.97; the manual of 1.03.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from assay.model.units import BYTES
from assay.model.work.tool_output import NOT_COMPARABLE, Refused, ToolOutput
from assay.workloads.errors import OutputError
from assay.workloads.outputs.numbered import refuse_cut
from assay.workloads.outputs.shell import SHELL
from assay.workloads.outputs.whole import whole
from assay.workloads.tools.bonnie.lines import TOOL, Entry, Run, run_of
from assay.workloads.tools.bonnie.tables import tables

_HEAD = re.compile(r"(format_version,bonnie_version,|name,)")
_STEPS = (
    r"(?:Writing|Reading) (?:a byte at a time|with "
    r"(?:putc|getc)\(\)|intelligently)|Rewriting|Seeker \d+|start 'em"
    r"|(?:Create|Stat|Delete) files in (?:sequential|random) order"
)
_NOISE = re.compile(
    rf"\s*$|Using uid:\d+, gid:\d+\.\s*$|(?:(?:{_STEPS})(?:\.\.\.)?|done(?:\.\.\.|\.)?)+\s*$|{SHELL.pattern}"
)
"""What it tells of its progress on standard error, also of several processes on one line, and what a shell
writes around it; not the errors that may follow a step.
"""
_CACHED = re.compile(r"(put_block|rewrite|get_block|seeks|putc|getc)(_cpu|_latency)?$")
_SIZE = re.compile(r"(\d{1,18})([MG]?)$")
RULE = 2
"""Times the memory that a file is to have. Source: bonnie++(8), -s."""


def read(output: bytes, *, memory_bytes: int | None = None) -> ToolOutput:
    """Return every figure of all runs; of several the label ``run`` tells which.

    Args:
        output: What bonnie++ or ``bon_csv2txt`` printed.
        memory_bytes: Memory of the machine that ran it; ``None`` where not known.

    Raises:
        OutputError: a line that is not known, fields that do not fit their version, or no figure.
    """
    lines = list(enumerate(output.decode("utf-8-sig", "replace").splitlines(), start=1))
    runs = [run_of(number, text) for number, text in lines if _is_list(text)]
    rest = [(number, text) for number, text in lines if not _is_list(text) and not _HEAD.match(text)]
    rest = [(number, text) for number, text in rest if not _NOISE.match(text)]
    drawn = tables(rest)
    chosen = runs or drawn
    if not any(run.entries for run in chosen):
        first = next((text.strip() for _, text in lines if text.strip()), "nothing")
        raise OutputError(TOOL, 1, f"expected figures of bonnie++, got '{first:.100}'")
    entries = [
        entry
        for number, run in enumerate(chosen, start=1)
        for entry in _entries(run, number, len(chosen), memory_bytes)
    ]
    refuse_cut(output, tool=TOOL)
    version = next((run.version for run in (*runs, *drawn) if run.version is not None), None)
    return whole(TOOL, version, entries)


def _is_list(text: str) -> bool:
    return text.count(",") >= 20 and not _HEAD.match(text)


def _entries(run: Run, number: int, count: int, memory_bytes: int | None) -> Sequence[Entry]:
    reported = {**({"run": str(number)} if count > 1 else {}), **run.labels}
    return [
        _judged(replace(entry, labels={**reported, **entry.labels}), memory_bytes) for entry in run.entries
    ]


def _judged(entry: Entry, memory_bytes: int | None) -> Entry:
    size = _SIZE.match(entry.labels.get("file_size", ""))
    if isinstance(entry, Refused) or not entry.comparable or size is None or not _CACHED.match(entry.metric):
        return entry
    file_bytes = int(size[1]) * BYTES["GiB" if size[2] == "G" else "MiB"]
    reason = _reason(size[0], file_bytes, memory_bytes)
    return entry if reason is None else replace(entry, labels={**entry.labels, NOT_COMPARABLE: reason})


def _reason(size: str, file_bytes: int, memory_bytes: int | None) -> str | None:
    if memory_bytes is None:
        return (
            f"the page cache may have served a file of {size}: the output does not tell the machine's memory"
        )
    if file_bytes >= RULE * memory_bytes:
        return None
    return (
        f"the page cache served part of it: a file of {size}, {RULE} times the memory of "
        f"{memory_bytes // BYTES['MiB']}M is asked for"
    )
