"""The lines of a job in fio's normal text, each with what it says.

Source: ``show_thread_status_normal`` and ``show_ddir_status`` in ``stat.c`` of fio 2.0 to 3.36.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure
from assay.workloads.outputs.digits import NUMBER
from assay.workloads.outputs.marks import marked
from assay.workloads.tools.fio.amounts import AMOUNT, COUNT, TIME_UNITS, amount, both, count, old

_UP, _DOWN = Direction.HIGHER, Direction.LOWER
Labels = Mapping[str, str]
Reader = Callable[[re.Match[str], Labels], Iterator[Figure]]

OPERATION = re.compile(r"  (read|write|trim|mixed) ?: (.*)")
SYNC = re.compile(r"  fsync/fdatasync/sync_file_range:")
PERCENTILES = re.compile(r" +([sc]?lat|sync) percentiles \((nsec|usec|msec)\):")
PERCENTILE_ROW = re.compile(rf" +\|( *{NUMBER}th=\[ *{COUNT} *\],?)+")
PERCENTILE = re.compile(rf"({NUMBER})th=\[ *({COUNT}) *\]")

_RATES_3 = re.compile(
    rf"IOPS=({COUNT}), BW=({AMOUNT}) \(({AMOUNT})\) ?\(({AMOUNT})/(\d+)msec\)(?:; (\d+) zone resets)?"
)
_RATES_2 = re.compile(rf"io= *({AMOUNT}), bw= *({AMOUNT}), iops= *({COUNT}), runt= *(\d+)msec")
_NO_MIXED_RATE = "fio prints 0 for the rates of mixed beside those of read and write"


def rates(text: str, labels: Labels) -> list[Figure] | None:
    """Return what an operation's own line says; ``None`` where it is not known."""
    if (match := _RATES_3.fullmatch(text)) is not None:
        why = _NO_MIXED_RATE if labels["operation"] == "mixed" and count(match[1]) == 0 else None
        return [marked(figure, why) for figure in _rates_3(match, labels)]
    if (match := _RATES_2.fullmatch(text)) is not None:
        return list(_rates_2(match, labels))
    return None


def _rates_3(match: re.Match[str], labels: Labels) -> Iterator[Figure]:
    yield Figure("iops", count(match[1]), "IOPS", _UP, labels)
    yield from both("bw", match[2], match[3], direction=_UP, plain="B/s", labels=labels)
    yield amount("io_bytes", match[4], direction=None, plain="B", labels=labels)
    yield Figure("runtime", float(match[5]), "ms", None, labels)
    if match[6] is not None:
        yield Figure("zone_resets", float(match[6]), "1", None, labels)


def _rates_2(match: re.Match[str], labels: Labels) -> Iterator[Figure]:
    yield old("io_bytes", match[1], direction=None, plain="B", labels=labels)
    yield old("bw", match[2], direction=_UP, plain="B/s", labels=labels)
    yield Figure("iops", count(match[3]), "IOPS", _UP, labels)
    yield Figure("runtime", float(match[4]), "ms", None, labels)


def _latency(match: re.Match[str], labels: Labels) -> Iterator[Figure]:
    unit = TIME_UNITS[match[2]]
    for word, text in zip(("min", "max", "mean", "stddev"), match.groups()[2:], strict=True):
        yield Figure(f"{'lat' if match[1] == 'sync' else match[1]}_{word}", count(text), unit, _DOWN, labels)


def _bandwidth(match: re.Match[str], labels: Labels) -> Iterator[Figure]:
    prefix = match[1] if match[7] else match[1].replace("i", "").replace("B", "iB")  # fio 2: 1024 bytes
    words = (("min", _UP), ("max", _UP), ("agg", None), ("mean", _UP), ("dev", _DOWN))
    for (word, direction), text in zip(words, match.groups()[1:6], strict=True):
        yield Figure(f"bw_{word}", count(text), "%" if word == "agg" else f"{prefix}/s", direction, labels)
    if match[7] is not None:
        yield Figure("bw_samples", float(match[7]), "1", None, labels)


def _iops(match: re.Match[str], labels: Labels) -> Iterator[Figure]:
    for word, text in zip(("min", "max", "mean"), match.groups()[:3], strict=True):
        yield Figure(f"iops_{word}", count(text), "IOPS", _UP, labels)
    yield Figure("iops_stddev", count(match[4]), "IOPS", _DOWN, labels)
    yield Figure("iops_samples", float(match[5]), "1", None, labels)


def _buckets(match: re.Match[str], labels: Labels) -> Iterator[Figure]:
    metric = f"latency_{TIME_UNITS[match[1]]}"
    for bucket, share in _SHARE.findall(match[2]):
        yield Figure(metric, float(share), "%", None, {**labels, "bucket": bucket})


def _cpu(match: re.Match[str], labels: Labels) -> Iterator[Figure]:
    units = (("usr_cpu", "%"), ("sys_cpu", "%"), ("ctx", "1"), ("majf", "1"), ("minf", "1"))
    for (metric, unit), text in zip(units, match.groups(), strict=True):
        yield Figure(metric, float(text), unit, _DOWN, labels)


_DEPTHS = {"IO depths": "iodepth_level", "submit": "iodepth_submit", "complete": "iodepth_complete"}


