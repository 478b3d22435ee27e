"""What is looked at while a job runs, beside the core set; and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

GROUPS = ("cpus", "delay", "disks", "energy", "exits", "faults", "frequency", "guests", "meminfo", "memory",
          "network", "pressure", "pss", "switches", "temperature", "threads", "vmstat")  # fmt: skip
"""Groups of series by name (``docs/series.md``): what the probe tells in its answer to ``version``."""
COUNTERS = ("cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses",
            "dtlb-loads", "dtlb-load-misses", "dtlb-store-misses", "itlb-load-misses", "page-faults",
            "minor-faults", "major-faults", "context-switches", "cpu-migrations", "task-clock", "dtlb-walks",
            "itlb-walks")  # fmt: skip
"""Event counters by name (``docs/profiles.md``): what the probe tells in its answer to ``version``."""
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
        value: Events (ns for ``task-clock``), scaled where it had to share its register; ``None`` is "not
            counted".
        raw: Events as counted; ``None`` is "not told", as in what follows.
        enabled_ns: Time in which it was wanted, of all threads together.
        running_ns: Time in which it really counted.
        scope: ``all``, or ``user``: without permission for the kernel's part.
        reason: Why it was not counted; ``None`` where it was.
    """

    name: str
    value: int | None
    raw: int | None = None
    enabled_ns: int | None = None
    running_ns: int | None = None
    scope: str | None = None
    reason: str | None = None


@dataclass(frozen=True)
class PhaseCount:
    """An event counter over one phase; ``None`` is "not counted"."""

    name: str
    value: int | None


@dataclass(frozen=True)
class ProfileTaken:
    """What became of a profile that was asked for; all but ``absent`` is ``None`` where none was taken.

    Attributes:
        file: Its file in the record (``docs/profiles.md``).
        absent: Why none was taken; ``None`` where one was.
        hz: Samples a second on each processor.
        event: What the samples are taken by, ``cycles`` or ``cpu-clock``.
        scope: ``all``, or ``user``: without permission for the kernel's stacks.
        samples: Samples that were taken.
        lost: Samples for which there was no room.
        throttled: Times that the kernel paused because sampling took too long.
    """

    file: str | None
    absent: str | None
    hz: int | None = None
    event: str | None = None
    scope: str | None = None
    samples: int | None = None
    lost: int | None = None
    throttled: int | None = None


@dataclass(frozen=True)
class ProbeCost:
    """What watching cost, over the whole trial.

    Attributes:
        cpu_s: CPU seconds of the supervisor.
        rss_bytes: Its largest resident set.
        samples: Samples that it took.
        largest_gap_s: Longest time between two samples; ``None`` for fewer than two.
        wake_ups: Times that it was woken; ``None`` is "not told".
    """

    cpu_s: float
    rss_bytes: int
    samples: int
    largest_gap_s: float | None
    wake_ups: int | None = None
