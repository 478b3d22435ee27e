"""hep-workloads: the summary that a container writes, ``WORKLOAD_summary.json``.

Three forms: ``run_info``, ``report`` and ``app`` (since 2020); the same with flat statistics; and the oldest
with everything at the top. A score is events a second of all copies together; statistics are of the copies.

Source: https://gitlab.cern.ch/hep-benchmarks/hep-workloads (``bmk-driver.sh``, ``parseResults``), HEPscore's
    reader.
Limits: events of another workload, or of another version of it, are another unit of work.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure, Refused, ToolOutput
from assay.workloads.document import Document, read_document

TOOL = "hep-workloads"
RATE = "events/s"
_RUN = ("copies", "threads_per_copy", "events_per_thread")
_GOOD = ("ok", "OK")
_STATISTICS = ("count", "avg", "mean", "median", "min", "max", "score", "std", "stdev")


def read(output: bytes) -> ToolOutput:
    """Return the scores and their statistics; the version is that of the workload.

    Raises:
        OutputError: not a summary, or no score in it.
    """
    document = read_document(output, tool=TOOL)
    report: tuple[str, ...] = ("report",) if document.at("report") is not None else ()
    reported = document.at(*report, "log")
    if not isinstance(document.at(*report, "wl-scores"), dict) and reported in (None, *_GOOD):
        document.fail(f"expected '{'.'.join((*report, 'wl-scores'))}', got none")
    info: tuple[str, ...] = ("run_info",) if document.at("run_info") is not None else ()
    run = tuple(
        Figure(name, document.number(*info, name), "1", None) for name in _RUN if document.at(*info, name)
    )
    figures, refused = read_report(document, report, {})
    if not figures and not refused:
        document.fail("expected a score, got none")
    version = document.at("app", "version")
    return ToolOutput(TOOL, version if isinstance(version, str) else None, (*run, *figures), refused)


def read_report(
    document: Document, place: tuple[str, ...], labels: Mapping[str, str]
) -> tuple[tuple[Figure, ...], tuple[Refused, ...]]:
    """Return scores and statistics of one run; those of a run that did not end well are refused.

    Args:
        document: Where it lies.
        place: Path of the report.
        labels: Of every figure.

    Raises:
        OutputError: a score or statistic that is no number.
    """
    log = document.at(*place, "log")
    figures = (*_scores(document, place, labels), *_statistics(document, (*place, "wl-stats"), labels))
    if log in (None, *_GOOD):
        good = tuple(figure for figure in figures if 0 <= figure.value < math.inf)
        bad = (figure for figure in figures if not 0 <= figure.value < math.inf)
        return good, tuple(Refused(f.metric, f"the workload wrote {f.value:g}", f.labels) for f in bad)
    reason = f"the workload says '{log:.200}'" if isinstance(log, str) else "the workload did not end well"
    lost = tuple(Refused(figure.metric, reason, figure.labels) for figure in figures)
    return (), lost or (Refused("wl_score", reason, labels),)


def _scores(document: Document, place: tuple[str, ...], labels: Mapping[str, str]) -> Iterator[Figure]:
    scores = document.at(*place, "wl-scores")
    for name in scores if isinstance(scores, dict) else ():
        value = _number(document, (*place, "wl-scores", name))
        yield Figure("wl_score", value, RATE, Direction.HIGHER, {**labels, "score": name})


def _statistics(document: Document, place: tuple[str, ...], labels: Mapping[str, str]) -> Iterator[Figure]:
    content = document.at(*place)
    for name, inner in content.items() if isinstance(content, dict) else ():
        if isinstance(inner, dict):
            yield from _statistics(document, (*place, name), {**labels, "score": name})
        elif inner is not None:
            yield _statistic(document, (*place, name), {**labels, "statistic": name})


def _statistic(document: Document, path: tuple[str, ...], labels: Mapping[str, str]) -> Figure:
    value = _number(document, path)
    if path[-1] not in _STATISTICS:
        document.fail(f"expected one of {', '.join(_STATISTICS)} at {'.'.join(path)}")
    if path[-1] == "count":
        return Figure("wl_stat", value, "1", None, labels)
    unit = "events/CPU-s" if labels.get("score") == "CPU_score" else RATE
    direction = None if path[-1] in ("std", "stdev") else Direction.HIGHER
    return Figure("wl_stat", value, unit, direction, labels)


def _number(document: Document, path: tuple[str, ...]) -> float:
    """Return a number; a failed workload writes one below 0, or a text of a number."""
    value = document.at(*path)
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            document.fail(f"expected a number at {'.'.join(path)}, got '{value:.40}'")
    if isinstance(value, int | float) and not isinstance(value, bool) and value < 0:
        return float(value) if isinstance(value, float) else document.number(*path, signed=True)
    return float(value) if isinstance(value, float) else document.number(*path)
