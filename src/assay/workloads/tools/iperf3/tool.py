"""iperf3: one stream to a peer or from it, or datagrams, and the reader of its outputs."""

from __future__ import annotations

import re

from assay.workloads.tool import OutputReader, ReadyWorkload, Tool, Work
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
            most_copies=1,
        )
        for name, does, make in (
            ("iperf3", "one TCP stream to a peer", definition.workload),
            ("iperf3-reverse", "one TCP stream from a peer", definition.reverse_workload),
            ("iperf3-udp", "datagrams to a peer, as many as go", definition.udp_workload),
        )
    ),
    readers=(
        OutputReader(
            "iperf3",
            "its JSON (--json, and --json-stream of 3.17) and normal text, versions 3.0 to 3.17, "
            "TCP, UDP, SCTP.",
            "assay.workloads.tools.iperf3.reader",
            json=True,
            last_line=re.compile(rb"iperf Done\.\s*\n"),
        ),
    ),
)
