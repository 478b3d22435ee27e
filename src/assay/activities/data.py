"""The activity's data brought to each arm for a visit, and taken away at its end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from assay.activities.events import Watcher
from assay.activities.interrupts import Interrupts
from assay.activities.stage import Stage
from assay.factors.data_share import SHARES
from assay.model.activity import ActivityPlan, Side
from assay.model.data import LOCAL, access
from assay.platforms.network import BenchNetwork


def needs_servers(plan: ActivityPlan) -> bool:
    """Tell whether an arm reads the data from a server on the bench network."""
    return plan.data is not None and any(
        access(side.data) not in {LOCAL, *SHARES} for side in (plan.baseline, *plan.treatments)
    )


class DataVenue:
    """The data on this machine and their servers, for the time of an activity."""

    def __init__(
        self, plan: ActivityPlan, home: Path, watcher: Watcher, stack: ExitStack, interrupts: Interrupts
    ) -> None:
        self._plan, self._home, self._watcher = plan, home, watcher
        self._stack, self._interrupts = stack, interrupts

    def open(self, network: BenchNetwork | None, cpus: tuple[int, ...]) -> None:
        """Lay the data out and start the servers that an arm reads them from."""

    @contextmanager
    def brought(self, stage: Stage, side: Side) -> Iterator[None]:
        """Let a stage see the data as its arm shall, for a visit."""
        yield