def _depths(match: re.Match[str], labels: Labels) -> Iterator[Figure]:
    for depth, share in _SHARE.findall(match[2]):
        yield Figure(_DEPTHS[match[1]], float(share), "%", None, {**labels, "depth": depth})


_ISSUED = {"total": "total_ios", "short": "short_ios", "dropped": "drop_ios", "drop": "drop_ios"}
_ORDER = ("read", "write", "trim", "sync")


def _issued(match: re.Match[str], labels: Labels) -> Iterator[Figure]:
    parts = re.findall(r"(total|short|dropped|drop)=([\dr=/wd,]+?)(?=,? |$)", match[1])
    numbers = [(word, re.findall(r"\d+", slashed)) for word, slashed in parts]
    totals = dict(zip(_ORDER, numbers[0][1], strict=False))
    for word, texts in numbers:
        for operation, text in zip(_ORDER, texts, strict=False):
            why = f"the job did no {operation}" if totals[operation] == "0" else None
            if operation == "sync" and word != "total":
                why = why or f"fio does not count it: it prints {text}"
            direction = None if word == "total" else _DOWN
            issued = Figure(_ISSUED[word], float(text), "1", direction, {**labels, "operation": operation})
            yield marked(issued, why)


def _errors(match: re.Match[str], labels: Labels) -> Iterator[Figure]:
    yield Figure("total_err", float(match[1]), "1", _DOWN, labels)
    yield Figure("first_error", float(match[2]), "1", None, labels)


def _target(match: re.Match[str], labels: Labels) -> Iterator[Figure]:
    yield Figure("latency_depth", float(match[1]), "1", None, labels)


def _steady(match: re.Match[str], labels: Labels) -> Iterator[Figure]:
    yield Figure("steadystate_attained", float(match[1] == "yes"), "1", None, labels)
    for figure in both("steadystate_bw", match[2], match[3], direction=_UP, plain="B/s", labels=labels):
        yield marked(figure, _WRONG_BASE if figure.labels["base"] == "1000" else None)
    yield Figure("steadystate_iops", count(match[4]), "IOPS", _UP, labels)
    criterion = match[5].strip().replace(" ", "_")
    unit = "%" if match[7] else "1"
    yield Figure(f"steadystate_{criterion}", float(match[6]), unit, None, labels)


_WRONG_BASE = "fio 3 multiplies KiB by 1000 here"
_SHARE = re.compile(rf"(>?=?\d+)=({NUMBER})%")
_SHARES = rf"((?:>?=?\d+={NUMBER}%(?:, |$))+)"
_FOUR = rf"min= *({COUNT}), max= *({COUNT}), avg= *({COUNT}), stdev= *({COUNT})"
_RWD = r"r=\d+/w=\d+/d=\d+"
_COMMAS = "|".join(
    rf"total=\d+(?:,\d+){more},? short=\d+(?:,\d+){more},? dropped=\d+(?:,\d+){more}"
    for more in ("{2}", "{3}")
)
"""Reads, writes and trims, from 3.13 on syncs."""


@dataclass(frozen=True)
class Known:
    """A line of a job: how it looks, what it says, and whether it is of an operation."""

    pattern: re.Pattern[str]
    reader: Reader | None
    of_operation: bool = False


KNOWN = (
    Known(re.compile(rf" +([sc]?lat|sync) \((nsec|usec|msec)\): {_FOUR}"), _latency, of_operation=True),
    Known(
        re.compile(
            rf" +bw \( *([kKMGT]?i?(?:B|bit)) */s\): min= *({COUNT}), max= *({COUNT}), per= *({NUMBER})%, "
            rf"avg= *({COUNT}), stdev= *({COUNT})(?:, samples= *(\d+))?"
        ),
        _bandwidth,
        of_operation=True,
    ),
    Known(re.compile(rf" +iops +: {_FOUR}, samples= *(\d+)"), _iops, of_operation=True),
    Known(re.compile(rf" +lat \((nsec|usec|msec)\) *: {_SHARES}"), _buckets),
    Known(
        re.compile(rf" +cpu +: usr=({NUMBER})%, sys=({NUMBER})%, ctx=(\d+), majf=(\d+), minf=(\d+)"),
        _cpu,
    ),
    Known(re.compile(rf" +(IO depths|submit|complete) +: {_SHARES}"), _depths),
    Known(
        re.compile(
            rf" +issued(?: rwts?)? *: ({_COMMAS}"
            rf"|total={_RWD}, short={_RWD}(?:, drop={_RWD})?)"
        ),
        _issued,
    ),
    Known(re.compile(r" +errors +: total=(\d+), first_error=(\d+)/<.*>"), _errors),
    Known(re.compile(rf" +latency +: target=\d+, window=\d+, percentile={NUMBER}%, depth=(\d+)"), _target),
    Known(
        re.compile(
            rf" +steadystate +: attained=(yes|no), bw=({AMOUNT}) \(({AMOUNT})\), iops=({COUNT}), "
            rf"([a-z ]+)=([+-]?{NUMBER})(%?)"
        ),
        _steady,
    ),
    Known(re.compile(r" +Description +: \[.*\]"), None),
)
"""The lines of a job beside those of an operation's rates and percentiles."""
