"""What an activity was asked to do; fixed when it is created."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeVar

from assay.model.extension import Ended, Extension
from assay.model.figures.published import PublishedSpec
from assay.model.goal import Goal
from assay.model.machines.floor import SiteFloor
from assay.model.machines.machine import Limits, Machine, Reach
from assay.model.machines.processors import Controller
from assay.model.platforms.container import PlannedContainer
from assay.model.platforms.data import DataSet
from assay.model.platforms.existing import DomainSpec
from assay.model.platforms.layout import Layout
from assay.model.platforms.plugin_place import PluginPlace
from assay.model.trial import Arm, PlannedTrial
from assay.model.work.observation import Observation
from assay.model.work.page_cache import CacheState
from assay.model.work.scripts import Scripts
from assay.model.work.workload import Workload

_ID = re.compile(r"[0-9a-f]{8}")


def is_activity_id(text: str) -> bool:
    """Tell whether a text is spelled as the ids of activities are: eight hexadecimal digits in lower case."""
    return _ID.fullmatch(text) is not None


class ActivityState(StrEnum):
    """Life of an activity; ``RUNNING`` without a living process means that it was cut off."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"
    COMPLETE = "complete"
    PARTIAL = "partial"
    FAILED = "failed"


@dataclass(frozen=True)
class PlannedGuest:
    """The guest that the scene asks for, with sizes filled in.

    Attributes:
        vcpus: Number of virtual processors.
        memory_bytes: Its memory.
        disk_cache: libvirt's cache mode.
        image: Digest of the image's recipe.
        settings: Levels of its further factors by name, as the catalogue spells them.
        layout: How many guests share these processors and this memory; they are those of all of them
            together.
        packages: Debian packages that the image has beside the site's.
        restored: It comes from a saved state in each visit, instead of booting.
        release: Codename of the image's release; ``None`` is that of the machine on which it was built.
    """

    vcpus: int
    memory_bytes: int
    disk_cache: str
    image: str
    settings: tuple[tuple[str, str], ...] = ()
    layout: Layout = field(default_factory=Layout)
    packages: tuple[str, ...] = ()
    restored: bool = False
    release: str | None = None


@dataclass(frozen=True)
class Beside:
    """A further machine that does each trial of an arm together with the arm's own.

    Attributes:
        machine: How it is reached.
        limits: What its part of a trial may use.
    """

    machine: Machine
    limits: Limits


PlannedPlace = PlannedGuest | PlannedContainer | DomainSpec | PluginPlace | Machine
P = TypeVar("P", bound=PlannedPlace)


@dataclass(frozen=True)
class PlannedArm:
    """One arm as planned: where it runs and within which limits.

    Attributes:
        label: Short name for tables, ``host``, ``guest``, a machine's name.
        machine: The machine; for a guest, the one that carries it.
        limits: What its trials may use.
        guest: The guest to make; ``None`` runs on the machine itself.
        cache: State of the workloads' files at the start, whatever they say; ``None`` leaves it to them.
        host_settings: Levels of the host's factors that hold while a visit of this arm lasts.
        container: The container to make on the machine; ``None`` for none.
        data: Levels of how the arm comes by the activity's data; without one of ``data.access`` from its own
            disk.
        domain: The libvirt domain that the machine is, used as it is; ``None`` where that is not said.
        plugin: The place of a plug-in to open on the machine; ``None`` for none.
        threads_per_core: Most processors of one core that it has; 1 in plans that did not say so yet.
        over: Level of the treatment that its losses are over: the machine that carries it, where that is not
            the baseline's, or comes by the data in the same way; ``None`` is the baseline.
        beside: Further machines that do each trial together with ``machine``.
    """

    label: str
    machine: Machine
    limits: Limits
    guest: PlannedGuest | None = None
    cache: CacheState | None = None
    host_settings: tuple[tuple[str, str], ...] = ()
    container: PlannedContainer | None = None
    data: tuple[tuple[str, str], ...] = ()
    domain: DomainSpec | None = None
    plugin: PluginPlace | None = None
    threads_per_core: int = 1
    over: int | None = None
    beside: tuple[Beside, ...] = ()

    @property
    def place(self) -> PlannedPlace:
        """What its trials run in; its type is the kind of place."""
        return self.guest or self.container or self.domain or self.plugin or self.machine

    @property
    def on_machine(self) -> bool:
        """Whether its trials run on the machine itself, with no guest, no container and no place of a
        plug-in.
        """
        return self.place is self.machine

    def place_as(self, kind: type[P]) -> P:
        """Return what its trials run in, which is of a kind.

        Raises:
            TypeError: It is of another kind: a mistake in assay.
        """
        if not isinstance(self.place, kind):
            msg = f"BUG: {self.label} is no {kind.__name__}"
            raise TypeError(msg)
        return self.place

    @property
    def guest_settings(self) -> tuple[tuple[str, str], ...]:
        """Levels of its guest's further factors; empty without one."""
        return () if self.guest is None else self.guest.settings

    @property
    def restored(self) -> bool:
        """Whether its guest comes from a saved state in each visit."""
        return self.guest is not None and self.guest.restored

    @property
    def boots(self) -> bool:
        """Whether a guest boots for each of its visits."""
        return self.guest is not None and not self.guest.restored

    @property
    def parts(self) -> int:
        """Into how many parts the work of a trial is cut: guests or containers of its layout, or machines."""
        return self.layout.guests * (1 + len(self.beside))

    @property
    def each_machine(self) -> tuple[PlannedArm, ...]:
        """The arm as each of its machines alone, its own first."""
        alone = replace(self, beside=())
        return (alone, *(replace(alone, machine=one.machine, limits=one.limits) for one in self.beside))

    @property
    def layout(self) -> Layout:
        """How many guests or containers share what it has; without any as with one."""
        made = self.guest or self.container
        return Layout() if made is None else made.layout


