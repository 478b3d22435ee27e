"""What the platforms of a result were, as data: as read back while its trials ran."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass

from assay.model.platforms.container import Container
from assay.model.platforms.platform import GuestWeight, Platform
from assay.pages.say import say

Cores = tuple[tuple[str, tuple[int, ...]], ...]
"""Each of several guests with the host cores of its QEMU process; empty for one guest."""


@dataclass(frozen=True)
class GuestKind:
    """A guest, and the arms whose guests are like it."""

    labels: tuple[str, ...] = say("Labels of the arms.")
    platform: Platform = say("The guest, without what every boot has of its own.")
    cores: Cores = say("Where each of several guests of an arm ran; empty for one.")


@dataclass(frozen=True)
class Guests:
    """The guests of all arms."""

    kinds: tuple[GuestKind, ...] = say("Guests that differ, in the order of the plan.")
    against_host: bool = say("The baseline is no guest.")
    far: str | None = say("Name of the machine that carries them; null for this one.")


@dataclass(frozen=True)
class Layouts:
    """How trials in several guests at once were started."""

    releases: int = say("Releases of jobs whose moment was seen.")
    worst_s: float | None = say("The one farthest off what was asked, in seconds; null where none was seen.")
    preload: Preload | None = say("What was read into memory before; null where nothing was.")


@dataclass(frozen=True)
class Preload:
    """How much of the preloaded files was in memory at the starts, as the guests' own kernels told."""

    starts: int = say("Starts, one a guest and trial.")
    told: int = say("Those of which it is known.")
    least: float | None = say("Smallest share of the files, a fraction; null where it is known of no start.")


@dataclass(frozen=True)
class Containers:
    """The containers of one arm."""

    label: str = say("Label of the arm.")
    kinds: tuple[Container, ...] = say("Containers that differ, without what every trial has of its own.")
    cpu_s: tuple[float, float] | None = say(
        "Mean CPU seconds a trial by the machine, and by the count inside; null where the machine's own kernel runs "
        "the job, and where they were not counted."
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
