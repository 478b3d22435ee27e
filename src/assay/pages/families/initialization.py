"""What a page says of the start of jobs in one guest and in several, as data: the cores that they used until
all had initialized.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.pages.say import say


@dataclass(frozen=True)
class CoresUsed:
    """What the jobs of one treatment used from their common start on."""

    label: str = say("Label of the treatment.")
    guests: int = say("Guests or containers that ran it together.")
    cores: int = say("Processors of the machine that they share.")
    used: tuple[float | None, ...] = say(
        "Cores used by all of its jobs together, the mean of each step, as each guest counted its own; null "
        "where one was not sampled."
    )
    ended_s: tuple[float, ...] = say(
        "Ends of the first phase of each copy, seconds after the common start, the first first."
    )


@dataclass(frozen=True)
class Initialization:
    """One block of a workload until the last initialization ended, in the fewest and in the most guests."""

    workload: str = say("Name of the workload.")
    block: int = say("Block from 0.")
    bounds_s: tuple[float, ...] = say(
        "Ends of the steps, seconds after the common start; one more than there are values."
    )
    treatments: tuple[CoresUsed, ...] = say(
        "Those of the fewest and of the most guests whose jobs start together, in the order of the plan."
    )
