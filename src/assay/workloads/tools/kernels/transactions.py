"""Stand-ins for netperf's TCP_RR, TCP_CRR and UDP_RR by the probe's own kernels: a byte to the peer and back.

They are ours and not netperf: by its method one transaction is under way at a time, and the server is the
probe's, which stands beside iperf3's on the bench network and answers at that address alone. Every byte that
comes back is checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from assay.model.metric import Direction, Measurement, Metric
from assay.model.work.server import SHIPPED_PROBE, Server
from assay.model.work.workload import Workload
from assay.workloads.parameters import Parameters
from assay.workloads.sizes import Sizes
from assay.workloads.tools.kernels.definition import read_report

SECONDS = 3
RATE = Metric("transactions", "1/s", Direction.HIGHER)
_TESTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "tcp-rr": ("TCP_RR", "one byte there and back, over one connection"),
        "tcp-crr": ("TCP_CRR", "one byte there and back, a new connection each time"),
        "udp-rr": ("UDP_RR", "a datagram of one byte there and back"),
    }
)
"""Kernel -> netperf's test that it stands in for, and what it does."""
_SERVED = 64
"""Connections that the probe's server serves at once, guests and copies together
(``probe/kernels/src/echo.rs``).
"""
MOST: Mapping[str, int | None] = MappingProxyType({"tcp-rr": _SERVED, "tcp-crr": _SERVED, "udp-rr": None})
"""Clients of each kernel that are served at once; datagrams hold no connection."""
SERVER = Server(
    "echo",
    SHIPPED_PROBE,
    ("peer", "--bind", "{address}"),
    12866,  # probe/src/peer.rs
    {("{probe}", "kernel", name): most for name, most in MOST.items()},
)


def parse(name: str, output: bytes) -> tuple[Measurement, ...]:
    """Return the transactions a second of a kernel's report; see ``read_report``."""
    return read_report(name, (RATE,), output)


def workload(name: str, sizes: Sizes, given: Parameters) -> Workload:
    """Return the workload of a kernel: a byte to the peer and back for some seconds."""
    del sizes
    test, does = _TESTS[name]
    seconds = given.runtime_s or SECONDS
    return Workload(
        name=name,
        command=("{probe}", "kernel", name, "--server", "{server}", "--seconds", str(seconds)),
        parser=name,
        metrics=(RATE,),
        needs_network=True,
        seconds=seconds,
        time_limit_s=300.0 + 2 * seconds,
        note=f"a stand-in for netperf's {test} by the probe's own kernel: {does}",
    )
