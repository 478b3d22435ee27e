"""A container as a place: made for one visit, and gone with the process that made it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import ClassVar

from assay.activities.places.shared import Shared
from assay.activities.visits.contained import container_visit, make_container
from assay.activities.visits.visit import Visit
from assay.model.activity import PlannedArm
from assay.model.platforms.layout import GuestShare, shares
from assay.model.trial import PlannedTrial
from assay.platforms.containers.leftover import end_own_containers


@dataclass(frozen=True)
class ContainerPlace:
    """A container on this machine (``Place``)."""

    arm: PlannedArm
    shared: Shared

    stands: ClassVar[bool] = False
    watched: ClassVar[bool] = False

    def prepare(self) -> None:
        """Nothing: its runtime has been tried with the plan."""

    @contextmanager
    def open(self, trial: PlannedTrial) -> Iterator[Visit]:
        """Make a container, and remove it after the visit."""
        with ExitStack() as stack:
            parts = shares(self.arm.layout, self.arm.limits.cpus, self.arm.limits.memory_bytes or 0)
            first, *others = (stack.enter_context(self._one(trial.block, part, len(parts))) for part in parts)
            first.beside = tuple(others)
            yield first

    @contextmanager
    def _one(self, block: int, share: GuestShare, of: int) -> Iterator[Visit]:
        """Make a container and visit it; one of several has a folder of its own."""
        shared, network = self.shared, self.shared.network
        own = f"-{share.number}" if of > 1 else ""
        container = make_container(
            self.arm,
            share,
            name=f"{shared.name(block)}{own}",
            activity=shared.plan.id,
            home=shared.home,
            network=network.client_namespace if network else None,
        )
        try:
            with container_visit(
                container, self.arm.label, shared.plan.id, home=shared.home, own=own
            ) as visit:
                visit.server = network.server_address if network else None
                visit.cache = self.arm.cache
                yield visit
        finally:
            with shared.interrupts.held():
                container.remove()

    @contextmanager
    def reopen(self, trial: PlannedTrial, made: str | None) -> Iterator[Visit | None]:
        """Yield ``None``: it ended with the process that started it."""
        del trial, made
        yield None

    def end(self, made: str) -> None:
        """Nothing is left to be ended by its name."""

    def clear(self) -> None:
        """End what is left of this activity's containers."""
        end_own_containers(self.shared.home, self.shared.plan.id)
