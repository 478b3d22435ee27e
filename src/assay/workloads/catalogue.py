"""The tools by name: those of the package, a line each, and those of plug-ins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.model import plugins
from assay.model.work.server import Server
from assay.workloads.command import USAGE
from assay.workloads.tool import OutputReader, ReadyWorkload, Tool
from assay.workloads.tools.bonnie.tool import BONNIE
from assay.workloads.tools.chain.tool import CHAIN
from assay.workloads.tools.data_read.tool import DATA_READ
from assay.workloads.tools.db12.tool import DB12
from assay.workloads.tools.fio.tool import FIO
from assay.workloads.tools.geant4.tool import GEANT4
from assay.workloads.tools.gnu_time.tool import GNU_TIME
from assay.workloads.tools.hep.tool import HEP
from assay.workloads.tools.hyperfine.tool import HYPERFINE
from assay.workloads.tools.iozone.tool import IOZONE
from assay.workloads.tools.iperf3.tool import IPERF3
from assay.workloads.tools.kernels.tool import KERNELS
from assay.workloads.tools.lmbench.tool import LMBENCH
from assay.workloads.tools.netperf.tool import NETPERF
from assay.workloads.tools.nmon.tool import NMON
from assay.workloads.tools.perf.tool import PERF
from assay.workloads.tools.prmon.tool import PRMON
from assay.workloads.tools.root_analysis.tool import ROOT_ANALYSIS
from assay.workloads.tools.stream.tool import STREAM
from assay.workloads.tools.stress_ng.tool import STRESS_NG
from assay.workloads.tools.sysbench.tool import SYSBENCH

TOOLS = (
    *(SYSBENCH, KERNELS, FIO, IPERF3, IOZONE, BONNIE, NETPERF, STRESS_NG, DB12, HEP, CHAIN, ROOT_ANALYSIS),
    *(GEANT4, DATA_READ, STREAM, LMBENCH, HYPERFINE, PERF, PRMON, NMON, GNU_TIME),
)
"""The package's own, in the order shown."""


def _workloads(tools: Iterable[Tool]) -> dict[str, ReadyWorkload]:
    return {one.name: one for tool in tools for one in tool.workloads}


def _readers(tools: Iterable[Tool]) -> dict[str, OutputReader]:
    return {one.name: one for tool in tools for one in tool.readers}


def _servers(tools: Iterable[Tool]) -> dict[str, Server]:
    return {tool.server.name: tool.server for tool in tools if tool.server is not None}


def _added() -> plugins.Plugins[Tool]:
    return plugins.load(plugins.TOOLS, Tool)


WORKLOADS = plugins.Catalogue(
    "workload",
    _workloads(TOOLS),
    lambda: plugins.Plugins(_workloads(_added().values.values()), _added().faults),
    hint="assay workload list",
)
"""Every ready workload by name, in the order shown."""

READERS = plugins.Catalogue(
    "tool",
    _readers(TOOLS),
    lambda: plugins.Plugins(_readers(_added().values.values()), _added().faults),
    hint="assay workload list",
)
"""Every reader of outputs by the name of its tool."""

SERVERS = plugins.Catalogue(
    "server",
    _servers(TOOLS),
    lambda: plugins.Plugins(_servers(_added().values.values()), _added().faults),
)
"""Every server that clients are measured against, by name."""


def server_of(command: Sequence[str]) -> Server | None:
    """Return the server whose client a command is; ``None`` where it names no ``{server}``, or no tool is
    known to have one for it.

    Args:
        command: Argument list of a ready workload or of a user's own.
    """
    if not any("{server}" in word for word in command):
        return None  # plug-ins need not be looked for
    return next((one for one in SERVERS.values() if one.serves(command)), None)


def most_clients(command: Sequence[str]) -> int | None:
    """Return how many clients with a command their server serves at once; ``None`` where nothing is known to
    limit them.
    """
    server = server_of(command)
    return None if server is None else server.most_clients(command)


def measured_by(parser: str) -> ReadyWorkload | None:
    """Return the ready workload that measures what has a parser; ``None`` of a user's own, or of a plug-in
    that is gone.

    Args:
        parser: ``Workload.parser``, as a plan or a record has it.
    """
    return WORKLOADS[parser] if parser != USAGE and parser in WORKLOADS else None
