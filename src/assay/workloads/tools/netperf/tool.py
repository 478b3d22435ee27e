"""netperf: streams and transactions by TCP and UDP, and the reader of its outputs."""

from __future__ import annotations

from functools import partial

from assay.model.work.server import Server
from assay.workloads.tool import OutputReader, ReadyWorkload, Stream, Tool, Work
from assay.workloads.tools.netperf import definition

_DOES = {
    "netperf-tcp-stream": "one TCP stream to a peer",
    "netperf-tcp-rr": "a byte there and back over one TCP connection",
    "netperf-tcp-crr": "a byte there and back, a new TCP connection each time",
    "netperf-udp-stream": "datagrams to a peer, as many as go; sent and received",
    "netperf-udp-rr": "a byte there and back, a datagram each",
}

NETPERF = Tool(
    "netperf",
    workloads=tuple(
        ReadyWorkload(
            name,
            f"Network by netperf: {does}.",
            partial(definition.workload, name),
            partial(definition.parse, name),
            parameters=("runtime",),
            work=Work.KERNEL,
            stream=Stream.SENT if name == "netperf-tcp-stream" else None,
        )
        for name, does in _DOES.items()
    ),
    readers=(
        OutputReader(
            "netperf",
            "netperf 2.7, and earlier where it prints alike: classic tables, and omni's keys, "
            "commas and tables.",
            "assay.workloads.tools.netperf.reader",
            of_network=True,
        ),
    ),
    # Source: netperf's manual, "The Control Connection", 2.7.0.
    server=Server(
        "netserver",
        "netserver",
        ("-D", "-L", "{address}"),
        12865,
        {("netperf",): None},
        package="netperf",
    ),
)
