"""stress-ng's log: its table, what stressors say beside it, counters and times, and what it distrusts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from assay.model.work.tool_output import Figure
from assay.workloads.outputs.numbered import Line, finite
from assay.workloads.outputs.remarks import reported
from assay.workloads.outputs.shell import SHELL
from assay.workloads.tools.stress_ng.remarks import Remarks, check, fail, remark
from assay.workloads.tools.stress_ng.runs import PREFIX
from assay.workloads.tools.stress_ng.sections import read_counter, read_rates, read_sensor, read_times
from assay.workloads.tools.stress_ng.words import COLUMNS, column, described

_HEADING = re.compile(r"stressor\s+bogo ops\s+real time\s+usr time\s+sys time\s+bogo ops/s\s+bogo ops/s(.*)")
_OWNER = re.compile(r"([a-z][\w-]*):")
_UNITS = re.compile(r"\s*\(secs\)\s+\(secs\).*")
_DESCRIBED = re.compile(r"(\S+)\s+(\S+)\s+(.*\S)\s+")
_MEAN = re.compile(
    r"((?:geometi?r?ic|harmonic|arithmetic) mean|total|maximum|average) (?:of (\d+) "
    r"instances?|per stressor)\)"
)
_ROW_LIKE = re.compile(r"[a-z][\w-]*\s+\d")
_PREFIX_LIKE = re.compile(r"stress-ng|metrc|\[\d+\]\s")
_NOTE = re.compile(r"miscellaneous metrics:|note: \d+ metrics were set.*")


@dataclass
class Log:
    """What the log says so far; ``notes`` are warnings of stress-ng, and lines of others."""

    remarks: Remarks = field(default_factory=Remarks)
    figures: list[Figure] = field(default_factory=list)
    version: str | None = None
    columns: tuple[str, ...] = ()
    owner: str | None = None
    dispatched: bool = False
    prefixed: bool = False
    notes: list[str] = field(default_factory=list)


def read_log(lines: list[Line]) -> Log:
    """Return the figures and remarks of a log.

    Raises:
        OutputError: a line of the table that is not known, an error of stress-ng itself, a log without its
            end.
    """
    log = Log(prefixed=any(PREFIX.match(line.text) for line in lines))
    for line in lines:
        _take(log, line)
    if log.dispatched and not log.remarks.ended:
        lines[-1].fail("expected 'run completed', got the end of the output")
    return log


def _take(log: Log, line: Line) -> None:
    prefix = PREFIX.match(line.text)
    kind, text = (prefix[1], line.text[prefix.end() :]) if prefix else ("", line.text)
    if _remark(log, text.strip(), line):
        return
    if log.prefixed and not prefix:
        _refuse_foreign(text, line)
        _note_foreign(log, text, line)
        return
    if _table(log, text, line) or _section(log, text, line):
        return
    if text.startswith("metrics-check:"):
        check(log.remarks, text.strip())
    elif kind == "fail":
        fail(log.remarks, text.strip())
    elif kind in ("warn", "error"):
        _note(log, line, text)
    if kind == "metrc" or (not kind and log.columns and _ROW_LIKE.match(text)):
        line.unknown()
    if not kind:
        _refuse_foreign(text, line)


def _refuse_foreign(text: str, line: Line) -> None:
    """Refuse what stress-ng says before it can log; other lines without its prefix may be of
    other programs.
    """
    if text.startswith("stress-ng: "):
        line.fail(f"stress-ng says '{text.strip():.80}'")
    if _HEADING.search(text):
        line.unknown()


def _note_foreign(log: Log, text: str, line: Line) -> None:
    """Keep a line without the prefix that all others have, and refuse one whose prefix may be damaged."""
    if _PREFIX_LIKE.search(text):
        line.unknown()
    if text.strip() and SHELL.match(text) is None:
        _note(log, line, text)


def _note(log: Log, line: Line, text: str) -> None:
    log.notes.append(reported(line.number - 1, text.strip().encode()))


def _remark(log: Log, text: str, line: Line) -> bool:
    if text.startswith("dispatching hogs:"):
        log.dispatched = True
    elif (version := re.fullmatch(r"stress-ng (\d+\.\d\S*)(?: .*)?", text)) is not None:
        log.version = version[1]
    else:
        return remark(log.remarks, text, line)
    return True


def _table(log: Log, text: str, line: Line) -> bool:
    if (heading := _HEADING.fullmatch(text.strip())) is not None:
        more = ("CPU used" in heading[1]) + ("RSS Max" in heading[1])
        log.columns, log.owner = tuple(COLUMNS)[: 6 + more], None
    elif (mean := _mean(text.strip(), line)) is not None:
        log.figures.append(mean)
    elif not (_UNITS.fullmatch(text) or _NOTE.fullmatch(text.strip())):
        return bool(log.columns) and _row(log, text.split())
    return True


def _mean(text: str, line: Line) -> Figure | None:
    """Return what a stressor describes beside the table: ``context 183.80 nanosecs per … (geometric mean of 2
    instances)``.
    """
    description, bracket, behind = text.rpartition("(")
    mean = _MEAN.fullmatch(behind) if bracket else None
    if mean is None or (match := _DESCRIBED.fullmatch(description)) is None:
        return None
    labels = {"stressor": match[1], "mean": mean[1].replace("geometic", "geometric")}
    labels |= {"instances": mean[2]} if mean[2] else {}
    return described(match[3], line.value(match[2]), labels)


def _row(log: Log, words: list[str]) -> bool:
    values = [finite(word) for word in words[1:]]
    if len(values) != len(log.columns) or None in values:
        return False
    log.figures += tuple(
        column(name, value, words[0])
        for name, value in zip(log.columns, values, strict=True)
        if value is not None
    )
    return True


def _section(log: Log, text: str, line: Line) -> bool:
    if (owner := _OWNER.fullmatch(text.strip())) is not None:
        log.owner = owner[1]
        return True
    figures = read_counter(log.owner, text, line) or read_sensor(log.owner, text, line)
    figures = figures or read_rates(text.strip(), line) or read_times(text)
    log.figures += figures
    return bool(figures)
