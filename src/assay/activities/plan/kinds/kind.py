"""A kind of place as planning sees it: which arms a scene of it has, and what they take of the disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from assay.activities.plan.arms import Arms, ImageOf
from assay.activities.visits.cpu_allocation import Cores, share_cores
from assay.factors.base.evidence import Host
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.machines.machine import Facts, Machine, Reach
from assay.scenes import Scene
from assay.store.store import Store


@dataclass(frozen=True)
class Asked:
    """What a scene asks for, and where.

    Attributes:
        scene: The scene.
        here: Facts of the baseline's machine.
        machine: The baseline's machine.
        home: Folder of all state.
        store: Inventory of machines.
        image: Tells the digest of the image that a guest boots.
        host: The baseline's machine as factors see it, where it is this one, or a recorded one.
    """

    scene: Scene
    here: Facts
    machine: Machine
    home: Path
    store: Store
    image: ImageOf
    host: Host

    @property
    def local(self) -> bool:
        """Whether the baseline's machine is this one."""
        return self.machine.reach is Reach.LOCAL

    def cores(self, wanted: int | None = None, *, of: Facts | None = None, baseline: bool = False) -> Cores:
        """Return how the processors of a machine are shared out.

        Args:
            wanted: How many of them are asked for; ``None`` is all that an arm may have.
            of: The machine; ``None`` is the baseline's.
            baseline: Those of the baseline, which may have others.

        Raises:
            MissingError: The machine has too few.
        """
        scene = self.scene
        spec = (scene.baseline_processors if baseline else None) or scene.processors
        return share_cores(of or self.here, wanted, spec=spec, controller=scene.controlled)

    @property
    def other(self) -> Machine:
        """The machine that the first treatment is."""
        return self.store.machine(self.scene.machines[0].machine)


@dataclass(frozen=True)
class OwnDisk:
    """A disk, or a file system, that an arm has for itself.

    Attributes:
        name: What it is.
        room_bytes: The most that it has room for; ``None`` where it is made as large as its files want.
        instead: What else to use.
        holds_data: The arm's copy of the data lies on it.
    """

    name: str
    room_bytes: int | None
    instead: str
    holds_data: bool


class PlaceKind(Protocol):
    """What planning asks of a kind of place; ``activities.places`` opens what was planned."""

    def arms(self, asked: Asked) -> Arms:
        """Return the arms of a scene whose treatment is of this kind.

        Raises:
            MissingError: A machine lacks processors, memory, a program or a level.
            UnreachableError: A machine cannot be reached.
        """

    def visit_bytes(self, plan: ActivityPlan, arm: PlannedArm, home: Path) -> int:
        """Return what a visit takes of the disk of assay's state, beside the data and file systems of its
        own.
        """

    def own_disk(self, arm: PlannedArm, home: Path) -> OwnDisk | None:
        """Return the disk that is the arm's own; ``None`` where its jobs write on that of assay's state."""
