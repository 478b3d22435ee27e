"""prmon's files of one job, ``prmon.txt`` or ``prmon.json``.

They name neither the node nor the job: the node is the folder in which the file lies, the job is the file. A
series does not say how its job ended: the summary beside it does, where there is one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.exchange.jobs.job import Damaged, EventsOf, Job, LeftOut, Told, above_zero
from assay.stats.startup import startup
from assay.workloads.document import read_document
from assay.workloads.errors import OutputError
from assay.workloads.tools.prmon.reader import TOOL, read

SUMMARY = (b'"Max"', b'"Avg"')


def is_prmon(head: bytes) -> bool:
    """Tell whether a file begins as one of prmon's."""
    if head.lstrip()[:1] == b"{":
        return any(word in head for word in SUMMARY) and b'"JobStatus"' not in head
    words = head.partition(b"\n")[0].split()
    return b"Time" in words and b"wtime" in words


def read_prmon(content: bytes, path: Path, events: EventsOf, summary: bytes | None = None) -> Told:
    """Return the job that a file of prmon's tells of; of a column of events it knows nothing.

    Args:
        content: The file.
        path: Its path.
        events: Events of a job.
        summary: The job's ``prmon.json``, where the file is its series; ``None`` where there is none.
    """
    try:
        series: dict[str, list[float]] = {}
        figures = read(content).measurements
        for figure in figures:
            if figure.labels.get("statistic") != "avg" and figure.value is not None:
                series.setdefault(figure.metric, []).append(figure.value)
        summary = content if content.lstrip()[:1] == b"{" else summary
        if summary is not None and (why := _why(summary)) is not None:
            return LeftOut(why)
    except OutputError as error:
        return Damaged(str(path), "a file of prmon's", error.message)
    wall, cpu = _clock(series, "wtime"), _cpu(series)
    if not wall or above_zero(wall[-1]) is None:
        return LeftOut("without wall time")
    init_s = startup(wall, cpu) if len(cpu) == len(wall) else None
    iowait = [value / 1000 for value in series.get("machine_iowait_ms", ())]
    return Job(
        name=path.name.partition(".")[0],
        node=path.absolute().parent.name,
        cores=None,
        wall_s=wall[-1],
        cpu_s=above_zero(cpu[-1]) if cpu else None,
        events=None if isinstance(events, str) else events,
        start_s=_start(figures[0].labels, wall[0]),
        init_s=init_s,
        init_bytes=None if init_s is None else _at(init_s, wall, series.get("read_bytes", ())),
        init_iowait_s=None if init_s is None else _at(init_s, wall, iowait),
        from_prmon=True,
        number=_number(path.name),
    )


def _at(moment: float, wall: Sequence[float], totals: Sequence[float]) -> float | None:
    """Return what a total was at a sample."""
    return totals[bisect_left(wall, moment)] if len(totals) == len(wall) else None


def _number(name: str) -> str:
    """Return the job of a file's name: ``4711.txt``, ``4711.0.1.txt`` (a task), ``4711.0@submit.org.txt``."""
    return name.rpartition(".")[0] if "@" in name else name.partition(".")[0]


def _start(labels: Mapping[str, object], wall_s: float) -> float | None:
    """Return when a job started by the time of its first sample, to a second by prmon's own column."""
    fine, coarse = (str(labels.get(name)) for name in ("time_ns", "time"))
    if fine.isascii() and fine.isdigit() and len(fine) < 21:
        return int(fine) / 1e9 - wall_s
    return float(coarse) - wall_s if coarse.isascii() and coarse.isdigit() and len(coarse) < 12 else None


def _clock(series: Mapping[str, Sequence[float]], name: str) -> list[float]:
    """Return a time in seconds: the column in ms that assay's probe adds, or prmon's own."""
    if fine := series.get(f"{name}_ms"):
        return [value / 1000 for value in fine]
    return [*series.get(name, ())]


def _cpu(series: Mapping[str, Sequence[float]]) -> list[float]:
    user, system = _clock(series, "utime"), _clock(series, "stime")
    return [sum(both) for both in zip(user, system, strict=True)] if len(user) == len(system) else []


def _why(content: bytes) -> str | None:
    """Return why the job of a summary is left out: it failed, or the summary is of a part of it.

    prmon's own does not say how the job ended, that of a watcher beside it knows only that it did, and one
    that was being written as its watcher was killed says nothing.
    """
    try:
        document = read_document(content, tool=TOOL)
    except OutputError:
        return None
    code, signal = (document.at("probe", "exit", word) for word in ("code", "signal"))
    if document.at("probe", "partial") is True and document.at("probe", "ended_by") is None:
        return "not ended"
    failed = document.at("probe", "partial") is True or code not in (0, None) or signal is not None
    return "failed" if failed else None
