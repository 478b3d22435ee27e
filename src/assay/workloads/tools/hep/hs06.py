"""hs06: HEP-SPEC06 and SPEC CPU by the suite's JSON block, and SPEC CPU2006's result files (``.csv``,
``.txt``).

SPEC CPU is licensed: it is never run from here, its results are read.

Source: the HEP Benchmark Suite's ``profiles.hs06_32``, ``hs06_64``, ``hs06`` and ``spec2017``;
    https://www.spec.org/cpu2006/Docs/result-fields.html and runspec.html ("Base Status": S, NR, RE, CE, VE).
Limits: HEP-SPEC06 is the geometric mean over seven programs, summed over copies that ran side by side; a SPEC
    result file tells of one copy's programs, or of a rate run. Figures of another compiler or option are not
    comparable, and only the suite's block tells them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure, Refused, ToolOutput
from assay.workloads.document import Document, read_document
from assay.workloads.errors import OutputError
from assay.workloads.outputs.numbered import numbered, refuse_cut
from assay.workloads.tools.hep.spec_results import read_csv, read_text

TOOL = "hs06"
PROFILES = ("hs06", "hs06_32", "hs06_64", "spec2017")


def read(output: bytes) -> ToolOutput:
    """Return scores, and the ratio of every program and copy.

    Raises:
        OutputError: none of the three forms, or a figure that is no number.
    """
    if output.lstrip()[:1] == b"{":
        return _read_block(output)
    text = output.decode("utf-8-sig", "replace")
    lines = numbered(output, tool=TOOL)
    table = "Full Results Table" in text or "Selected Results Table" in text
    entries = read_csv(text) if table else read_text(lines)
    figures = tuple(one for one in entries if isinstance(one, Figure))
    refused = tuple(one for one in entries if isinstance(one, Refused))
    if not figures and not refused:
        raise OutputError(TOOL, len(lines), "expected results of SPEC CPU, got none")
    refuse_cut(output, tool=TOOL)
    return ToolOutput(TOOL, "SPEC CPU2006" if "2006" in text else None, figures, refused)


def _read_block(output: bytes) -> ToolOutput:
    document = read_document(output, tool=TOOL)
    root: tuple[str, ...] = ("profiles",) if isinstance(document.at("profiles"), dict) else ()
    names = [name for name in PROFILES if isinstance(document.at(*root, name), dict)]
    figures = tuple(
        figure for name in names for figure in read_profile(document, (*root, name), {"profile": name})
    )
    if not names and document.at("bmks") is not None:
        figures = tuple(read_profile(document, (), {}))
    if not figures:
        document.fail("expected 'hs06', 'hs06_32', 'hs06_64', 'spec2017' or 'bmks', got none")
    return ToolOutput(TOOL, None, figures)


def read_profile(document: Document, place: tuple[str, ...], labels: Mapping[str, str]) -> Iterator[Figure]:
    """Yield the figures of one of the suite's SPEC blocks.

    Raises:
        OutputError: no score, or a figure that is no number.
    """
    unit = "SPEC2017" if "2017" in labels.get("profile", "") else "HS06"
    for name in ("score", "avg_core_score"):
        if name == "score" or document.at(*place, name) is not None:
            yield Figure(name, document.number(*place, name), unit, Direction.HIGHER, labels)
    for name in ("copies", "num_bmks"):
        if document.at(*place, name) is not None:
            yield Figure(name, document.number(*place, name), "1", None, labels)
    programs = document.at(*place, "bmks")
    for program, values in programs.items() if isinstance(programs, dict) else ():
        for number in range(len(values) if isinstance(values, list) else 0):
            value = document.number(*place, "bmks", program, number)
            reported = {**labels, "benchmark": program, "copy": str(number + 1)}
            yield Figure("ratio", value, "1", Direction.HIGHER, reported)
