"""The end of fio's normal text: what groups of jobs moved together, and what the disks did.

Source: ``show_group_stats`` in ``stat.c`` and ``print_disk_util`` in ``diskutil.c`` of fio 2.0 to 3.36.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure
from assay.workloads.outputs.digits import NUMBER
from assay.workloads.tools.fio.amounts import AMOUNT, amount, both, old

_UP = Direction.HIGHER

GROUP = re.compile(r"Run status group (\d+) \(all jobs\):")
DISKS = re.compile(r"Disk stats \(read/write\):")
_GROUP_3 = re.compile(
    rf" +(READ|WRITE|TRIM|MIXED): bw=({AMOUNT}) \(({AMOUNT})\), ({AMOUNT})-({AMOUNT}) "
    rf"\(({AMOUNT})-({AMOUNT})\), "
    rf"io=({AMOUNT}) \(({AMOUNT})\), run=(\d+)-(\d+)msec"
)
_GROUP_2 = re.compile(
    rf" +(READ|WRITE|TRIM|MIXED): io= *({AMOUNT}), aggrb= *({AMOUNT}), minb= *({AMOUNT}), maxb= *({AMOUNT}), "
    r"mint= *(\d+)msec, maxt= *(\d+)msec"
)
_PAIR = r"\d+/\d+"
_DISK = re.compile(
    rf" +(\S+): (ios={_PAIR}(?:, sectors={_PAIR})?, merge={_PAIR}, ticks={_PAIR}, in_queue=\d+, "
    rf"util={NUMBER}%"
    rf"(?:, aggrios={_PAIR}(?:, aggrsectors={_PAIR})?, aggrmerge={_PAIR}, aggrticks={_PAIR}, "
    rf"aggrin_queue=\d+, aggrutil={NUMBER}%)?)"
)
_PART = re.compile(rf"(aggr|)(ios|sectors|merge|ticks)=(\d+)/(\d+)|((?:aggr)?)(in_queue|util)=({NUMBER})")
_UNITS = {"ios": "1", "merge": "1", "sectors": "sectors", "ticks": "ms", "in_queue": "ms", "util": "%"}
_NAMES = {"merge": "merges"}


def group(text: str, number: str) -> list[Figure] | None:
    """Return what a line says of an operation of a group; ``None`` where it is not known."""
    if (match := _GROUP_3.fullmatch(text)) is not None:
        return list(_group_3(match, {"group": number, "operation": match[1].lower()}))
    if (match := _GROUP_2.fullmatch(text)) is not None:
        return list(_group_2(match, {"group": number, "operation": match[1].lower()}))
    return None


def _group_3(match: re.Match[str], labels: dict[str, str]) -> Iterator[Figure]:
    for metric, one, other in (("group_bw", 2, 3), ("group_bw_min", 4, 6), ("group_bw_max", 5, 7)):
        yield from both(metric, match[one], match[other], direction=_UP, plain="B/s", labels=labels)
    yield from both("group_io_bytes", match[8], match[9], direction=None, plain="B", labels=labels)
    yield Figure("group_runtime_min", float(match[10]), "ms", None, labels)
    yield Figure("group_runtime_max", float(match[11]), "ms", None, labels)


def _group_2(match: re.Match[str], labels: dict[str, str]) -> Iterator[Figure]:
    yield old("group_io_bytes", match[2], direction=None, plain="B", labels=labels)
    for metric, at in (("group_bw", 3), ("group_bw_min", 4), ("group_bw_max", 5)):
        yield old(metric, match[at], direction=_UP, plain="B/s", labels=labels)
    yield Figure("group_runtime_min", float(match[6]), "ms", None, labels)
    yield Figure("group_runtime_max", float(match[7]), "ms", None, labels)


def disk(text: str) -> list[Figure] | None:
    """Return what a line says of a disk; ``None`` where it is not known."""
    match = _DISK.fullmatch(text)
    if match is None:
        return None
    labels = {"disk": match[1]}
    figures: list[Figure] = []
    for part in _PART.finditer(match[2]):
        if part[2] is None:
            figures.append(
                amount(part[5] + part[6], part[7], direction=None, plain=_UNITS[part[6]], labels=labels)
            )
            continue
        for operation, value in (("read", part[3]), ("write", part[4])):
            name = f"{_aggr(part[1])}{operation}_{_NAMES.get(part[2], part[2])}"
            figures.append(Figure(name, float(value), _UNITS[part[2]], None, labels))
    return figures


def _aggr(word: str) -> str:
    return f"{word}_" if word else ""
