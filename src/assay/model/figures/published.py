"""Figures of publications, and where a scene puts them beside its own."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Quantity(StrEnum):
    """What a published figure is."""

    LOSS = "loss"
    GAIN = "gain"
    DIFFERENCE = "difference"
    SHARE = "share"
    MEMORY = "memory"
    TIME = "time"
    RATE = "rate"
    SCORE = "score"
    EVENTS = "events"
    WORKERS = "workers"


COMPARED = frozenset({Quantity.LOSS, Quantity.GAIN, Quantity.MEMORY, Quantity.EVENTS})
"""What a result has a figure of its own for; times and rates of another machine stand beside nothing."""
WEIGHT = "weight"
"""What ``beside`` says for the memory that QEMU holds beside its guests' own."""


@dataclass(frozen=True)
class Publication:
    """Where figures come from.

    Attributes:
        key: What scenes and figures call it, ``juno-2017``.
        authors: As they are cited.
        year: When it came out.
        title: ``None`` where it is not known here, as in what follows.
        venue: Where it came out.
        url: Where it can be read.
        platform: What carried its guests; ``None`` also where there are no guests.
        about: What it is about, in our words.
        machines: What was measured on, and what of it is not known here.
        runs: How much was run and how often, and what of it is not known here.
    """

    key: str
    authors: str
    year: int
    title: str | None
    venue: str | None
    url: str | None
    platform: str | None
    about: str
    machines: str
    runs: str


@dataclass(frozen=True)
class PublishedFigure:
    """One figure as it is printed.

    Attributes:
        publication: Key of the publication.
        name: Name of the figures that it belongs to, unique within the publication, ``cpu-loss``.
        quantity: What it is.
        what: What it is of, in our words.
        low: Lower end of a range; a single figure has both ends equal.
        high: Upper end.
        unit: ``%``, ``points``, ``MB``, ``MB/core``, ``s``, ``events`` …
        hardware: What it was measured on, as the publication calls it; ``None`` where that is not known.
        condition: Under which circumstances; ``None`` where nothing is said.
        place: Where in the publication.
        printed: As the publication puts it where that says more than the numbers, ``more than 28 %``;
            ``None`` where it does not.
        note: What else is to be known of it, one sentence; ``None`` where there is nothing.
    """

    publication: str
    name: str
    quantity: Quantity
    what: str
    low: float
    high: float
    unit: str
    hardware: str | None
    condition: str | None
    place: str
    printed: str | None = None
    note: str | None = None

    @property
    def full_name(self) -> str:
        """What scenes call the figures, ``juno-2017/cpu-loss``."""
        return f"{self.publication}/{self.name}"


@dataclass(frozen=True)
class PublishedSpec:
    """Published figures that lie beside figures of a scene.

    Attributes:
        figures: Name of the figures with that of the publication, ``juno-2017/cpu-loss``.
        beside: Workloads, or a workload and a metric with a blank between them, or ``weight``; empty stands
            beside nothing.
        treatments: Labels of the treatments that they stand beside; empty is all of them.
        differs: What is not alike, one sentence; ``None`` where nothing is said.
        turned: The figures are from our treatment to our baseline: the loss of the way back is shown.
    """

    figures: str
    beside: tuple[str, ...] = ()
    treatments: tuple[str, ...] = ()
    differs: str | None = None
    turned: bool = False