def visits_of(treatments: Sequence[PlannedArm]) -> tuple[int, ...]:
    """Return how often a block visits each treatment: one that others are measured over as often as the
    baseline.
    """
    hosts = {arm.over for arm in treatments}
    return tuple(2 if level in hosts else 1 for level in range(len(treatments)))


@dataclass(frozen=True)
class Sharing:
    """How the baseline's machine is shared out between arms, controller and host.

    Attributes:
        controller: Where the controller runs.
        kept: The core that is the controller's own; empty where it has none.
        processors: All that the machine has.
        memory_bytes: All the memory that it has.
        guests_bytes: Memory of the guests of one arm, of the one that has most, beside the pools of huge
            pages that arms have theirs from; 0 without guests.
        host_bytes: What the host should keep beside them: as said, or computed.
    """

    controller: Controller
    kept: tuple[int, ...]
    processors: tuple[int, ...]
    memory_bytes: int
    guests_bytes: int
    host_bytes: int


@dataclass(frozen=True)
class ActivityPlan:
    """All that is needed to run an activity, to resume it and to analyse it again.

    Attributes:
        id: Eight hexadecimal digits, also the result's name.
        scene: Name of the scene.
        title: The scene's title.
        scene_digest: Content hash of the scene.
        scene_text: The scene's source text.
        command: The user's own command line where there is one.
        created_ns: Wall clock at creation, ns since 1970.
        seed: Seed of the order of trials.
        confidence: Coverage of intervals.
        margin: Loss that does not matter, a ratio.
        blocks: Number of blocks, or the most of them where ``goal`` may end it earlier.
        baseline: The baseline arm.
        treatment: The treatment arm.
        workloads: What runs, filled in.
        trials: The order of trials.
        doubts: Code and sentence of what was known to be doubtful from the start.
        observation: What is looked at in every trial.
        goal: When it has measured enough.
        floor: The A/A history of the machine when it was planned or last extended; ``None`` where there is
            none.
        proof_of: Result of whose proof this is a run; ``None`` for every other activity.
        more: Further treatments of a sweep, visited in the same blocks as the first.
        data: What its workloads read beside their inputs; ``None`` for nothing.
        published: Published figures that lie beside its own; ``None`` where plans did not say so yet.
        scale: Scale of the scene; ``None`` is as written.
        extended: Blocks that were added after it had finished, in that order.
        ended: How it ended before its last block; ``None`` where it did not, or has not yet.
        sharing: How the machine is shared out; ``None`` where plans did not say so yet.
        scripts: Commands around the trials, by role; their inputs as absolute paths.
    """

    id: str
    scene: str
    title: str
    scene_digest: str
    scene_text: str
    command: str | None
    created_ns: int
    seed: int
    confidence: float
    margin: float
    blocks: int
    baseline: PlannedArm
    treatment: PlannedArm
    workloads: tuple[Workload, ...]
    trials: tuple[PlannedTrial, ...]
    doubts: tuple[tuple[str, str], ...] = ()
    observation: Observation = field(default_factory=Observation)
    goal: Goal = field(default_factory=Goal)
    floor: SiteFloor | None = None
    proof_of: str | None = None
    more: tuple[PlannedArm, ...] = ()
    data: DataSet | None = None
    published: tuple[PublishedSpec, ...] | None = None
    scale: str | None = None
    extended: tuple[Extension, ...] = ()
    ended: Ended | None = None
    sharing: Sharing | None = None
    scripts: tuple[Scripts, ...] = ()

    @property
    def taken_up_ns(self) -> int:
        """When it was planned, or last extended."""
        return self.extended[-1].at_ns if self.extended else self.created_ns

    @property
    def label(self) -> str:
        """What is evaluated: the scene, and its scale where it has one."""
        return self.scene if self.scale is None else f"{self.scene} ({self.scale})"

    @property
    def treatments(self) -> tuple[PlannedArm, ...]:
        """Every treatment, by the level of its trials."""
        return (self.treatment, *self.more)

    @property
    def arms(self) -> tuple[PlannedArm, ...]:
        """The baseline and every treatment."""
        return (self.baseline, *self.treatments)

    @property
    def measures_here(self) -> bool:
        """Whether an arm is on the machine that conducts it."""
        return any(arm.machine.reach is Reach.LOCAL for arm in self.arms)

    @property
    def several_machines(self) -> bool:
        """Whether several machines do the trials of an arm together."""
        return any(arm.beside for arm in self.arms)

    @property
    def over(self) -> dict[int, int]:
        """By level of a treatment that of what it is measured over, where that is not the baseline."""
        return {level: arm.over for level, arm in enumerate(self.treatments) if arm.over is not None}

    def host_of(self, arm: PlannedArm) -> PlannedArm:
        """Return what an arm's losses are over: the baseline, or the machine that carries it, by the same
        way to the data.
        """
        return self.baseline if arm.over is None else self.treatments[arm.over]

    @property
    def treatments_label(self) -> str:
        """What is compared with the baseline: the treatment, or how many there are."""
        return f"{len(self.treatments)} treatments" if self.more else self.treatment.label

    def arm_of(self, trial: PlannedTrial) -> PlannedArm:
        """Return the arm that a trial runs on."""
        return self.baseline if trial.arm is Arm.BASELINE else self.treatments[trial.level]
