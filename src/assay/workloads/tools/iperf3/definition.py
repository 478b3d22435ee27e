"""Network by iperf3: one TCP stream to a peer, one back, or datagrams to it."""

from __future__ import annotations

from dataclasses import replace

from assay.model.metric import Direction, Measurement, Metric
from assay.model.work.tool_output import NOT_COMPARABLE, Figure, ToolOutput
from assay.model.work.workload import Workload
from assay.workloads.document import Document, read_document
from assay.workloads.parameters import Parameters
from assay.workloads.sizes import Sizes

RECEIVED = Metric("received", "Mbit/s", Direction.HIGHER, timed=False)
"""What the peer received, timed by the peer: the clock of the machine that runs the client is not in it."""
RECEIVED_HERE = Metric("received", "Mbit/s", Direction.HIGHER)
"""What the client received, timed by itself."""
RECEIVED_BACK = Metric("received_back", "Mbit/s", Direction.HIGHER)
"""The other direction of a bidirectional test."""
SECONDS = 3
DATAGRAM_BYTES = 1472
"""The payload that fills one Ethernet frame: 1,500 bytes less 20 of IPv4 and 8 of UDP."""
_BACK = "sum_received_bidir_reverse"


def workload(sizes: Sizes, given: Parameters) -> Workload:
    """Return the workload that sends to the peer; one stream, as iperf3 before 3.16 has one thread."""
    del sizes
    return _workload("iperf3", (), given, metric=RECEIVED)


def reverse_workload(sizes: Sizes, given: Parameters) -> Workload:
    """Return the workload that receives from the peer."""
    del sizes
    return _workload("iperf3-reverse", ("--reverse",), given, metric=RECEIVED_HERE)


def udp_workload(sizes: Sizes, given: Parameters) -> Workload:
    """Return the workload that sends datagrams, as many as go; what arrived is its figure."""
    del sizes
    options = ("--udp", "--bitrate", "0", "--length", str(DATAGRAM_BYTES))
    made = _workload("iperf3-udp", options, given, metric=RECEIVED)
    return replace(made, note=f"datagrams of {DATAGRAM_BYTES:,} bytes over UDP, as many as go")


def parse(output: bytes) -> tuple[Measurement, ...]:
    """Return what the receiving end got, Mbit/s (1 Mbit = 1,000,000 bit), from iperf3's JSON.

    It is always ``end.sum_received``: ``sum_sent`` counts what went into a socket's buffer, and the ``sum``
    of a UDP test is the sender's. A bidirectional test yields its way back as a second measurement.

    Raises:
        OutputError: iperf3's own error (its exit status is 0 even then), no receiver's report, nothing
            received, or both directions under one name (bidirectional tests of 3.7 to 3.10).
    """
    from assay.workloads.tools.iperf3.reader import read_report

    report = read_document(output, tool="iperf3")
    parsed = read_report(report)
    metric = RECEIVED_HERE if report.at("start", "test_start", "reverse") == 1 else RECEIVED
    forward = Measurement(metric, _received(report, parsed, "sum_received"))
    if report.at("end", _BACK) is None:
        return (forward,)
    return (forward, Measurement(RECEIVED_BACK, _received(report, parsed, _BACK)))


def _workload(name: str, options: tuple[str, ...], given: Parameters, *, metric: Metric) -> Workload:
    seconds = given.runtime_s or SECONDS
    return Workload(
        name=name,
        command=("iperf3", "--client", "{server}", "--time", str(seconds), "--json", *options),
        parser="iperf3",
        metrics=(metric,),
        program="iperf3",
        package="iperf3",
        needs_network=True,
        seconds=seconds,
        time_limit_s=300.0 + 2 * seconds,
        note="one TCP stream",
    )


def _received(report: Document, parsed: ToolOutput, name: str) -> float:
    for refused in parsed.refused:
        if refused.metric == name:
            report.fail(f"expected what was received in end.{name}, got {refused.reason}")
    for figure in parsed.measurements:
        if figure.metric == f"{name}_bits_per_second" and set(figure.labels) <= {NOT_COMPARABLE}:
            return _comparable(report, figure, name) / 1e6
    return report.fail(f"expected end.{name}, got none: the receiver's side was not reported")


def _comparable(report: Document, figure: Figure, name: str) -> float:
    if not figure.comparable:
        report.fail(f"expected what was received in end.{name}, got {figure.labels[NOT_COMPARABLE]}")
    return figure.value
