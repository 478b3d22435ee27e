"""Files of the host's kernel as factors: what is written, what is seen, and what forbids it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Act, Cost, Factor, always_possible
from assay.factors.base.kernel_files import chosen
from assay.factors.base.levels import Levels

AS_ON_HOST = "as the host has it"
_NOT_THERE = "not there"


@dataclass(frozen=True)
class KernelFile:
    """A file that holds a level as it is written.

    Attributes:
        path: Absolute.
        lacking: What a host without the file lacks, one clause.
        barred: Returns what else speaks against a level, one clause; ``None`` for nothing.
    """

    path: str
    lacking: str
    barred: Callable[[Host, str | None], str | None] = always_possible

    def acts(self, _host: Host, level: str) -> tuple[Act, ...]:
        """Return the write of a level."""
        return (Act(self.path, level),)

    def actual(self, seen: Evidence, _wanted: str) -> str:
        """Return what the file says."""
        return chosen(seen.host.read(self.path)) or _NOT_THERE

    def needs(self, host: Host, level: str | None) -> str | None:
        """Return why a level cannot be had."""
        if host.read(self.path) is None:
            return self.lacking
        return self.barred(host, level) or why_not_written(host, self.path, level)


def why_not_written(host: Host, path: str, level: str | None) -> str | None:
    """Return why a file cannot be made to hold a level; ``None`` where it does already, or can be."""
    if host.writable(path) or (level is not None and chosen(host.read(path)) == level):
        return None
    if host.root:
        return f"this kernel lets {path} be read only"
    return "only root may change it" if level is None else f"only root may: {Act(path, level).typed}"


def one_node(host: Host) -> str | None:
    """Return why what concerns several memory nodes cannot take effect; ``None`` where there are some."""
    return None if len(host.nodes) > 1 else "this machine has one memory node: it would have no effect"


def host_factor(name: str, title: str, levels: Levels, file: KernelFile, **more: Any) -> Factor:
    """Return the factor of one file; ``more`` are fields of the factor that are not those of the file."""
    own = {"actual": file.actual, "acts": file.acts, "needs": file.needs}
    fields = {**own, "files": (file.path,), "verified": file.path, **more}
    return Factor(name, title, levels, AS_ON_HOST, file.path, cost=Cost.LIVE, **fields)
