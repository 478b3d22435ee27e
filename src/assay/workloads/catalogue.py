"""The tools by name: those of the package, a line each, and those of plug-ins."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from assay.model import plugins
from assay.model.errors import MissingError, UnknownNameError
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


@dataclass(frozen=True)
class _Catalogue:
    """Workloads and readers by name, and what of plug-ins is left out."""

    workloads: Mapping[str, ReadyWorkload]
    readers: Mapping[str, OutputReader]
    faults: tuple[str, ...] = ()


def _names(every: tuple[Tool, ...]) -> _Catalogue:
    return _Catalogue(
        MappingProxyType({one.name: one for tool in every for one in tool.workloads}),
        MappingProxyType({one.name: one for tool in every for one in tool.readers}),
    )


_OWN = _names(TOOLS)
OWN_WORKLOADS, OWN_READERS = tuple(_OWN.workloads), tuple(_OWN.readers)
"""Names of the package's own, as the schema of scene files has them."""


@functools.cache
def _all() -> _Catalogue:
    """Return the package's own tools and those of plug-ins; a name that is taken leaves a plug-in out."""
    found = plugins.load(plugins.TOOLS, Tool)
    workloads, readers = dict(_OWN.workloads), dict(_OWN.readers)
    faults = list(found.faults)
    for name, tool in found.values.items():
        added = _names((tool,))
        taken = sorted({*(added.workloads.keys() & workloads), *(added.readers.keys() & readers)})
        if taken:
            faults.append(f"plug-in '{name}': there is a '{taken[0]}' already")
            continue
        workloads |= added.workloads
        readers |= added.readers
    return _Catalogue(MappingProxyType(workloads), MappingProxyType(readers), tuple(faults))


def ready_names() -> tuple[str, ...]:
    """Return the names of all ready workloads, in the order shown, those of plug-ins last."""
    return tuple(_all().workloads)


def reader_names() -> tuple[str, ...]:
    """Return the names of all tools whose output can be read, those of plug-ins last."""
    return tuple(_all().readers)


def plugin_faults() -> tuple[str, ...]:
    """Return why plug-ins of tools are left out, one clause each."""
    return _all().faults


def ready(name: str) -> ReadyWorkload:
    """Return a ready workload.

    Raises:
        UnknownNameError: no ready workload of that name.
        MissingError: none, and a plug-in that may bring it cannot be loaded.
    """
    if (found := measured_by(name)) is None:
        kind = "workload"
        raise _unknown(kind, name, ready_names())
    return found


def reader(tool: str) -> OutputReader:
    """Return the reader of a tool's output.

    Raises:
        UnknownNameError: no reader of that name.
        MissingError: none, and a plug-in that may bring it cannot be loaded.
    """
    if (found := read_by(tool)) is None:
        kind = "tool"
        raise _unknown(kind, tool, reader_names())
    return found


def measured_by(parser: str) -> ReadyWorkload | None:
    """Return the ready workload that measures what has a parser; ``None`` of a user's own, or of a plug-in that is gone.

    Args:
        parser: ``Workload.parser``, as a plan or a record has it.
    """
    if parser in _OWN.workloads:
        return _OWN.workloads[parser]
    return None if parser == USAGE else _all().workloads.get(parser)


def read_by(tool: str) -> OutputReader | None:
    """Return the reader of a tool's output; ``None`` where there is none, or its plug-in is gone."""
    return _OWN.readers.get(tool) or _all().readers.get(tool)


def _unknown(kind: str, name: str, known: tuple[str, ...]) -> UnknownNameError | MissingError:
    if faults := plugin_faults():
        msg = f"cannot find the {kind} '{name}': {faults[0]}"
        return MissingError(msg, hint="repair or uninstall the package of the plug-in")
    return UnknownNameError(kind, name, known, hint="assay workload list")
