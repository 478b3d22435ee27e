"""netperf's classic tables: a head of four lines that says what the columns are, and a line or two of
numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.model.metric import Direction
from assay.model.work.tool_output import NOT_COMPARABLE, Figure, Refused
from assay.workloads.errors import OutputError

TOOL = "netperf"
Entry = Figure | Refused
HIGHER, LOWER = Direction.HIGHER, Direction.LOWER
_NUMBERS = re.compile(r"\s*-?\d+(?:\.\d+)?(\s+-?\d+(?:\.\d+)?)*(\s+\S.*)?$")
_UNIT = re.compile(r"(10\^\d+bits/s|[KMG]?Bytes/s)(?:ec)?\b")
_TPUT = re.compile(r"^(?>.*?Tput ).*?(10\^\d+bits|[KMG]?Bytes)\b")
_METHODS = re.compile(r"%\s+([A-Z?]{1,2})\b")
_CPU = ("cpu_util", "%"), ("service_demand", "us/KB")
_ENDS = ("local", "remote")


@dataclass(frozen=True)
class Line:
    """A line by its number from 1."""

    number: int
    text: str


@dataclass(frozen=True)
class Test:
    """What stands below the head of one test.

    Attributes:
        name: ``TCP_STREAM``.
        labels: Of all its figures.
        lines: Without blanks, interim results and warnings.
    """

    name: str
    labels: dict[str, str]
    lines: Sequence[Line]


def classic(test: Test) -> list[Entry]:
    """Return the figures of a table.

    Raises:
        OutputError: a head that is not known, or numbers that do not fit it.
    """
    at = next((at for at, line in enumerate(test.lines) if _NUMBERS.match(line.text)), len(test.lines))
    head, rows = " ".join(line.text for line in test.lines[:at]), list(test.lines[at:])
    if not rows:
        raise OutputError(
            TOOL, test.lines[0].number, f"expected a table, got '{test.lines[0].text.strip():.120}'"
        )
    labels = {**test.labels, **({"cpu_method": methods[0]} if (methods := _METHODS.findall(head)) else {})}
    if "Okay Errors" in head:
        return _datagrams(labels, rows, _unit(head, rows[0]))
    if "/Remote" in head:
        return _transactions(labels, rows, head)
    if "Throughput" in head and "Message" in head:
        return _stream(labels, rows, _unit(head, rows[0]))
    raise OutputError(
        TOOL, rows[0].number, f"expected the head of a table before '{rows[0].text.strip():.80}', got none"
    )


def _unit(head: str, row: Line) -> str:
    match = _UNIT.search(head)
    if match is None:
        raise OutputError(TOOL, row.number, "expected a unit of throughput above the numbers, got none")
    return match[1]


def _values(row: Line, count: int, *, more: int = 0) -> tuple[list[float], dict[str, str]]:
    """Return the numbers of a row, and as a label the tag behind them (``-B``)."""
    words = row.text.split()
    numbers = [word for word in words if re.fullmatch(r"-?\d+(\.\d+)?", word)]
    fits = len(numbers) in (count, count + more) and words[: len(numbers)] == numbers
    if not fits:
        raise OutputError(
            TOOL, row.number, f"expected {count} or {count + more} numbers, got '{row.text.strip():.120}'"
        )
    tag = " ".join(words[len(numbers) :])
    return [float(number) for number in numbers], {"tag": tag} if tag else {}


def figure(
    metric: str, value: float, unit: str, direction: Direction | None, labels: dict[str, str]
) -> Entry:
    """Return a figure; -1 is netperf's word for what it did not measure."""
    if value == -1:
        return Refused(metric, "netperf printed -1: it did not measure this, or was not asked to", labels)
    if metric.endswith("cpu_util") and value > 100:
        reason = "netperf counts a share of all processors, which is at most 100 %"
        return Figure(metric, value, unit, direction, {**labels, NOT_COMPARABLE: reason})
    return Figure(metric, value, unit, direction, labels)


def _stream(labels: dict[str, str], rows: Sequence[Line], unit: str) -> list[Entry]:
    values, tag = _values(rows[0], 5, more=4)
    sizes = zip(("recv_socket_bytes", "send_socket_bytes", "send_message_bytes"), values, strict=False)
    reported = {**labels, **{key: f"{size:.0f}" for key, size in sizes}, **tag}
    entries = [
        figure("elapsed_time", values[3], "s", None, reported),
        figure("throughput", values[4], unit, HIGHER, reported),
        *_processors(values[5:], reported, "us/KB"),
    ]
    return [*entries, *_details(rows[1:], reported)]


def _processors(values: Sequence[float], labels: dict[str, str], demand: str) -> list[Entry]:
    """Return shares of the processors of both ends, then what a unit of work cost them; none
    printed is none.
    """
    named = [(f"{end}_cpu_util", "%") for end in _ENDS] + [(f"{end}_service_demand", demand) for end in _ENDS]
    return [
        figure(metric, value, unit, LOWER, labels)
        for (metric, unit), value in zip(named, values, strict=False)
    ]


