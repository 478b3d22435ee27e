"""A scene as frozen values."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.model.figures.published import PublishedSpec
from assay.model.goal import WAIT_QUIET_S, Goal
from assay.model.machines.processors import Controller, ProcessorsSpec
from assay.model.platforms.container import PlannedContainer
from assay.model.platforms.data import DataSpec
from assay.model.platforms.existing import DomainSpec
from assay.model.platforms.layout import Layout
from assay.model.platforms.plugin_place import PluginPlace
from assay.model.work.needs import Needs
from assay.model.work.observation import Observation
from assay.model.work.page_cache import CacheState
from assay.model.work.scripts import Scripts
from assay.model.work.workload import Workload
from assay.scenes.values.chosen import Member, Own, Ready, members
from assay.scenes.values.digest import digest_of, what_is_asked
from assay.workloads import Sizes, command_workload, phase_metrics, with_parameters


@dataclass(frozen=True)
class Guest:
    """Treatment: a virtual machine, on the baseline's machine or on one that is a treatment itself.

    Attributes:
        vcpus: Number of virtual processors; ``None`` leaves it to the machine (``auto``).
        memory_bytes: Its memory.
        disk_cache: libvirt's cache mode of its disk.
        settings: Levels of further factors, of it and of its host, by name; in the order of the catalogue.
        layout: How many guests share these processors and this memory in equal parts, and how they start.
        image: Name or digest of the image that it boots; ``None`` is the one built here.
        packages: Debian packages that the image built here has beside the site's, sorted.
        restored: It comes from a saved state in each visit, instead of booting.
        release: Codename of the release that the image built here is of; ``None`` is the machine's.
        machine: Name of the machine that carries it, over which its losses are; ``None`` is the baseline's.
    """

    vcpus: int | None = None
    memory_bytes: int = 2 * 1024**3
    disk_cache: str = "none"
    settings: tuple[tuple[str, str], ...] = ()
    layout: Layout = field(default=Layout())
    image: str | None = None
    packages: tuple[str, ...] = ()
    restored: bool = False
    release: str | None = None
    machine: str | None = None


@dataclass(frozen=True)
class OtherMachine:
    """Treatment: a machine of the inventory, also ``local`` under another limit.

    Attributes:
        machine: Its name.
        cpu_quota: Share of the processors' time, 0 < quota <= 1; ``None`` is "all of it".
        memory_limit_bytes: What a trial may use, page cache in it; ``None`` is "all", as in what follows.
        read_bytes_per_s: Most that it may read from its disk.
        write_bytes_per_s: Most that it may write there.
        page_cache: State of its files at the start; ``None`` is that of the workload.
        pause: Share of the time in which it is made to stand still, 0 < pause <= 0.9; ``None`` is "none".
        settings: Levels of factors of the machine itself, by name; in the order of the catalogue.
        domain: The libvirt domain that it is; ``None`` for a machine of which nothing is known but how it is
            reached.
        beside: Names of further machines that do each trial together with it.
    """

    machine: str
    cpu_quota: float | None = None
    memory_limit_bytes: int | None = None
    read_bytes_per_s: int | None = None
    write_bytes_per_s: int | None = None
    page_cache: CacheState | None = None
    pause: float | None = None
    settings: tuple[tuple[str, str], ...] = ()
    domain: DomainSpec | None = None
    beside: tuple[str, ...] = ()


Treatment = Guest | OtherMachine | PlannedContainer | PluginPlace
"""What can be compared with the baseline."""


@dataclass(frozen=True)
class Design:
    """How precisely is asked.

    Attributes:
        blocks: Number of blocks, at least 3; the most of them where ``goal`` may end it earlier.
        confidence: Coverage of intervals, a ratio.
        margin: Loss that does not matter, a ratio.
        seed: Seed of the order of trials; ``None`` leaves it to be drawn.
        goal: When it has measured enough.
    """

    blocks: int = 3
    confidence: float = 0.95
    margin: float = 0.02
    seed: int | None = None
    goal: Goal = field(default=Goal(wait_quiet_s=WAIT_QUIET_S))


@dataclass(frozen=True)
class Scene:
    """What is compared with what.

    Attributes:
        name: ``quick``.
        title: One line for people.
        baseline: Name of the baseline's machine; another one than ``local`` carries guests.
        treatment: What is compared with it.
        workloads: What runs, in the order written.
        design: How precisely.
        source: The text that it was read from.
        file: Where it was read from; its folder is where relative inputs start.
        observation: What is looked at in every trial.
        baseline_guest: The guest that is the baseline, the treatment's own where it says nothing else (A/A);
            ``None`` is the machine itself.
        baseline_container: The container that is the baseline; ``None`` is the machine itself, or the guest.
        more: Further treatments of a sweep, in the order of the levels; ``treatment`` is the first.
        data: What its workloads read beside their inputs; ``None`` for nothing.
        baseline_data: Levels of how a machine as baseline comes by them; ``None`` is "as the treatment does".
        published: Published figures that its report shows beside its own.
        takes_s: About how long it takes, for people; ``None`` where it does not say.
        scale: Name of the scale that it is at; ``None`` is as written.
        scales: Name of each scale that it can be had at, and what that is, in the order written.
        processors: Those of every arm, ``baseline_processors`` aside; ``None`` is every core that the
            controller leaves.
        baseline_processors: Those of the baseline, where it has others.
        controller: Where assay runs meanwhile, as said; ``None`` leaves it to the processors.
        host_memory_bytes: What the host keeps beside its guests; ``None`` is computed.
        needs: The least that the machine must have.
        scripts: Commands around the trials, by role.
        baseline_beside: Names of further machines that do each trial of the baseline together with its own.
        usage: Figures of the kernel's accounting that every workload has beside its own
            (``workloads.accounting``).
    """

    name: str
    title: str
    baseline: str
    treatment: Treatment
    workloads: tuple[Ready | Own, ...]
    design: Design
    source: str
    file: str
    observation: Observation = field(default=Observation())
    baseline_guest: Guest | None = None
    baseline_container: PlannedContainer | None = None
    more: tuple[Treatment, ...] = ()
    data: DataSpec | None = None
    baseline_data: tuple[tuple[str, str], ...] | None = None
    published: tuple[PublishedSpec, ...] = ()
    takes_s: float | None = None
    scale: str | None = None
    scales: tuple[tuple[str, str], ...] = ()
    processors: ProcessorsSpec | None = None
    baseline_processors: ProcessorsSpec | None = None
    controller: Controller | None = None
    host_memory_bytes: int | None = None
    needs: Needs = field(default=Needs())
    scripts: tuple[Scripts, ...] = ()
    baseline_beside: tuple[str, ...] = ()
    usage: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """SHA-256 in hex of what the scene asks: comments and the spelling of quantities do not count.

        What others published, and how long it takes, change nothing of what is measured and do not count
        either.
        """
        asked = what_is_asked(self)
        asked["treatment"] = [type(self.treatment).__name__, asked["treatment"]]
        if self.baseline_guest == self.treatment:
            asked["baseline_guest"] = True  # all that could be said before a baseline had factors of its own
        return digest_of(asked)

    def prepare(self, sizes: Sizes) -> tuple[Workload, ...]:
        """Return the workloads with sizes filled in and inputs as absolute paths."""
        folder = Path(self.file).absolute().parent
        return tuple(_prepare(member, sizes, folder) for member in self.members)

    @property
    def controlled(self) -> Controller:
        """Where assay runs meanwhile: it shares where all processors are asked for, unless that is said."""
        if self.controller is not None:
            return self.controller
        asked = (self.processors, self.baseline_processors)
        whole = any(spec is not None and spec.whole_machine for spec in asked)
        return Controller.SHARED if whole else Controller.OWN_CORE

    @property
    def treatments(self) -> tuple[Treatment, ...]:
        """Every treatment, in the order of the levels."""
        return (self.treatment, *self.more)

    @property
    def guests(self) -> tuple[Guest, ...]:
        """Every guest that is a treatment; empty where the treatment is none."""
        return tuple(wanted for wanted in self.treatments if isinstance(wanted, Guest))

    @property
    def machines(self) -> tuple[OtherMachine, ...]:
        """Every machine that is a treatment, also this one under limits; empty where the
        treatment is none.
        """
        return tuple(wanted for wanted in self.treatments if isinstance(wanted, OtherMachine))

    @property
    def containers(self) -> tuple[PlannedContainer, ...]:
        """Every container that is a treatment; empty where the treatment is none."""
        return tuple(wanted for wanted in self.treatments if isinstance(wanted, PlannedContainer))

    @property
    def plugin_places(self) -> tuple[PluginPlace, ...]:
        """Every place of a plug-in that is a treatment; empty where the treatment is none."""
        return tuple(wanted for wanted in self.treatments if isinstance(wanted, PluginPlace))

    @property
    def on_itself(self) -> bool:
        """Whether every treatment is the baseline's machine, as it is or under limits."""
        return all(isinstance(one, OtherMachine) and one.machine == self.baseline for one in self.treatments)

    @property
    def several_machines(self) -> bool:
        """Whether several machines do the trials of an arm together."""
        return bool(self.baseline_beside) or any(one.beside for one in self.machines)

    @property
    def members(self) -> tuple[Member, ...]:
        """The workloads of the plan, each with one event number and one number of copies."""
        return tuple(member for chosen in self.workloads for member in members(chosen))


