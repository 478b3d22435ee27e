"""What a page says of layouts, as data: the loss against the number of guests, their stagger and preload."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.model.figures.estimate import Verdict
from assay.pages.say import say

Shared = Literal["guest", "container"]


@dataclass(frozen=True)
class LayoutPoint:
    """The loss of one layout."""

    label: str = say("Label of the treatment.")
    guests: int = say("Guests that share the cores and the memory.")
    stagger_s: float = say("Time from the start of one guest's job to the next, s.")
    preload: bool = say("The files were put into the guests' page cache first.")
    loss: float | None = say("Loss of throughput, a fraction; null where it was not measured.")
    low: float | None = say("Lower end of its interval; null below two blocks.")
    high: float | None = say("Upper end of its interval; null below two blocks.")
    verdict: Verdict = say("What the interval says.")
    blocks: int = say("Blocks that it rests on.")
    beside_bytes: float | None = say(
        "Memory that all QEMU processes held beside their guests', mean over trials; null where "
        "it was not told."
    )
    held_bytes: float | None = say("All memory of the host that they held, the guests' in it; null as above.")
    at_once: int = say("Guests whose jobs start together, the next so many a stagger later.", default=1)


@dataclass(frozen=True)
class LayoutKnee:
    """Where the loss takes a step of more than the margin, with one way to start and preload."""

    stagger_s: float = say("Stagger of the line, s.")
    preload: bool = say("Preload of the line.")
    most: int = say("Most guests that were measured on it.")
    guests: int | None = say("Guests at the first such step; null where none was found.")
    loss: float | None = say("Loss against the number of guests before; null without a knee.")
    low: float | None = say("Lower end of its interval; those of all steps of a line hold together.")
    high: float | None = say("Upper end of its interval.")
    known: bool = say(
        "There is one, or every step lies within the margin by its interval; false: an interval "
        "reaches beyond it, or brings no verdict.",
        default=False,
    )
    blocks: int | None = say("Complete blocks of this loss; null without a knee.", default=None)
    at_once: int = say("Guests of the line whose jobs start together.", default=1)


@dataclass(frozen=True)
class LayoutGain:
    """What starts apart or preload win back with most guests, against the layout that has all but that."""

    what: str = say("`stagger 5 s`, `2 at once` (against one after the other) or `preload`.")
    label: str = say("Label of the layout that has it.")
    against: str = say("Label of the layout that it is compared with.")
    gain: float = say("Throughput won, a fraction of that without it; negative: lost.")
    low: float | None = say("Lower end of its interval, paired by block; null in older pages alone.")
    high: float | None = say("Upper end of its interval; null as above.")
    blocks: int | None = say(
        "Complete blocks of both layouts that it rests on; null in older pages alone.", default=None
    )


@dataclass(frozen=True)
class LayoutMap:
    """The losses of one metric over the layouts of a scene."""

    workload: str = say("Name of the workload.")
    metric: str = say("Name of the metric.")
    unit: str = say("Its unit.")
    rest: str = say("The other levels of these guests, where several are compared; else empty.")
    points: tuple[LayoutPoint, ...] = say(
        "One a layout: fewest guests first, then by stagger, starts at once and preload."
    )
    knees: tuple[LayoutKnee, ...] = say(
        "One for each way to start and preload with two numbers of guests or more, and two blocks."
    )
    cheapest: str | None = say(
        "Label of the layout with fewest guests among those that cannot be told from the "
        "smallest loss, all pairs "
        "together; null below two blocks, below two layouts that were measured, and where no "
        "verdict can be drawn yet or nothing scatters."
    )
    tied: tuple[str, ...] = say(
        "Labels of the others that cannot be told from the smallest loss.", was="alike"
    )
    gains: tuple[LayoutGain, ...] = say(
        "What stagger, starts at once and preload win back with most guests; none below two blocks, and "
        "where no verdict can be drawn yet or nothing scatters."
    )
    of: Shared = say("What share the processors.", default="guest")

    @property
    def measured(self) -> bool:
        """Whether any layout has a figure."""
        return any(point.loss is not None for point in self.points)
