"""What is looked at while a job runs, beside the core set; and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

GROUPS = ("cpus", "delay", "disks", "energy", "faults", "frequency", "guests", "meminfo", "memory", "network",
          "pressure", "pss", "switches", "temperature", "threads", "vmstat")  # fmt: skip
"""Groups of series by name (``docs/series.md``): what the probe tells in its answer to ``version``."""
COUNTERS = ("branch-misses", "branches", "cache-misses", "cache-references", "context-switches",
            "cpu-migrations", "cycles", "dtlb-load-misses", "dtlb-loads", "dtlb-store-misses", "dtlb-walks",
            "instructions", "itlb-load-misses", "itlb-walks", "major-faults", "minor-faults", "page-faults",
            "task-clock")  # fmt: skip
"""Event counters by name (``docs/profiles.md``)."""
HZ = 99
"""Samples of a profile a second: not 100, so as not to keep step with what happens 100 times a second.

Source: B. Gregg, "Systems Performance", 2nd ed. (2020), section 6.6.
"""


class Scope(StrEnum):
    """Whose stacks a profile samples."""

    JOB = "job"
    MACHINE = "machine"


@dataclass(frozen=True)
class Profile:
    """Stacks to sample.

    Attributes:
        hz: Samples a second on each processor, 1 to 10,000.
        scope: The job, or the whole machine.
    """

    hz: int = HZ
    scope: Scope = Scope.JOB


@dataclass(frozen=True)
class Observation:
    """What is looked at while the trials of a scene run.

    Attributes:
        interval_s: Time between samples, 0.01 to 3600.
        watch: Groups of series beside the core set.
        counters: Event counters over the job and its phases.
        profile: Stacks to sample; ``None`` is "none".
    """

    interval_s: float = 1.0
    watch: tuple[str, ...] = ()
    counters: tuple[str, ...] = ()
    profile: Profile | None = None


@dataclass(frozen=True)
class Series:
    """What became of a group of series that was asked for.

    Attributes:
        group: Its name.
        file: Its file in the record; ``None`` where there is none.
        samples: Samples that were taken.
        absent: Why the machine has nothing to collect; ``None`` where it has.
    """

    group: str
    file: str | None
    samples: int
    absent: str | None


@dataclass(frozen=True)
class Count:
    """An event counter over a job.

    Attributes:
        name: Its name.
        value: Events, scaled where the counter had to share its register; ``None`` is "not counted".
        unit: Of the value; ``None`` is a plain number of events.
        reason: Why it was not counted; ``None`` where it was.
        running_share: Share of the job's time in which it really counted; 1.0 is all of it.
    """

    name: str
    value: float | None
    unit: str | None = None
    reason: str | None = None
    running_share: float | None = None