def _prepare(member: Member, sizes: Sizes, folder: Path) -> Workload:
    workload = member.chosen
    ready = isinstance(workload, Ready)
    made = _ready(workload, sizes) if isinstance(workload, Ready) else _own(workload, folder)
    spread_s = workload.placement.stagger_s * (workload.placement.copies - 1)
    limit_s = made.time_limit_s + (spread_s if ready else 0.0)
    spread = replace(made, seconds=made.seconds + spread_s, time_limit_s=limit_s)
    reported = replace(spread, name=member.name, events=member.events, family=member.family)
    threads = workload.placement.threads or made.placement.threads
    placement = replace(workload.placement, threads=threads)
    return replace(reported, placement=placement, cache=workload.cache or made.cache)


def _ready(workload: Ready, sizes: Sizes) -> Workload:
    """Size each copy by its share of the arm, so that all of them together are as large as one would be."""
    copies = workload.placement.copies
    cpus = workload.placement.threads or max(1, sizes.cpus // copies)
    share = replace(sizes, cpus=cpus, memory_bytes=sizes.memory_bytes // copies)
    return with_parameters(workload.name, workload.parameters, sizes=share)


def _own(own: Own, folder: Path) -> Workload:
    inputs = [str(folder / path) for path in own.inputs]
    made = command_workload(
        own.name, own.command, inputs=inputs, time_limit_s=own.time_limit_s, prepare=own.prepare
    )
    figures = tuple(reading.metric for reading in own.metrics)
    phases = phase_metrics(own.phases) if own.phases is not None else ()
    return replace(
        made,
        metrics=(*made.metrics, *figures, *phases),
        phases=own.phases,
        readings=own.metrics,
        reader=own.parser,
        success=own.success,
        output_limit_bytes=own.output_limit_bytes,
    )
