"""perf: what ``perf stat`` prints as text, CSV (``-x``) and JSON lines (``-j``), intervals and figures of a
CPU too.

A counter that was multiplexed is scaled up by perf. Counted in less than half of its time, more than half of
its figure is extrapolated, and it is not to be compared.

Source: tools/perf/util/stat-display.c of Linux 3 to 6.12, and perf-stat(1), "CSV FORMAT" and "JSON FORMAT".
Limits: the columns of ``--metric-only`` have no events and are not read. Other subcommands of perf are not
    read.
"""

from __future__ import annotations

from assay.model.work.tool_output import ToolOutput
from assay.workloads.outputs.numbered import Line, numbered, refuse_cut
from assay.workloads.outputs.whole import whole
from assay.workloads.tools.perf.csv_lines import read_csv
from assay.workloads.tools.perf.json_lines import read_json
from assay.workloads.tools.perf.text import HEADER, read_text

TOOL = "perf"


def read(output: bytes) -> ToolOutput:
    """Return all figures of ``perf stat``; its version is not in its output.

    Raises:
        OutputError: no counter, or a line that is not known.
    """
    lines = [line for line in numbered(output, tool=TOOL) if not _comment(line)]
    first = next((line for line in lines if line.text.strip()), None)
    if first is None:
        numbered(output, tool=TOOL)[-1].fail("expected counters, got none")
    if any(HEADER.search(line.text) for line in numbered(output, tool=TOOL)):
        collected = read_text(numbered(output, tool=TOOL))
        refuse_cut(output, tool=TOOL)
    elif first.text.lstrip().startswith("{"):
        collected = read_json(lines)
    else:
        collected = read_csv(lines)
        refuse_cut(output, tool=TOOL)
    if not collected.figures and not collected.refused:
        first.fail("expected counters, got none")
    return whole(TOOL, None, (*collected.figures, *collected.refused))


def _comment(line: Line) -> bool:
    return line.text.startswith("# started on") or not line.text.strip()
