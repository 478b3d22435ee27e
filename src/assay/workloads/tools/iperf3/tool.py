"""iperf3: one stream to a peer or from it, or datagrams, and the reader of its outputs."""

from __future__ import annotations

import re

from assay.model.work.server import Server
from assay.workloads.tool import OutputReader, ReadyWorkload, Stream, Tool, Work
from assay.workloads.tools.iperf3 import definition

IPERF3 = Tool(
    "iperf3",
    workloads=tuple(
        ReadyWorkload(
            name,
            f"Network by iperf3: {does}.",
            make,
            definition.parse,
            parameters=("runtime",),
            work=Work.KERNEL,
            stream=stream,
            most_copies=1,
        )
        for name, does, make, stream in (
            ("iperf3", "one TCP stream to a peer", definition.workload, Stream.SENT),
            ("iperf3-reverse", "one TCP stream from a peer", definition.reverse_workload, Stream.RECEIVED),
            ("iperf3-udp", "datagrams to a peer, as many as go", definition.udp_workload, None),
        )
    ),
    readers=(
        OutputReader(
            "iperf3",
            "its JSON (--json, and --json-stream of 3.17) and normal text, versions 3.0 to 3.17, "
            "TCP, UDP, SCTP.",
            "assay.workloads.tools.iperf3.reader",
            json=True,
            of_network=True,
            last_line=re.compile(rb"iperf Done\.\s*\n"),
        ),
    ),
    server=Server(
        "iperf3",
        "iperf3",
        ("--server", "--bind", "{address}"),
        5201,  # iperf3's own default port
        {("iperf3",): 1},
        package="iperf3",
        always=True,
    ),
)
