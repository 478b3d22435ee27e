"""Stand-ins for netperf's TCP_RR, TCP_CRR and UDP_RR by the probe's own kernels: a byte to the peer and back.

They are ours and not netperf: by its method one transaction is under way at a time, and the server is the
probe's, which stands beside iperf3's on the bench network and answers at that address alone. Every byte that
comes back is checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from assay.model.metric import Direction, Measurement, Metric
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
NAMES = tuple(_TESTS)
SERVED = 64
"""Connections that the probe's server serves at once, guests and copies together
(``probe/kernels/src/echo.rs``).
"""


def parse(name: str, output: bytes) -> tuple[Measurement, ...]:
    """Return the transactions a second of a kernel's report; see ``read_report``."""
    return read_report(name, (RATE,), output)


def needs_echo(workload: Workload) -> bool:
    """Tell whether a workload, ready or a user's own, runs one of these kernels and so needs the probe's
    server.
    """
    return _kernel(workload.command) in NAMES


def connects(name: str, command: tuple[str, ...]) -> bool:
    """Tell whether a ready workload of a name, or a user's own with a command, holds a connection to the
    probe's server.
    """
    return "udp-rr" != (_kernel(command) if command else name) in NAMES


def _kernel(command: tuple[str, ...]) -> str | None:
    probe, kernel, name = (*command, "", "", "")[:3]
    return name if (probe, kernel) == ("{probe}", "kernel") else None


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
