"""What speaks against trusting a budget, and what it cannot tell, as data."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass

from assay.pages.budget import Source
from assay.pages.say import say


@dataclass(frozen=True)
class Overdrawn:
    """Trials in which more than the whole wall time was found: their idle time is below zero."""

    trials: int = say("How many.")
    of: int = say("Of how many.")
    usual: float = say("Median of what was too much, a fraction of the wall time.")
    most: float = say("Most of it.")
    where: str = say("Name of the trial with most.")


@dataclass(frozen=True)
class HiddenWaits:
    """Trials of a guest that took waiting of its vCPUs for CPU time."""

    trials: int = say("How many.")
    typical_s: float = say("Median of the seconds.")
    most_s: float = say("Most of them.")
    where: str = say("Name of the trial with most.")


@dataclass(frozen=True)
class BudgetNotes:
    """What speaks against a budget, and what it cannot tell."""

    overdrawn: Overdrawn | None = say("More than the wall time was found; null where it was in no trial.")
    io_from: Source = say("Who told of I/O wait, the least sure of all trials.")
    queue_from: Source = say("Who told of waits for a processor: likewise.")
    hidden: HiddenWaits | None = say("Waits within CPU time; null where none are known.")
    migrations_untold: bool = say(
        "Migrations were counted in a guest, and its host did not tell those of its vCPU threads."
    )
    side_by_side: bool = say("Copies ran at once, so that the CPU time of a phase is not known.")
