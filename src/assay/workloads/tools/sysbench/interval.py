"""A line of sysbench's ``--report-interval``: ``[ 1s ] thds: 2 eps: 685.40 lat (ms,95%): 9.06``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure
from assay.workloads.errors import OutputError
from assay.workloads.outputs.digits import NUMBER
from assay.workloads.tools.sysbench.words import TOOL

_UP, _DOWN = Direction.HIGHER, Direction.LOWER
_LINE = re.compile(r"\[ *(\d+)s? *\] +(.+?),?")
_RATE = re.compile(rf"({NUMBER}) MiB/sec")
_QUERIES = re.compile(rf"\(r/w/o: ({NUMBER})/({NUMBER})/({NUMBER})\)")
_LATENCY = re.compile(
    rf"(lat|latency) \(ms,(\d+)%\): ({NUMBER})(?![\d.])|(response time): ({NUMBER})ms \((\d+)%\)"
)
_PAIR = re.compile(rf"([a-z][a-z/ ]*?): *({NUMBER})(?![\d.])(?: ?(?:Mi?B)?/s)?[, ]*")

_WORDS: dict[str, tuple[str, Direction | None]] = {
    "thds": ("1", None),
    "threads": ("1", None),
    "eps": ("events/s", _UP),
    "events/s": ("events/s", _UP),
    "tps": ("transactions/s", _UP),
    "qps": ("queries/s", _UP),
    "reads": ("1", _UP),
    "writes": ("1", _UP),
    "reads/s": ("reads/s", _UP),
    "writes/s": ("writes/s", _UP),
    "fsyncs": ("fsyncs/s", _UP),
    "err/s": ("errors/s", _DOWN),
    "errors": ("errors/s", _DOWN),
    "reconn/s": ("reconnects/s", _DOWN),
    "reconnects": ("reconnects/s", _DOWN),
    "deadlocks": ("deadlocks/s", _DOWN),
    "queue length": ("1", _DOWN),
    "concurrency": ("1", None),
}
"""``reads`` and ``writes`` are MiB/s of files, and statements a second of SQL tests (0.5)."""


def interval(number: int, line: str) -> Iterator[Figure]:
    """Yield the figures of an interval's line, all with the label ``at``.

    Raises:
        OutputError: a word of it is not known.
    """
    match = _LINE.fullmatch(line)
    if match is None:
        raise OutputError(TOOL, number, f"expected a line of an interval, got '{line:.80}'")
    labels, rest = {"at": f"{match[1]}s"}, match[2]
    if (rate := _RATE.fullmatch(rest)) is not None:
        yield Figure("interval_transferred", float(rate[1]), "MiB/s", _UP, labels)
        return
    if (queries := _QUERIES.search(rest)) is not None:
        for word, text in zip(("read", "write", "other"), queries.groups(), strict=True):
            yield Figure("interval_qps", float(text), "queries/s", _UP, labels | {"operation": word})
    if (latency := _LATENCY.search(rest)) is not None:
        percentile, value = (latency[2], latency[3]) if latency[1] else (latency[6], latency[5])
        yield Figure("interval_latency", float(value), "ms", _DOWN, labels | {"percentile": percentile})
    rest = _LATENCY.sub("", _QUERIES.sub("", rest))
    yield from _pairs(number, line, rest.strip(" ,"), labels)


def _pairs(number: int, line: str, rest: str, labels: dict[str, str]) -> Iterator[Figure]:
    of_files = "fsyncs:" in rest
    position = 0
    while position < len(rest):
        pair = _PAIR.match(rest, position)
        if pair is None or pair[1] not in _WORDS:
            raise OutputError(TOOL, number, f"expected known words of an interval, got '{line:.80}'")
        unit, direction = _WORDS[pair[1]]
        if pair[1] in {"reads", "writes"}:
            unit = "MiB/s" if of_files else "queries/s"
        name = pair[1].replace("/s", "_per_s").replace(" ", "_")
        yield Figure(f"interval_{name}", float(pair[2]), unit, direction, labels)
        position = pair.end()
