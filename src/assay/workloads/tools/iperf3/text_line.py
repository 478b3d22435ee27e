"""One line of figures in iperf3's normal text: of an interval, or of a stream's or all streams' total.

Source: the formats ``report_bw_…`` in ``src/iperf_locale.c`` of iperf3 3.0 to 3.17; ``unit_snprintf`` in
    ``units.c``: a KByte is
1024 bytes, a Kbit 1000 bits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure, Refused
from assay.workloads.outputs.digits import NUMBER
from assay.workloads.outputs.marks import marked
from assay.workloads.tools.iperf3.figures import ALL, NOT_REPORTED, NOT_SENT, SENDER_ZERO

_UP, _DOWN = Direction.HIGHER, Direction.LOWER
Entry = Figure | Refused

HEADER = re.compile(
    r"\[ ID\](?:\[Role\])? Interval +Transfer +(?:Bitrate|Bandwidth)"
    r"( +Retr(?: +Cwnd)?| +Jitter +Lost/Total Datagrams| +Total Datagrams)?"
)
_LINE = re.compile(
    rf"\[ *(?P<stream>\d+|SUM)\](?:\[(?P<role>[TR]X-[CS])\])? +(?P<start>{NUMBER})-(?P<end>{NUMBER}) +sec +"
    rf"(?P<bytes>{NUMBER}) (?P<size>[KMGT]?)Bytes +(?P<rate>{NUMBER}) (?P<per_s>[KMGT]?(?:bits|Bytes))/sec"
    rf"(?: +(?P<jitter>{NUMBER}) ms +(?P<lost>-?\d+)/(?P<packets>\d+) "
    rf"\((?P<percent>-?nan|-?{NUMBER}(?:e[+-]\d+)?)%\)"
    rf"|(?: +(?P<count>\d+))?(?: +(?P<cwnd>{NUMBER}) (?P<cwnd_size>[KMGT]?)Bytes)?)"
    r"(?: +(?P<side>sender|receiver|\(omitted\)))?"
)
_BACK = {"RX-C", "TX-S"}
"""Roles of the way back of a bidirectional test, from the server to the client."""
_OF_RECEIVER = ("jitter_ms", "lost_packets", "lost_percent")


@dataclass(frozen=True)
class Row:
    """A line of figures.

    Attributes:
        fields: Its parts by name.
        datagrams: What stands behind the rate counts datagrams, not segments that were sent again.
        total: It is of the whole test.
    """

    fields: dict[str, str | None]
    datagrams: bool
    total: bool

    @property
    def stream(self) -> str:
        """The socket's number, or ``SUM``."""
        return str(self.fields["stream"])

    @property
    def side(self) -> str | None:
        """Whose count a total is; ``None`` where both ends' stand in one line, as in UDP tests until 3.1."""
        return self.fields["side"]

    def fits(self) -> bool:
        """Tell whether the parts are those of a total, or of an interval."""
        if not self.total:
            return self.side in {None, "(omitted)"}
        return self.side in {"sender", "receiver"} or (self.side is None and self.fields["lost"] is not None)

    def entries(self) -> Iterator[Entry]:
        """Yield its figures by the names that they have in iperf3's JSON."""
        labels, why = self._labels(), self._unknown()
        for word, entry in self._parts(labels):
            if isinstance(entry, Refused):
                yield entry
            else:
                yield marked(entry, why.get(word))

    def _parts(self, labels: dict[str, str]) -> Iterator[tuple[str, Entry]]:
        for word, text, unit, direction in self._values():
            name = f"{self._within()}_{word}"
            own = labels | self._counted_by(word)
            if "nan" in text:
                yield word, Refused(name, f"iperf3 printed '{text}'", own)
            else:
                yield word, Figure(name, float(text), unit, direction, own)

    def _values(self) -> Iterator[tuple[str, str, str, Direction | None]]:
        texts = {name: text or "" for name, text in self.fields.items()}
        yield "bytes", texts["bytes"], _bytes(texts["size"]), None
        rate = texts["per_s"]
        unit = rate.replace("bits", "bit") if rate.endswith("bits") else _bytes(rate.removesuffix("Bytes"))
        yield (
            "bits_per_second" if rate.endswith("bits") else "bytes_per_second",
            texts["rate"],
            f"{unit}/s",
            _UP,
        )
        if texts["count"]:
            word, direction = ("packets", None) if self.datagrams else ("retransmits", _DOWN)
            yield word, texts["count"], "1", direction
        if texts["cwnd"]:
            yield "snd_cwnd", texts["cwnd"], _bytes(texts["cwnd_size"]), None
        if texts["lost"]:
            yield "jitter_ms", texts["jitter"], "ms", _DOWN
            yield "lost_packets", texts["lost"], "1", _DOWN
            yield "packets", texts["packets"], "1", None
            yield "lost_percent", texts["percent"], "%", _DOWN

    def _within(self) -> str:
        back = "_bidir_reverse" if self.fields["role"] in _BACK else ""
        if not self.total:
            return f"interval_sum{back}" if self.stream == "SUM" else "interval"
        if self.stream != "SUM":
            return self.side or "udp"
        words = {"sender": "sum_sent", "receiver": "sum_received", None: "sum"}
        return words[self.side] + back

    def _labels(self) -> dict[str, str]:
        labels = {} if self.stream == "SUM" else {"stream": self.stream}
        if self.fields["role"] is not None:
            labels["role"] = self.fields["role"]
        if not self.total:
            labels["interval"] = "-".join(f"{float(self.fields[edge] or ''):g}" for edge in ("start", "end"))
        return labels | ({"omitted": "true"} if self.side == "(omitted)" else {})

    def _counted_by(self, word: str) -> dict[str, str]:
        if not self.total or self.side is not None or word == "packets":
            return {}
        return {"counted_by": "receiver" if word in _OF_RECEIVER else "sender"}

    def _unknown(self) -> dict[str, str]:
        """Return the words whose 0 stands for "not known", with the reason."""
        reasons: dict[str, str] = {}
        percent = self.fields["percent"] or "0"
        if (
            self.total
            and float(self.fields["bytes"] or "") == 0
            and ("nan" in percent or float(percent) != ALL)
        ):
            why = NOT_REPORTED if self.side == "receiver" else NOT_SENT
            words = ("bytes", "bits_per_second", "bytes_per_second", "retransmits")
            reasons |= dict.fromkeys(words, why)
        if self.side == "sender":
            zero = {
                "jitter_ms": self.fields["jitter"],
                "lost_packets": self.fields["lost"],
                "lost_percent": percent,
            }
            reasons |= {
                word: SENDER_ZERO for word, text in zero.items() if text is not None and _is_zero(text)
            }
        return reasons


def row(text: str, *, columns: str, total: bool) -> Row | None:
    """Return a line of figures; ``None`` where it is none under these columns.

    Args:
        text: The line.
        columns: What its header names behind the rate.
        total: It stands below the second header.
    """
    match = _LINE.fullmatch(text)
    if match is None:
        return None
    line = Row(match.groupdict(), "Datagrams" in columns, total)
    counts = line.fields["count"] is None or "Retr" in columns or line.datagrams
    losses = line.fields["lost"] is None or "Lost" in columns
    window = line.fields["cwnd"] is None or "Cwnd" in columns
    return line if counts and losses and window and line.fits() else None


def _bytes(prefix: str) -> str:
    return f"{prefix}iB" if prefix else "B"


def _is_zero(text: str) -> bool:
    return "nan" not in text and float(text) == 0
