"""What each machine of an arm of several did of its trials, and what passed its links, as data."""

from __future__ import annotations

from dataclasses import dataclass

from assay.pages.say import say


@dataclass(frozen=True)
class LinkUse:
    """What passed an interface of a machine over a trial, by its kernel's counters: the job's data, and what
    else came and went.
    """

    interface: str = say("Its name, as the machine calls it.")
    received_bytes: float = say(
        "Received, from before the release until after the last end; mean over trials."
    )
    sent_bytes: float = say("Sent meanwhile; mean over trials.")
    received_bytes_per_s: float | None = say(
        "Received a second, over the time from the first release to the last end; null where not known."
    )
    sent_bytes_per_s: float | None = say("Sent a second, in the same way.")


@dataclass(frozen=True)
class MachinePart:
    """One machine of several that did each trial of an arm together."""

    workload: str = say("Workload that they did.")
    label: str = say("Label of the arm.")
    access: str = say("The arm's level of `data.access`.")
    machine: str = say("Name of the machine.")
    workers: int = say("Copies of the workload that it ran.")
    events_per_s: float | None = say(
        "Its events over its own time in the event loop, mean over trials; null where events are not told of."
    )
    ended_s: float | None = say(
        "From the common release to its last end, s, mean over trials; null where not known."
    )
    links: tuple[LinkUse, ...] = say("Each of its interfaces but loopback by itself, by name.")
    trials: int = say("Trials that ended well.")
