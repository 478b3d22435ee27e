"""Where the trials of a result ran, as data: as read back meanwhile."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass

from assay.model.machines.machine import Facts, Limits
from assay.model.platforms.container import Container
from assay.model.platforms.platform import GuestWeight, Platform
from assay.model.platforms.plugin_place import SeenPluginPlace
from assay.pages.families.layouts import Shared
from assay.pages.say import say

Cores = tuple[tuple[str, tuple[int, ...]], ...]
"""Each of several guests with the host cores of its QEMU process; empty for one guest."""


@dataclass(frozen=True)
class GuestKind:
    """A guest, and the arms whose guests are like it."""

    labels: tuple[str, ...] = say("Labels of the arms.")
    platform: Platform = say("The guest, without what every boot has of its own.")
    cores: Cores = say("Where each of several guests of an arm ran; empty for one.")
    far: str | None = say("Name of the machine that carries it; null for this one.", default=None)


@dataclass(frozen=True)
class Guests:
    """The guests of all arms."""

    kinds: tuple[GuestKind, ...] = say("Guests that differ, in the order of the plan.")
    against_host: bool = say("The baseline is no guest.")


@dataclass(frozen=True)
class Layouts:
    """How trials in several guests at once were started."""

    releases: int = say("Releases of jobs whose moment was seen.")
    worst_s: float | None = say("The one farthest off what was asked, in seconds; null where none was seen.")
    preload: Preload | None = say("What was read into memory before; null where nothing was.")
    of: Shared = say("What share the processors.", default="guest")


@dataclass(frozen=True)
class Preload:
    """How much of the preloaded files was in memory at the starts, as the guests' own kernels told."""

    starts: int = say("Starts, one a guest and trial.")
    reported: int = say("Those of which it is known.")
    least: float | None = say("Smallest share of the files, a fraction; null where it is known of no start.")


@dataclass(frozen=True)
class Containers:
    """The containers of one arm."""

    label: str = say("Label of the arm.")
    kinds: tuple[Container, ...] = say("Containers that differ, without what every trial has of its own.")
    cpu_s: tuple[float, float] | None = say(
        "Mean CPU seconds a trial by the machine, and by the count inside; null where the "
        "machine's own kernel runs the job, and where they were not counted."
    )


@dataclass(frozen=True)
class Domain:
    """A guest that somebody else made, as far as its hypervisor tells without being changed."""

    label: str = say("Label of the arm.")
    hypervisor: str = say("URI of the libvirt that it belongs to.")
    platform: Platform = say("The guest at its first visit.")
    weight: GuestWeight | None = say(
        "Its weight at the end of its last trial: one boot is one sample; null where it was not weighed."
    )
    changed: bool = say("It was another at a later visit.")


@dataclass(frozen=True)
class Below:
    """The hypervisor that an arm's machine runs on."""

    label: str = say("Label of the arm.")
    hypervisor: str = say("What it recognised from inside: `virtualisation.hypervisor` of the facts.")


@dataclass(frozen=True)
class Confined:
    """What the trials of one arm might use."""

    label: str = say("Label of the arm.")
    limits: Limits = say("The limits, as planned.")


@dataclass(frozen=True)
class Together:
    """The machines of one arm that did each of its trials together."""

    label: str = say("Label of the arm.")
    machines: tuple[str, ...] = say("Their names, the first one first.")
    confined: tuple[Limits, ...] = say("The limits of each, as planned.")
    releases: int = say("Releases of jobs whose moment was seen.")
    worst_s: float | None = say(
        "The one farthest off the common moment, in seconds; null where none was seen."
    )


@dataclass(frozen=True)
class PluginPlaces:
    """The places of a plug-in that the trials of one arm ran in."""

    label: str = say("Label of the arm.")
    kinds: tuple[SeenPluginPlace, ...] = say("What they were, as the plug-in saw them; each once.")


@dataclass(frozen=True)
class BaselineSeen:
    """The baseline's machine at its first trial."""

    label: str = say("Label of the arm.")
    facts: Facts = say("What the machine told of itself.")
    limits: Limits = say("What the trial might use, as recorded.")


@dataclass(frozen=True)
class EmulatorCost:
    """What the QEMU process of one arm took beside its vCPUs."""

    label: str = say("Label of the arm.")
    several: bool = say("Other arms have one, too.")
    workloads: tuple[tuple[str, float], ...] = say("Mean CPU seconds a trial, by workload.")


@dataclass(frozen=True)
class ClocksSeen:
    """The clocks of guests or containers against the host's: the worst of all trials."""

    of_guests: bool = say("They are guests' clocks; else those of containers.")
    rate: float = say("Rate farthest from 1.")
    offset_s: float = say("Largest offset after a trial.")
    uncertainty_s: float = say("Offsets are known to this.")


@dataclass(frozen=True)
class Place:
    """Where the treatments of a result ran: the baseline's machine is told apart."""

    domain: Domain | None = say("Where the treatment is a guest of others.", default=None)
    guests: Guests | None = say("Where trials ran in guests of ours.", default=None)
    layouts: Layouts | None = say("Where trials ran in several guests at once.", default=None)
    containers: tuple[Containers, ...] = say("Where trials ran in containers, one an arm.", default=())
    plugins: tuple[PluginPlaces, ...] = say("Where trials ran in places of plug-ins, one an arm.", default=())
    machines: tuple[Confined, ...] = say("Where treatments are machines.", default=())
    together: tuple[Together, ...] = say(
        "Where several machines did each trial of an arm together, one an arm.", default=()
    )
    below: tuple[Below, ...] = say("What lies below machines and guests of others.", default=())
    emulators: tuple[EmulatorCost, ...] = say("What QEMU took, one an arm with guests.", default=())
    clocks: ClocksSeen | None = say("Where clocks were compared.", default=None)
