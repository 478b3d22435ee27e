"""iperf3's normal text, of the client and of the server: connections, intervals, totals.

Names are those of its JSON; of one stream iperf3 prints no sum, and none is made up: what was sent is
``sender_…`` with the label ``stream``. Of a bidirectional test the label ``role`` says which end printed it
and whether it sent: ``TX-C``. Rates are in the unit printed, ``Gbit/s`` of 1000 or ``MiB/s`` of 1024; iperf3
rounds them to three digits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import NoReturn

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure, Refused, ToolOutput
from assay.workloads.errors import OutputError
from assay.workloads.outputs.digits import NUMBER
from assay.workloads.outputs.shell import SHELL
from assay.workloads.outputs.whole import joined, whole
from assay.workloads.tools.iperf3 import text_line
from assay.workloads.tools.iperf3.stream import TOOL

_CONNECTING, _ACCEPTED = "Connecting to host ", "Accepted connection from "
_START = re.compile(rf"(.*?)(?:{_CONNECTING}|{_ACCEPTED}|Server listening on |iperf 3\.\d)")
_VERSION = re.compile(r"iperf (3\.\S+).*")
_ERROR = re.compile(r"iperf3: ((?:parameter )?error - .*|interrupt - .*|the (?:client|server) has .*|.*)")
_STOPPED_SERVER = "interrupt - the server has terminated"
_SEPARATOR = re.compile(r"(?:- )+-?")
_PASSED = re.compile(
    r"-{20,}|Server listening on \d+(?: \(test #\d+\))?"
    r"|\[ *\d+\] local \S+ port \d+ connected to \S+ port \d+"
    r"|Reverse mode, remote host \S+ is sending|Test Complete\. Summary Results:"
    r"|(?:Linux|Darwin|FreeBSD|NetBSD|OpenBSD|SunOS|CYGWIN\S*) .*|Control connection MSS \d+"
    r"|Setting UDP block size to \d+|Time: .*|(?:snd|rcv)_tcp_congestion \S+"
    r"| +(?:Cookie: \S+|TCP MSS: \d+(?: \(default\))?|Target Bitrate: \d+)"
    r"|Starting Test: protocol: .*"
    r"|warning: (?:UDP block size \d+ exceeds TCP MSS \d+, may result in fragmentation / drops"
    r"|Ignoring nonsense TCP MSS \d+|Block size \d+ > (?:sending|receiving) socket buffer size \d+)"
)
"""Lines that say what is run, and where, or warn of its options; none of them changes a figure."""
_CPU = re.compile(
    rf"CPU Utilization: local/\S+ ({NUMBER})% \(({NUMBER})%u/({NUMBER})%s\), "
    rf"remote/\S+ ({NUMBER})% \(({NUMBER})%u/({NUMBER})%s\)"
)
_SENT = re.compile(r"\[ *(\d+|SUM)\] Sent (\d+) datagrams")
_OUT_OF_ORDER = re.compile(rf"\[ *(\d+|SUM)\] +{NUMBER}-{NUMBER} +sec +(\d+) datagrams received out-of-order")
_CPU_WORDS = tuple(f"{end}_{word}" for end in ("host", "remote") for word in ("total", "user", "system"))


@dataclass
class _Part:
    """What one end says of one test."""

    server: bool
    columns: str | None = None
    separated: bool = False
    total: bool = False
    streams: set[str] = field(default_factory=set)
    totals: set[str] = field(default_factory=set)
    entries: list[Figure | Refused] = field(default_factory=list)


@dataclass
class _Test:
    """One test: what this end says, and what the server said where it was asked."""

    parts: list[_Part]
    done: bool = False


class _Reader:
    def __init__(self) -> None:
        self.tests: list[_Test] = []
        self.versions: list[str] = []

    def take(self, number: int, text: str) -> None:
        """Read one line.

        Raises:
            OutputError: it is not known, tells of an error, or stands where it cannot.
        """
        if (error := _ERROR.fullmatch(text)) is not None:
            if error[1] != _STOPPED_SERVER:
                raise OutputError(TOOL, number, f"iperf3 says '{error[1]:.80}'")
        elif (match := _VERSION.fullmatch(text)) is not None:
            self.versions.append(match[1])
        elif text.startswith((_CONNECTING, _ACCEPTED)):
            self._begin(server=text.startswith(_ACCEPTED))
        elif text and not SHELL.match(text) and not _PASSED.fullmatch(text) and not self._of_test(text):
            _unknown(number, text)

    def _begin(self, *, server: bool) -> None:
        asked = self.tests and len(self.tests[-1].parts) == 2 and not self.tests[-1].done
        if not (server and asked):  # the server's own words begin with the connection that it accepted
            self.tests.append(_Test([_Part(server)]))

    def _of_test(self, text: str) -> bool:
        test = self.tests[-1] if self.tests else None
        if test is None or test.done:
            return False
        if text == "iperf Done.":
            test.done = not test.parts[0].server
            return test.done
        if text == "Server output:":
            test.parts.append(_Part(server=True))
            return len(test.parts) == 2 and not test.parts[0].server
        return _of_part(test.parts[-1], text)


def _of_part(part: _Part, text: str) -> bool:
    if _SEPARATOR.fullmatch(text):
        part.separated = True
        return part.columns is not None
    if (header := text_line.HEADER.fullmatch(text)) is not None:
        part.columns, part.total = header[1] or "", part.separated
        return True
    if part.columns is None:
        return False
    if (row := text_line.row(text, columns=part.columns, total=part.total)) is not None:
        part.separated = False
        (part.totals if part.total else part.streams).add(row.stream)
        part.entries += row.entries()
        return True
    trailing = _behind(text) if part.total else []
    part.entries += trailing
    return bool(trailing)


def _behind(text: str) -> list[Figure]:
    """Return what stands behind the totals; empty where the line is not known."""
    if (match := _CPU.fullmatch(text)) is not None:
        names = (f"cpu_utilization_percent_{word}" for word in _CPU_WORDS)
        return [
            Figure(name, float(value), "%", Direction.LOWER)
            for name, value in zip(names, match.groups(), strict=True)
        ]
    for pattern, word, direction in (
        (_SENT, "sent_packets", None),
        (_OUT_OF_ORDER, "out_of_order", Direction.LOWER),
    ):
        if (match := pattern.fullmatch(text)) is not None:
            alone = match[1] == "SUM"
            labels = {} if alone else {"stream": match[1]}
            return [Figure(f"{'sum' if alone else 'udp'}_{word}", float(match[2]), "1", direction, labels)]
    return []


def read_text(text: str) -> ToolOutput:
    """Return all figures of iperf3's normal text; of several tests the label ``run`` tells which.

    Raises:
        OutputError: iperf3's own error, a line that is not known, a test that is cut off.
    """
    lines, reader = text.splitlines(), _Reader()
    for number, line in enumerate(_without_prefix(lines), start=1):
        reader.take(number, line)
    if not reader.tests:
        raise OutputError(TOOL, len(lines), "expected a test of iperf3's normal text, got none")
    for test in reader.tests:
        _check_whole(test, len(lines))
    version = reader.versions[0] if len(set(reader.versions)) == 1 else None
    return joined([whole(TOOL, version, _entries(test)) for test in reader.tests])


def _without_prefix(lines: list[str]) -> list[str]:
    """Return lines without the title (``--title``) and the time (``--timestamps``) that each begins with."""
    first = next((match for line in lines if (match := _START.match(line)) is not None), None)
    prefix = first[1] if first is not None else ""
    shape = _shape(prefix)
    cut = [line[len(prefix) :] if _shape(line[: len(prefix)]) == shape else line for line in lines]
    return [line.rstrip() if line.strip() != prefix.strip() else "" for line in cut]


def _shape(text: str) -> str:
    return re.sub(r"[A-Za-z]", "a", re.sub(r"\d", "0", text))


def _check_whole(test: _Test, last: int) -> None:
    """Refuse a test without the totals of its streams; at the client, without the last line.

    Raises:
        OutputError: it is cut off.
    """
    for part in test.parts:
        if not part.totals or part.streams - part.totals:
            raise OutputError(TOOL, last, "expected the totals of every stream, got none: it is cut off")
    if not test.parts[0].server and not test.done:
        raise OutputError(TOOL, last, "expected 'iperf Done.', got none: it is cut off")


def _entries(test: _Test) -> list[Figure | Refused]:
    own = [*test.parts[0].entries]
    for part in test.parts[1:]:
        own += [replace(entry, labels={**entry.labels, "reported_by": "server"}) for entry in part.entries]
    return own


def _unknown(number: int, text: str) -> NoReturn:
    raise OutputError(TOOL, number, f"expected a line of iperf3's normal text, got '{text.strip():.80}'")
