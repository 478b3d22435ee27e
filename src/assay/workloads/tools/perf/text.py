"""``perf stat`` as people read it: a table under a heading, or a table of intervals."""

from __future__ import annotations

import re
from dataclasses import replace

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure
from assay.workloads.outputs.numbered import Line
from assay.workloads.tools.perf.columns import columns, is_value, place, split
from assay.workloads.tools.perf.counter import Collected, Counter, add

HEADER = re.compile(r"^ Performance counter stats for |^#\s+time\s.*counts unit events")
_RUNNING = re.compile(r"[(\[]\s*(\d+\.\d+)%[)\]]\s*")
"""In square brackets as older versions print it."""
_SPREAD = re.compile(r"\(\s*\+-\s*(\d+\.\d+)%\s*\)\s*")
_TIME = re.compile(
    r"\s*([\d.]+)(?: \+- ([\d.]+))? seconds (time elapsed|user|sys)(?:\s*\(\s*\+-\s*([\d.]+)%\s*\))?\s*"
)
_TABLE = re.compile(
    r"\s*# (?:Table of individual measurements|Final result):\s*|\s*\d+\.\d+ \([+-]\d+\.\d+\) #*\s*"
)
_ADVICE = re.compile(
    r"\s*(?:Some events weren't counted\..*|echo [01] > /proc/sys/kernel/nmi_watchdog|perf stat \.\.\."
    r"|The events in group usually have to be from.*|Event counts? .*may be inaccurate.*)\s*"
)
_GROUP = re.compile(r"\s*(Topdown\w*(?: \([\w/]+\))?)\s*")
"""Metrics of Linux 6.3 and later that belong to no counter."""
_METRIC = re.compile(r"(-?[\d.]+|nan|-?inf)(?=[\s%])\s*(.*)")


def read_text(lines: list[Line]) -> Collected:
    """Return the figures under perf's headings; what the program itself printed around them is passed over.

    Raises:
        OutputError: a line that is not known.
    """
    reports = _reports(lines)
    collected = Collected()
    for number, report in enumerate(reports, start=1):
        reported = {"run": str(number)} if len(reports) > 1 else {}
        one = _read_report(with_points(report))
        collected.figures += [replace(figure, labels={**reported, **figure.labels}) for figure in one.figures]
        collected.refused += [
            replace(refused, labels={**reported, **refused.labels}) for refused in one.refused
        ]
    return collected


def _reports(lines: list[Line]) -> list[list[Line]]:
    """Return the lines of each report; a table of intervals and the sum of it are one."""
    reports: list[list[Line]] = [[]]
    summed = False
    for line in lines:
        heading = HEADER.search(line.text) is not None
        if heading and summed:
            reports.append([])
            summed = False
        summed = summed or (heading and not line.text.startswith("#"))
        reports[-1].append(line)
    return reports


def _read_report(lines: list[Line]) -> Collected:
    collected, started, timed = Collected(), False, False
    counters: list[Counter] = []
    for line in lines:
        if HEADER.search(line.text):
            started, timed = True, line.text.startswith("#")
        elif not started or not line.text.strip() or line.text.startswith("# started on"):
            continue
        elif not (_end(collected, line) or _TABLE.fullmatch(line.text) or _ADVICE.fullmatch(line.text)):
            if _is_ended(collected) and not is_value(split(line.text)[0]):
                continue
            counters.append(_counter(line, timed=timed, above=counters[-1] if counters else None))
    times, collected.figures = collected.figures, []
    for counter in _completed(counters):
        add(collected, counter)
    collected.figures += times
    if not timed and not _is_ended(collected):
        lines[-1].fail("expected 'seconds time elapsed', got the end of the output")
    return collected


def _is_ended(collected: Collected) -> bool:
    """Tell whether a report said how long it took: it has no counter after that."""
    return any(figure.metric == "time_elapsed" for figure in collected.figures)


def _completed(counters: list[Counter]) -> list[Counter]:
    """Return counters with their spread and how long they counted, which stand behind their last metric,
    maybe further down.
    """
    first = next((at for at, one in enumerate(counters) if one.value), len(counters))
    done: list[Counter] = []
    running = variance = ""
    for one in reversed(counters[first:]):
        reported = replace(one, running=running) if running else one
        if one.value:
            reported = replace(reported, variance=variance) if variance else reported
            running = variance = ""
        else:
            running, variance = running or one.running, variance or one.variance
        done.append(reported)
    return [*counters[:first], *reversed(done)]


def _end(collected: Collected, line: Line) -> bool:
    if (time := _TIME.fullmatch(line.text)) is None:
        return False
    name = {"time elapsed": "time_elapsed"}.get(time[3], time[3])
    collected.figures.append(Figure(name, line.value(time[1]), "s", Direction.LOWER))
    for metric, word, unit in (("deviation", time[2], "s"), ("variance", time[4], "%")):
        if word:
            collected.figures.append(Figure(metric, line.value(word), unit, Direction.LOWER, {"event": name}))
    return True


def _counter(line: Line, *, timed: bool, above: Counter | None) -> Counter:
    text = line.text
    running, text = _cut(_RUNNING, text)
    variance, text = _cut(_SPREAD, text)
    left, mark, right = text.partition("#")
    if not left.strip() and mark and above is not None:
        metric = _metric(line, right)
        return Counter(line, above.labels, above.event, "", variance=variance, running=running, metric=metric)
    if mark and (group := _GROUP.fullmatch(left)) is not None:
        return Counter(
            line, {"metricgroup": group[1]}, group[1], "", running=running, metric=_metric(line, right)
        )
    labels, words = place(split(left), timed=timed)
    if not words or not is_value(words[0]) or not 2 <= len(words) <= 4:
        line.unknown()
    value, unit, name, cgroup = columns(line, words)
    labels |= {"cgroup": cgroup} if cgroup else {}
    metric = _metric(line, right) if mark else ("", "")
    return Counter(line, labels, name, value, unit, variance, "", running, metric)


def _cut(pattern: re.Pattern[str], text: str) -> tuple[str, str]:
    """Return what stands in the last brackets and the text before them, where the text ends with them."""
    start = max(text.rfind("("), text.rfind("["))
    match = pattern.fullmatch(text, start) if start >= 0 else None
    return ("", text) if match is None else (match[1], text[:start].rstrip())


def _metric(line: Line, text: str) -> tuple[str, str]:
    if not text.strip():
        return ("", "")
    if (match := _METRIC.fullmatch(text.strip())) is None or not match[2]:
        line.unknown()
    return match[1], match[2]


_COMMA = re.compile(r"\s*+[\d.\u202f\u00a0]*\d,\d+(?: \+- \S+)? seconds time elapsed\b")
_NARROW = re.compile(r"(?<=\d)[\u202f\u00a0](?=\d{3})")
_NUMBER = re.compile(r"(?<![^\s(\[#-])\d[\d.,]*(?=[\s%]|$)")
_INTERVAL = re.compile(r"\d+\.\d{9}")
_SWAP = str.maketrans(".,", ",.")


def with_points(lines: list[Line]) -> list[Line]:
    """Return the lines of a report with a point before decimals and no blank between thousands."""
    lines = [replace(line, text=_NARROW.sub("", line.text)) for line in lines]
    if not any(_COMMA.match(line.text) for line in lines):
        return lines
    return [replace(line, text=_NUMBER.sub(_swapped, line.text)) for line in lines]


def _swapped(number: re.Match[str]) -> str:
    return number[0] if _INTERVAL.fullmatch(number[0]) else number[0].translate(_SWAP)
