"""netperf 2.7, and earlier where it prints alike: classic tables, and omni's keys, commas and tables.

What was sent and what was received are separate figures (UDP_STREAM prints a line of each). A processor's
share of -1 is what netperf was not asked for (``-c``, ``-C``) and has no number. Where netperf warns that the
confidence asked for was not reached, no figure of that test is comparable.

Source: netperf 2.7.0, ``nettest_bsd.c``, ``nettest_omni.c``, ``netlib.c``; its manual, "Omni Output
    Selectors".
Limits: without its head (``-P 0``) a table and with a bare number (``-v 0``) no unit is told, so these are
    refused. TCP_CRR called with ``-f`` prints bits under the head of a rate (seen: 0.08 for 5,000
    transactions a second), which no output tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from assay.model.metric import Direction
from assay.model.work.tool_output import NOT_COMPARABLE, Figure, Refused, ToolOutput
from assay.workloads.errors import OutputError
from assay.workloads.outputs.numbered import refuse_cut
from assay.workloads.outputs.remarks import is_warning
from assay.workloads.outputs.shell import SHELL
from assay.workloads.outputs.whole import whole
from assay.workloads.tools.netperf import omni
from assay.workloads.tools.netperf.classic import TOOL, Line, Test, classic

Entry = Figure | Refused
_BANNER = re.compile(r"(?:MIGRATED )?(\S.*?) TEST (?:from|to) (.*)$")
_CONFIDENCE = re.compile(r"(\+/-\s*\d+(?:\.\d+)?% @ \d+% conf\.)")
_WIDTH = re.compile(
    r"!!!\s+(?:Confidence intervals: )?(Throughput|Local CPU util|Remote CPU util)\s*:\s*(-?\d+(?:\.\d+)?)%"
)
_WARNING = re.compile(r"!!! ")
_INTERIM = re.compile(
    r"Interim result:\s*(\d+(?:\.\d+)?) (\S+) over (\d+(?:\.\d+)?) seconds ending at (\d+(?:\.\d+)?)\s*$"
)
_INTERIM_KEYS = ("INTERIM_RESULT", "UNITS", "INTERVAL", "ENDING")
_INTERIM_KEY = re.compile(rf"NETPERF_({'|'.join(_INTERIM_KEYS)})\[\d+\]=(\S+)\s*$")
_HARMLESS = re.compile(rf"\s*$|enable_enobufs failed|{SHELL.pattern}")
_NAMES = {
    "TCP REQUEST/RESPONSE": "TCP_RR",
    "UDP REQUEST/RESPONSE": "UDP_RR",
    "TCP Connect/Request/Response": "TCP_CRR",
    "TCP Connect/Close": "TCP_CC",
    "UDP UNIDIRECTIONAL SEND": "UDP_STREAM",
}


def read(output: bytes) -> ToolOutput:
    """Return every figure of one test or several, told apart by ``test`` and, of several alike, by ``run``.

    Raises:
        OutputError: a line that is not netperf's, among them its error messages; a test without its figures.
    """
    parsed = whole(TOOL, None, _entries(output))
    refuse_cut(output, tool=TOOL)
    return parsed


def _entries(output: bytes) -> list[Entry]:
    lines = [
        Line(number, text)
        for number, text in enumerate(output.decode("utf-8-sig", "replace").splitlines(), start=1)
    ]
    starts = [at for at, line in enumerate(lines) if _BANNER.match(line.text)]
    first = next((line for line in lines if not _HARMLESS.match(line.text)), None)
    if first is not None and not starts and re.match(r"[A-Z][A-Z0-9_]*=", first.text):
        return omni.keys(Test("", {}, [line for line in lines if not _HARMLESS.match(line.text)]))
    before = lines[: starts[0]] if starts else [first or Line(1, "nothing")]
    if lost := [line for line in before if not (starts and _HARMLESS.match(line.text))]:
        wording = lost[0].text.strip()
        raise OutputError(TOOL, lost[0].number, f"expected the head of a test, got '{wording:.120}'")
    entries: list[Entry] = []
    for run, (start, end) in enumerate(zip(starts, (*starts[1:], len(lines)), strict=True), start=1):
        of_run = _test(lines[start:end])
        reported = {"run": str(run)} if len(starts) > 1 else {}
        entries += [replace(entry, labels={**reported, **entry.labels}) for entry in of_run]
    return entries


def _test(lines: Sequence[Line]) -> list[Entry]:
    head = lines[0]
    banner = _BANNER.match(head.text)
    name = _NAMES.get(banner[1], banner[1].replace(" ", "_")) if banner else ""
    asked = _CONFIDENCE.search(head.text)
    labels = {"test": name, **({"confidence": asked[1]} if asked else {})}
    aside, rest = _aside(lines[1:], labels)
    if not rest:
        raise OutputError(TOOL, head.number, f"expected the figures of {name}, got none")
    test = Test(name, labels, rest)
    entries = omni.keys(test) or omni.commas(test) or omni.table(test) or classic(test)
    width = next(
        (figure.value for figure in aside if figure.metric == "throughput_confidence_interval"), None
    )
    if width is None:
        return [*aside, *entries]
    return [*aside, *_doubted(entries, width)]


def _aside(lines: Sequence[Line], labels: dict[str, str]) -> tuple[list[Figure], list[Line]]:
    """Take out what may stand between head and figures: interim results and the warning of an unreached
    confidence.
    """
    figures: list[Figure] = []
    rest: list[Line] = []
    reported: dict[str, str] = {}
    for line in lines:
        if match := _INTERIM.match(line.text):
            figures += _interim((match[1], match[2], match[3], match[4]), labels)
        elif match := _INTERIM_KEY.match(line.text):
            reported[match[1]] = match[2]
            if match[1] == "ENDING":  # the last of four
                _refuse_lacking(line, reported)
                figures += _interim(tuple(reported[key] for key in _INTERIM_KEYS), labels)
                reported = {}
        elif match := _WIDTH.match(line.text):
            metric = f"{match[1].lower().replace(' ', '_')}_confidence_interval"
            figures.append(Figure(metric, float(match[2]), "%", Direction.LOWER, labels))
        elif is_warning(line.text):  # it would be taken for a part of the head
            raise OutputError(TOOL, line.number, f"expected a line of netperf, got '{line.text:.120}'")
        elif not _WARNING.match(line.text) and not _HARMLESS.match(line.text):
            rest.append(line)
    return figures, rest


def _refuse_lacking(line: Line, reported: dict[str, str]) -> None:
    wrong = [
        key
        for key in ("INTERIM_RESULT", "INTERVAL")
        if not re.fullmatch(r"\d+(\.\d+)?", reported.get(key, ""))
    ]
    if wrong:
        raise OutputError(TOOL, line.number, f"expected a number of NETPERF_{wrong[0]} before, got none")
    if "UNITS" not in reported:
        raise OutputError(TOOL, line.number, "expected NETPERF_UNITS before, got none")


def _interim(fields: tuple[str, ...], labels: dict[str, str]) -> list[Figure]:
    rate, unit, seconds, ending = fields
    reported = {**labels, "ending": ending}
    return [
        Figure("interim_result", float(rate), unit.replace("/sec", "/s"), Direction.HIGHER, reported),
        Figure("interim_time", float(seconds), "s", None, reported),
    ]


def _doubted(entries: Iterable[Entry], width: float) -> list[Entry]:
    reason = (
        "netperf did not reach the confidence that was asked for: its throughput's interval is "
        f"{width:g} % wide"
    )
    return [
        replace(entry, labels={**entry.labels, NOT_COMPARABLE: reason})
        if isinstance(entry, Figure)
        else entry
        for entry in entries
    ]
