"""Network by netperf: a stream over TCP or UDP, and transactions over one connection or a new one each.

In Debian 12 netperf is not free: it runs where it is installed and is never part of anything here. Its server
stands beside iperf3's on the bench network. What was sent by UDP and what arrived are two figures; what
arrived is the network's.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from assay.model.metric import Direction, Measurement, Metric
from assay.model.work.workload import Workload
from assay.workloads.errors import OutputError
from assay.workloads.parameters import Parameters
from assay.workloads.sizes import Sizes
from assay.workloads.tools.iperf3.definition import DATAGRAM_BYTES

TOOL = "netperf"
SECONDS = 3
_SENT = Metric("sent", "Mbit/s", Direction.HIGHER)
_RECEIVED = Metric("received", "Mbit/s", Direction.HIGHER, timed=False)
"""What the peer received, by its clock."""
_RATE = Metric("transactions", "1/s", Direction.HIGHER)
_TESTS: Mapping[str, tuple[str, tuple[tuple[str, Metric], ...]]] = MappingProxyType(
    {
        "netperf-tcp-stream": ("TCP_STREAM", (("throughput", _SENT),)),
        "netperf-tcp-rr": ("TCP_RR", (("transaction_rate", _RATE),)),
        "netperf-tcp-crr": ("TCP_CRR", (("transaction_rate", _RATE),)),
        "netperf-udp-stream": (
            "UDP_STREAM",
            (("sent_throughput", _SENT), ("received_throughput", _RECEIVED)),
        ),
        "netperf-udp-rr": ("UDP_RR", (("transaction_rate", _RATE),)),
    }
)
"""Workload -> netperf's test, and metric of its output -> ours. Of TCP_STREAM netperf tells what the sender
gave away.
"""
NAMES = tuple(_TESTS)
_NOTES = {
    "TCP_STREAM": "one TCP stream to the peer",
    "TCP_RR": "one byte there and back, over one connection",
    "TCP_CRR": "one byte there and back, a new connection each time",
    "UDP_STREAM": "datagrams of 1,472 bytes, as many as go",
    "UDP_RR": "one byte there and back, a datagram each",
}
_DATAGRAM = ("--", "-m", str(DATAGRAM_BYTES))
"""Larger ones are cut up, and the loss of one piece is that of all."""


def workload(name: str, sizes: Sizes, given: Parameters) -> Workload:
    """Return the workload of one of netperf's tests; it takes some seconds whatever the arm."""
    del sizes
    test, figures = _TESTS[name]
    seconds = given.runtime_s or SECONDS
    datagram = _DATAGRAM if test == "UDP_STREAM" else ()
    return Workload(
        name=name,
        command=("netperf", "-H", "{server}", "-t", test, "-l", str(seconds), *datagram),
        parser=name,
        metrics=tuple(metric for _, metric in figures),
        program="netperf",
        package="netperf",
        needs_network=True,
        seconds=seconds,
        time_limit_s=300.0 + 2 * seconds,
        note=_NOTES[test],
    )


def parse(name: str, output: bytes) -> tuple[Measurement, ...]:
    """Return the figures of one test.

    Raises:
        OutputError: netperf's own error, another test, or another unit.
    """
    from assay.workloads.tools.netperf import reader

    test, figures = _TESTS[name]
    by_metric = {figure.metric: figure for figure in reader.read(output).measurements}
    measurements: list[Measurement] = []
    for metric, ours in figures:
        figure = by_metric.get(metric)
        if figure is None or figure.labels.get("test") != test:
            raise OutputError(TOOL, None, f"expected '{metric}' of {test}, got none")
        if figure.unit not in ("10^6bits/s", "Trans/s"):
            raise OutputError(TOOL, None, f"expected '{metric}' in 10^6bits/s or Trans/s, got {figure.unit}")
        measurements.append(Measurement(ours, figure.value))
    return tuple(measurements)
