"""fio: JSON (``json``, ``json+``) and normal text of versions 2 and 3, and terse output of versions 3 to 5.

Names are those of fio's JSON, in terse output too. What varies are labels: ``job``, ``operation`` (read,
write, trim, sync, mixed), ``percentile``, ``depth``, ``bucket``, ``bin``, ``disk``; ``index`` tells jobs of
one name apart (``numjobs`` without group reporting), ``host`` the clients of fio's client mode. Options and
times of day are no figures. The zeros of an operation that a job did not do are marked as not comparable, and
those of which fio took no sample.

Source: fio's HOWTO, "Terse output" and "JSON output", and ``stat.c`` of fio 2.2 to 3.36.
"""

from __future__ import annotations

import re

from assay.model.work.tool_output import ToolOutput
from assay.workloads.document import read_documents
from assay.workloads.errors import OutputError
from assay.workloads.outputs.numbered import refuse_cut
from assay.workloads.outputs.whole import joined
from assay.workloads.tools.fio import normal, reports, terse
from assay.workloads.tools.fio.words import TOOL

_JSON = re.compile(r"^[ \t]*\{", re.MULTILINE)
_TERSE = re.compile(r"^[2-5];", re.MULTILINE)
_NORMAL = re.compile(r"^\S.*: \((?:groupid|g)=\d+(?:, jobs=\d+\): err=|\): rw=)", re.MULTILINE)
_STOPPED = "fio: terminating on signal"
_EXPECTED = "fio's JSON, terse lines or normal text"


def read(output: bytes) -> ToolOutput:
    """Return all figures of fio's JSON, else of its terse lines, else of its normal text.

    Several reports (``--status-interval``, or runs that were appended) are told apart by the label ``run``.

    Raises:
        OutputError: none of them, a damaged report, a job that ended with an error, fio was stopped.
    """
    text = output.decode("utf-8-sig", "replace")
    refuse_stopped(text)
    if _JSON.search(text) is None:
        if _TERSE.search(text) is not None:
            parsed = terse.read_lines(text, alone=_NORMAL.search(text) is None)
            refuse_cut(output, tool=TOOL)
            return parsed
        if _NORMAL.search(text) is not None:
            return normal.read_text(text)
    return joined(
        [reports.read_report(report) for report in read_documents(output, tool=TOOL, expected=_EXPECTED)]
    )


def refuse_stopped(text: str) -> None:
    """Refuse what fio printed when it was stopped: figures of an unfinished run.

    Raises:
        OutputError: it says so.
    """
    if (at := text.find(_STOPPED)) >= 0:
        raise OutputError(TOOL, text.count("\n", 0, at) + 1, "fio says 'terminating on signal'")
