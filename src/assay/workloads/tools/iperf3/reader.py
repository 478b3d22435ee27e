"""iperf3: its JSON (``--json``, and ``--json-stream`` of 3.17) and normal text, versions 3.0 to 3.17, TCP,
UDP, SCTP.

Names are the path in ``end``: what was sent is ``sum_sent_bits_per_second``, what was received
``sum_received_bits_per_second``, each stream's ``sender_…`` and ``receiver_…`` with the label ``stream`` (its
socket). A UDP test's ``sum_…`` and a stream's ``udp_…`` mix both ends: bytes and rate are those sent, jitter
and losses those received; the label ``counted_by`` says which. Ways back of a bidirectional test are the
names with ``_bidir_reverse``. Intervals have the label ``interval``, start to end in seconds, and ``omitted``
where ``--omit`` left them out of the sums. What the server said (``--get-server-output``) has ``reported_by:
server``.

Source: ``iperf_print_results`` and ``print_interval_results`` in ``src/iperf_api.c``.
"""

from __future__ import annotations

import re

from assay.model.work.tool_output import Figure, ToolOutput
from assay.workloads.document import Document, read_documents
from assay.workloads.outputs.numbered import refuse_cut
from assay.workloads.outputs.whole import joined
from assay.workloads.tools.iperf3 import figures, stream
from assay.workloads.tools.iperf3.stream import TOOL
from assay.workloads.tools.iperf3.text import read_text

_JSON = re.compile(r"^[ \t]*\{", re.MULTILINE)
_TEXT = re.compile(
    r"\[ ID\]|\] local |Connecting to host |Accepted connection from |^iperf3: .*error - ", re.MULTILINE
)
_EXPECTED = "iperf3's JSON or normal text"


def read(output: bytes) -> ToolOutput:
    """Return all figures of iperf3's JSON or normal text; of several reports the label ``run`` tells which.

    Raises:
        OutputError: iperf3's own error (its exit status is 0 even then), neither, a damaged report.
    """
    text = output.decode("utf-8-sig", "replace")
    if stream.is_stream(text):
        return read_report(stream.joined(text))
    if _JSON.search(text) is None and _TEXT.search(text) is not None:
        refuse_cut(output, tool=TOOL)
        return read_text(text)
    return joined([read_report(report) for report in read_documents(output, tool=TOOL, expected=_EXPECTED)])


def read_report(report: Document) -> ToolOutput:
    """Return all figures of a report.

    Raises:
        OutputError: it tells of an error, has no ``end``, or a figure is no number.
    """
    if (error := report.at("error")) is not None:
        report.fail(f"iperf3 says '{error}'")
    if not isinstance(report.at("end"), dict):
        report.fail("expected 'end' with the totals, got none")
    entries = list(figures.entries(report))
    return ToolOutput(
        TOOL,
        _version(report),
        tuple(entry for entry in entries if isinstance(entry, Figure)),
        tuple(entry for entry in entries if not isinstance(entry, Figure)),
    )


def _version(report: Document) -> str | None:
    version = report.at("start", "version")
    return version.removeprefix("iperf ") if isinstance(version, str) else None
