"""Doubts about a saved output of a tool of files: rates that its own figures, or the disk that is named,
contradict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from assay.explain.sanity.disk_kinds import MOST
from assay.explain.sanity.disks import bytes_per_s
from assay.model.doubt import Raised, raised
from assay.model.metric import Direction
from assay.model.work.tool_output import NOT_COMPARABLE, Figure, ToolOutput

READ_OVER_WRITE = 4.0
"""Times as fast as it wrote the same file from which a disk did not read it: one that turns does both alike,
and what writes behind a cache of its own seldom reads four times as fast. Published from memory: 4.1 to 6.1
(CernVM, 2011).
"""


def rate_doubts(output: ToolOutput, disk: str | None = None) -> Iterator[Raised]:
    """Doubt rates of a saved output that no disk gave: the worst of all of its figures is told.

    Args:
        output: What a tool printed.
        disk: Kind of the disk below it (``disk_kinds.MOST``); ``None`` where nobody says.
    """
    from assay.workloads import READERS  # all tools: to word a doubt takes none

    reader = READERS.get(output.tool)
    if reader is None or not reader.of_files:
        return
    if disk is not None:
        yield from _beyond(output, disk)
    yield from _read_over_write(output, reader.read_after)


def _beyond(output: ToolOutput, disk: str) -> Iterator[Raised]:
    most = MOST[disk]
    rates = [(rate, one) for one in output.measurements if (rate := _rate(one)) is not None]
    over = [(rate, one) for rate, one in rates if rate > most]
    if over:
        rate, worst = max(over, key=lambda pair: pair[0])
        yield raised(
            "faster-than-disk",
            case="figures",
            over=len(over),
            rates=len(rates),
            kind=disk,
            most=most,
            metric=worst.metric,
            rate=rate,
        )


def _read_over_write(output: ToolOutput, pairs: Mapping[str, str]) -> Iterator[Raised]:
    ratios = [pair for read, write in pairs.items() for pair in _pairs(output.measurements, read, write)]
    over = [(times, read, write) for times, read, write in ratios if times > READ_OVER_WRITE]
    if over:
        times, read, write = max(over, key=lambda one: one[0])
        yield raised(
            "faster-than-disk",
            case="read-over-write",
            read=(read.metric, _rate(read) or 0.0),
            write=(write.metric, _rate(write) or 0.0),
            times=times,
            over=len(over),
            pairs=len(ratios),
        )


def _pairs(figures: Sequence[Figure], read: str, write: str) -> Iterator[tuple[float, Figure, Figure]]:
    """Yield each rate of reading with that of writing the same file in the same run."""
    wrote = {_where(one): one for one in figures if one.metric == write}
    for one in figures:
        partner = wrote.get(_where(one)) if one.metric == read else None
        if partner is not None and (above := _rate(one)) and (below := _rate(partner)):
            yield above / below, one, partner


def _where(figure: Figure) -> tuple[tuple[str, str], ...]:
    reported = figure.labels.items()
    return tuple(
        sorted((name, value) for name, value in reported if name not in {NOT_COMPARABLE, "operation"})
    )


def _rate(figure: Figure) -> float | None:
    if figure.direction is not Direction.HIGHER:
        return None
    return bytes_per_s(figure.value, figure.unit)