def _datagrams(labels: dict[str, str], rows: Sequence[Line], unit: str) -> list[Entry]:
    if len(rows) != 2:
        raise OutputError(TOOL, rows[0].number, f"expected a line sent and a line received, got {len(rows)}")
    sent, _ = _values(rows[0], 6, more=2)
    got, tag = _values(rows[1], 4, more=2)
    reported = {**labels, "send_message_bytes": f"{sent[1]:.0f}", **tag}
    here, there = (
        {**reported, "socket_bytes": f"{sent[0]:.0f}"},
        {**reported, "socket_bytes": f"{got[0]:.0f}"},
    )
    entries = [
        figure("elapsed_time", sent[2], "s", None, here),
        figure("messages_sent", sent[3], "1", None, here),
        figure("send_errors", sent[4], "1", LOWER, here),
        figure("sent_throughput", sent[5], unit, HIGHER, here),
        figure("received_elapsed_time", got[1], "s", None, there),
        figure("messages_received", got[2], "1", None, there),
        figure("received_throughput", got[3], unit, HIGHER, there),
    ]
    for end, values, where in (("local", sent[6:], here), ("remote", got[4:], there)):
        entries += [
            figure(f"{end}_{name}", value, of, LOWER, where)
            for (name, of), value in zip(_CPU, values, strict=False)
        ]
    return entries


def _measured(head: str, row: Line) -> tuple[str, str, Direction]:
    """Return metric, unit and direction of what a table of transactions shows: their rate, or with ``-f``
    bits, or their time.
    """
    if "Trans." in head:
        return "transaction_rate", "Trans/s", HIGHER
    if "Latency" in head:
        return "latency", "us/Tran", LOWER
    if (tput := _TPUT.search(head)) is not None:
        return "throughput", f"{tput[1]}/s", HIGHER
    return "throughput", _unit(head, row), HIGHER


def _transactions(labels: dict[str, str], rows: Sequence[Line], head: str) -> list[Entry]:
    metric, unit, direction = _measured(head, rows[0])
    values, tag = _values(rows[0], 6, more=4)
    if len(rows) < 2:
        raise OutputError(
            TOOL, rows[0].number, "expected a second line with the other end's sockets, got the end"
        )
    other, _ = _values(rows[1], 2)
    keys = ("send_socket_bytes", "recv_socket_bytes", "request_bytes", "response_bytes")
    reported = {**labels, **{key: f"{size:.0f}" for key, size in zip(keys, values, strict=False)}, **tag}
    reported |= {"remote_send_socket_bytes": f"{other[0]:.0f}", "remote_recv_socket_bytes": f"{other[1]:.0f}"}
    return [
        figure("elapsed_time", values[4], "s", None, reported),
        figure(metric, values[5], unit, direction, reported),
        *_processors(values[6:], reported, "us/KB" if "us/KB" in head else "us/Tran"),
        *_details(rows[2:], reported),
    ]


def _details(rows: Sequence[Line], labels: dict[str, str]) -> list[Entry]:
    """Return what ``-v 2`` adds: bytes and calls of a stream, the round trip of transactions, the segment
    size.
    """
    entries: list[Entry] = []
    head = ""
    for row in rows:
        if not _NUMBERS.match(row.text):
            head += f" {row.text}"
            continue
        entries += _detail(head, row, labels)
        head = ""
    if head:
        raise OutputError(TOOL, rows[-1].number, f"expected numbers below '{head.split()[0]}', got the end")
    return entries


def _detail(head: str, row: Line, labels: dict[str, str]) -> list[Entry]:
    words = head.split()
    if words == ["Maximum", "Segment", "Size", "(bytes)"]:
        return [figure("maximum_segment_size", _values(row, 1)[0][0], "B", None, labels)]
    if words[:2] != ["Alignment", "Offset"]:
        raise OutputError(
            TOOL, row.number, f"expected a table of netperf, got '{head.strip() or row.text:.80}'"
        )
    if "RoundTrip" in words:
        values, _ = _values(row, 8)
        unit = (_UNIT.search(head) or [None, "10^6bits/s"])[1] or ""
        return [
            figure("round_trip_latency", values[4], "us/Tran", LOWER, labels),
            figure("round_trip_rate", values[5], "Trans/s", HIGHER, labels),
            figure("outbound_throughput", values[6], unit, HIGHER, labels),
            figure("inbound_throughput", values[7], unit, HIGHER, labels),
        ]
    if "Xfered" in words:
        values, _ = _values(row, 9)
        names = (
            ("bytes_transferred", "B"),
            ("bytes_per_send", "B"),
            ("sends", "1"),
            ("bytes_per_recv", "B"),
            ("recvs", "1"),
        )
        return [
            figure(name, value, unit, None, labels)
            for (name, unit), value in zip(names, values[4:], strict=True)
        ]
    _values(row, 4)
    return []
