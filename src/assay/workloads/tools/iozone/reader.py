"""IOzone 3.4 and 3.5: tables, reports for a spreadsheet on stdout and as a worksheet file, throughput mode.

A figure is comparable where a disk was measured: with direct I/O (``-I``), writes that wait for the disk
(``-o``, ``-e``), or a file larger than the memory, which no output tells (``memory_bytes``). All others say
``not_comparable``. IOzone's kB are 1024 bytes, so the unit is ``KiB/s``.

Source: ``iozone.c`` of 3.420, and what 3.489 and 3.510 print;
    http://www.iozone.org/docs/IOzone_msword_98.pdf.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from assay.model.work.tool_output import Figure, ToolOutput
from assay.workloads.errors import OutputError
from assay.workloads.outputs.numbered import refuse_cut
from assay.workloads.outputs.whole import whole
from assay.workloads.tools.iozone import sheet
from assay.workloads.tools.iozone.body import body
from assay.workloads.tools.iozone.mode import END, TOOL, Mode, mode_of

_BANNER = re.compile(r"^\s*Iozone: Performance Test of File I/O", re.MULTILINE)


def read(output: bytes, *, memory_bytes: int | None = None) -> ToolOutput:
    """Return every figure of one run or several, told apart by the label ``run``.

    Args:
        output: What iozone printed, or the worksheet file that ``-b`` made.
        memory_bytes: Memory of the machine that ran it, which its output does not tell; ``None`` where not
            known.

    Raises:
        OutputError: iozone's own error, a line that is not known, a run without its end.
    """
    if output.startswith(sheet.MAGIC):
        mode, entries = sheet.read_sheet(output)
        return _output([(mode, entries)], memory_bytes)
    runs = list(_runs(output.decode("utf-8-sig", "replace").splitlines()))
    parsed = _output([(mode, body(mode, lines)) for mode, lines in runs], memory_bytes)
    refuse_cut(output, tool=TOOL)
    return parsed


def _runs(lines: list[str]) -> Iterator[tuple[Mode, list[tuple[int, str]]]]:
    starts = [index for index, line in enumerate(lines) if _BANNER.match(line)]
    if not starts:
        first_line = next((line.strip() for line in lines if line.strip()), "nothing")
        raise OutputError(TOOL, 1, f"expected 'Iozone: Performance Test of File I/O', got '{first_line:.80}'")
    for start, end in zip(starts, (*starts[1:], len(lines)), strict=True):
        numbered = [(number, lines[number - 1]) for number in range(start + 1, end + 1)]
        if not any(END in text for _, text in numbered):
            raise OutputError(TOOL, end, _failure(numbered))
        yield mode_of(numbered)


def _failure(lines: list[tuple[int, str]]) -> str:
    """Return iozone's own words of what went wrong, which are its last lines."""
    words = [text.strip() for _, text in lines if text.strip()]
    cause = next((text for text in words if re.match(r"Can ?not|Error|.*: ERROR", text)), words[-1])
    return f"expected '{END}', got '{cause:.100}' and the end"


def _output(runs: list[tuple[Mode, list[Figure]]], memory_bytes: int | None) -> ToolOutput:
    figures: list[Figure] = []
    for number, (mode, entries) in enumerate(runs, start=1):
        reported = {"run": str(number)} if len(runs) > 1 else {}
        judged = (mode.judged(entry, memory_bytes) for entry in entries)
        figures += [replace(figure, labels={**reported, **figure.labels}) for figure in judged]
    if not figures:
        raise OutputError(TOOL, None, "expected figures, got none")
    return whole(TOOL, runs[0][0].version, figures)
