"""What settings would write on a host, and what would take it back: said before anything is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Act, Settings
from assay.factors.base.kernel_files import chosen
from assay.factors.catalogue import FACTORS, LevelCheck, verify


@dataclass(frozen=True)
class PlannedAct:
    """One write to the host with its undo.

    Attributes:
        factor: ``host.thp``.
        level: The level that it puts in force.
        act: The write.
        before: What the file says now.
    """

    factor: str
    level: str
    act: Act
    before: str

    @property
    def undo(self) -> tuple[Act, ...]:
        """The writes that take it back, in this order, each only where its file says something else."""
        return self.act.undo or (Act(self.act.path, self.before),)

    @property
    def in_force(self) -> bool:
        """The file says it already: nothing is written, unless somebody changes it meanwhile."""
        return self.before == self.act.value


def planned_acts(settings: Settings, on: Host) -> tuple[PlannedAct, ...]:
    """Return the writes that settings ask of a host, in the order in which they are made; undone in reverse.

    Args:
        settings: Levels that nothing speaks against (``catalogue.refused``); those of guests are passed over.
        on: The host; only read.
    """
    return tuple(
        PlannedAct(name, settings[name], act, chosen(on.read(act.path)))
        for name, factor in FACTORS.items()
        if name in settings and factor.acts is not None
        for act in factor.acts(on, settings[name])
    )


def host_part(settings: Settings) -> dict[str, str]:
    """Return the settings of the host among settings."""
    return {name: level for name, level in settings.items() if FACTORS[name].of_host}


def verify_host(settings: Settings, on: Host) -> tuple[LevelCheck, ...]:
    """Return for each of the host's settings what is in force, where no guest runs to look at."""
    return verify(host_part(settings), cast("Evidence", _HostAlone(on)))


@dataclass(frozen=True)
class _HostAlone:
    """Evidence of a host without a guest: what its settings look at."""

    host: Host
