"""What the jobs of a result read, said and came to, as data."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass

from assay.model.platforms.data import DataSet
from assay.model.work.disturbance import Cause
from assay.model.work.page_cache import CacheState
from assay.model.work.reading import Reading, Success
from assay.pages.method.settings import ArmSettings
from assay.pages.say import say


@dataclass(frozen=True)
class Data:
    """The data of a result, and how its arms came by them."""

    files: DataSet | None = say("What they are; null where a scene has none.")
    ways: tuple[ArmSettings, ...] = say("How each arm came by them.")
    scratch: tuple[ArmSettings, ...] = say("Where the jobs of each arm wrote.")


@dataclass(frozen=True)
class OwnFigures:
    """How the figures of a user's own program were read, and when it had succeeded."""

    program: str = say("Name of the workload's family.")
    readings: tuple[Reading, ...] = say("Where each figure stands; empty where it says none.")
    reader: str | None = say("Tool whose reader reads them; null where none needs one.")
    success: Success | None = say("When it had succeeded; null where that is not asked.")


@dataclass(frozen=True)
class Disturbances:
    """Whether trials that others disturbed were looked for, and what that led to."""

    are_read: bool = say("The host was read around each trial, on both arms alike.")
    rerun: tuple[Cause, ...] = say("Causes for which a trial was to be run again.")


@dataclass(frozen=True)
class ControllerUse:
    """What assay itself took of the processors that it shared with the trials."""

    share: float = say("Share of the measured processors' time over all trials, a fraction.")
    most_share: float = say("The largest of one trial.")


@dataclass(frozen=True)
class CopiesAtOnce:
    """A workload of which several copies ran at once."""

    workload: str = say("Name of the workload.")
    copies: int = say("How many.")
    stagger_s: float = say("Time between two releases; 0 for one moment.")


@dataclass(frozen=True)
class PhasedWorkloads:
    """Workloads whose programs told of phases."""

    workloads: tuple[str, ...] = say("Names of the workloads.")
    counted: bool = say("Events of a phase were counted.")


@dataclass(frozen=True)
class Ahead:
    """What the processes took that read a workload's files ahead, each in a trial of its own."""

    cpu_s: float = say("Most CPU time that one took.")
    whole: int = say("Trials in which it had read all files before the job ended.")
    trials: int = say("Trials that had one.")


@dataclass(frozen=True)
class CacheStart:
    """How much of a workload's files was in memory when its trials started: the worst of them."""

    workload: str = say("Name of the workload.")
    state: CacheState = say("What was asked for.")
    bytes: int = say("Length of the files together.")
    resident_bytes: int = say("Most that was in memory of cold files, least of warm ones.")
    host_bytes: int | None = say("Most that the host had of what lies below cold files; null where not seen.")
    served: bool = say("A server stood between the job and its data.")
    ahead: Ahead | None = say("What read the files ahead; null where nothing did.", default=None)


@dataclass(frozen=True)
class Exits:
    """How a command ended on one arm."""

    label: str = say("Label of the arm.")
    codes: tuple[int | None, ...] = say("Exit status of each trial; null where it was never started.")


@dataclass(frozen=True)
class ProbeCosts:
    """What the probe took at most."""

    share: float = say("CPU time over the trial's wall time, a fraction of one core.")
    rss_bytes: int = say("Largest resident set.")
    gap_s: float | None = say("Longest time between two samples; null where none is known.")
