"""The figures of iperf3's report, and the places where it prints 0 for what it does not know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure, Refused
from assay.workloads.document import Document
from assay.workloads.outputs.leaves import Path, figures, rule
from assay.workloads.outputs.marks import marked

_UP, _DOWN = Direction.HIGHER, Direction.LOWER
Entry = Figure | Refused

_BY_SENDER = ("bytes", "bits_per_second")
_BY_RECEIVER = ("jitter_ms", "lost_packets", "lost_percent", "out_of_order")
_OF_SENDER = ("max_snd_cwnd", "max_snd_wnd", "max_rtt", "min_rtt", "mean_rtt")
_RULES = (
    rule("start|end|seconds", "s"),
    rule("bytes", "B"),
    rule("bits_per_second", "bit/s", _UP),
    rule("retransmits|(?:max_)?reorder", "1", _DOWN),
    rule("(?:max_)?snd_(?:cwnd|wnd)|pmtu", "B"),
    rule("(?:(?:max|min|mean)_)?rtt|rttvar", "us", _DOWN),
    rule("jitter_ms", "ms", _DOWN),
    rule("lost_packets|out_of_order", "1", _DOWN, signed=True),
    rule("lost_percent", "%", _DOWN, signed=True),
    rule("packets", "1"),
    rule("(?:host|remote)_(?:total|user|system)", "%", _DOWN),
    rule("sent|received|size", "B"),
    rule("percent_(?:sent|received)", "%"),
)
"""A count of lost packets is negative where some came twice."""
ALL = 100
"""Percent lost: then 0 bytes are a measurement."""
NOT_REPORTED = "0 bytes: the receiver's side was not reported"
NOT_SENT = "0 bytes: the sender's side was not reported"
TWICE = "two of one name: which direction is which cannot be told"
SENDER_ZERO = "the sender cannot know it: iperf3 prints 0"
_SENDER_SILENT = "the sending side did not tell: iperf3 prints 0"


def entries(report: Document, top: Path = (), labels: Mapping[str, str] | None = None) -> Iterator[Entry]:
    """Yield all figures of a report: intervals, streams, sums, processors, and what the server
    said of them.
    """
    shared = dict(labels or {})
    yield from _intervals(report, (*top, "intervals"), shared)
    end = report.at(*top, "end")
    for name, child in end.items() if isinstance(end, dict) else ():
        place = (*top, "end", name)
        if name == "streams":
            yield from _streams(report, place, shared)
        elif isinstance(child, dict) and name in report.repeated:
            yield Refused(name, TWICE, shared)
        elif isinstance(child, dict):
            yield from _part(report, place, name, shared)
    if isinstance(report.at(*top, "server_output_json"), dict):
        yield from entries(report, (*top, "server_output_json"), {**shared, "reported_by": "server"})


def _intervals(report: Document, place: Path, labels: dict[str, str]) -> Iterator[Entry]:
    for at in range(_count(report, place)):
        here = (*place, at)
        for number in range(_count(report, (*here, "streams"))):
            stream = (*here, "streams", number)
            yield from _interval(report, stream, "interval", labels | _stream_label(report, stream, number))
        for name in ("sum", "sum_bidir_reverse"):
            if name in report.repeated:
                yield Refused(f"interval_{name}", TWICE, labels)
            elif isinstance(report.at(*here, name), dict):
                yield from _interval(report, (*here, name), f"interval_{name}", labels)


def _interval(report: Document, place: Path, name: str, labels: dict[str, str]) -> Iterator[Entry]:
    start, end = (f"{report.number(*place, edge):g}" for edge in ("start", "end"))
    own = labels | {"interval": f"{start}-{end}"} | _marks(report, place)
    for figure in figures(report, place, _RULES, labels=own, within=name):
        if not figure.metric.endswith(("_start", "_end", "_socket")):
            yield figure


def _marks(report: Document, place: Path) -> dict[str, str]:
    """Return what an interval says of itself: left out of the sums, sent from here or received here."""
    omitted = {"omitted": "true"} if report.at(*place, "omitted") is True else {}
    sender = report.at(*place, "sender")
    return omitted | ({"side": "sender" if sender else "receiver"} if isinstance(sender, bool) else {})


def _streams(report: Document, place: Path, labels: dict[str, str]) -> Iterator[Entry]:
    for at in range(_count(report, place)):
        stream = report.at(*place, at)
        for name in stream if isinstance(stream, dict) else ():
            own = labels | _stream_label(report, (*place, at, name), at)
            yield from _part(report, (*place, at, name), name, own)


def _stream_label(report: Document, place: Path, position: int) -> dict[str, str]:
    socket = report.at(*place, "socket")
    return {"stream": str(position + 1 if socket is None else socket)}


def _part(report: Document, place: Path, name: str, labels: dict[str, str]) -> Iterator[Entry]:
    """Yield the figures of a sum or of one end of a stream."""
    unknown = _unknown(report, place, name)
    mixed = name in {"udp", "sum", "sum_bidir_reverse"}
    for figure in figures(report, place, _RULES, labels=labels, within=name):
        word = figure.metric.removeprefix(f"{name}_")
        if word in unknown:
            yield marked(figure, unknown[word])
        elif mixed and word in (*_BY_SENDER, *_BY_RECEIVER):
            side = "receiver" if word in _BY_RECEIVER else "sender"
            yield replace(figure, labels={**figure.labels, "counted_by": side})
        elif word != "socket":
            yield figure


def _unknown(report: Document, place: Path, name: str) -> dict[str, str]:
    """Return the words of a part whose 0 stands for "not known", with the reason."""
    reasons: dict[str, str] = {}
    nothing = report.at(*place, "bytes") == 0 and report.at(*place, "lost_percent") != ALL
    if nothing and ("received" in name or name == "receiver"):
        reasons |= dict.fromkeys(("bytes", "bits_per_second"), NOT_REPORTED)
    if nothing and ("sent" in name or name == "sender"):
        reasons |= dict.fromkeys(("bytes", "bits_per_second", "retransmits"), NOT_SENT)
    if name.startswith("sum_sent"):
        reasons |= {word: SENDER_ZERO for word in _BY_RECEIVER if report.at(*place, word) == 0}
    if name == "sender":
        reasons |= {word: _SENDER_SILENT for word in _OF_SENDER if report.at(*place, word) == 0}
    return reasons


def _count(report: Document, place: Path) -> int:
    entries = report.at(*place)
    return len(entries) if isinstance(entries, list) else 0
