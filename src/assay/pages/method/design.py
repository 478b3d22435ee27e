"""How the trials of a result were laid out and judged, as data."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass

from assay.model.extension import Extension
from assay.model.figures.estimate import Looks
from assay.model.goal import Goal
from assay.pages.say import say


@dataclass(frozen=True)
class Blocks:
    """The blocks of a result."""

    ran: int = say("Blocks that ran; of a declared number, that number.")
    most: int | None = say("Most blocks that might run; null where their number was declared.")
    sessions: int = say("Sessions over which they lie.")


@dataclass(frozen=True)
class Typical:
    """How the typical loss and its interval are formed."""

    centre_from: int = say("Blocks from which it is Hodges-Lehmann's centre.")
    interval_from: int = say("Blocks from which its interval is exact, that of a confidence sequence finite.")
    rows: int = say("Metrics of a treatment that are judged together.")
    looks: Looks = say("When a verdict might be drawn.")
    over_sessions: tuple[str, ...] = say("Metrics whose interval is over sessions instead.")
    all_over_sessions: bool = say("These are all metrics.")


@dataclass(frozen=True)
class Design:
    """How trials were laid out and judged."""

    baseline: str = say("Label of the baseline.")
    treatments: tuple[str, ...] = say("Labels of the treatments.")
    blocks: Blocks = say("The blocks.")
    seed: int = say("Seed of their order.")
    goal: Goal = say("How visits lie, and what ends the activity.")
    confidence: float = say("Coverage of the intervals.")
    margin: float = say("Loss that does not matter, a fraction.")
    typical: Typical | None = say("Of the headline; null where that is the loss of the total.")
    extended: tuple[Extension, ...] = say("Blocks that were added after its end.")
    own_hosts: tuple[tuple[str, str], ...] = say(
        "Label of each treatment that is measured over another one, the machine that carries it, and that "
        "one's.",
        default=(),
    )
