"""What ``assay explain --files`` says, as data: what a job asks of its files, by phase, on both arms."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.pages.say import say

SCHEMA = "assay.files"
VERSION = (1, 1)


@dataclass(frozen=True)
class FileUse:
    """What one arm's job asks of a file in a phase."""

    opens: int = say("Times that it was opened.")
    reads: int = say("Calls that read.")
    read_bytes: int = say("What they brought.")
    reads_on: int = say("Those of them that went on where the last one ended: in sequence.")
    writes: int = say("Calls that wrote.")
    write_bytes: int = say("What they took.")
    writes_on: int = say("Those of them that went on where the last one ended: appending.")
    syncs: int = say("Calls that waited until it is on the disk (fsync, fdatasync).")
    seconds: float = say("Seconds that the job waited in all these calls, added up over its processes.")
    sync_s: float = say("Those of them until it was on the disk.")
    read_median_bytes: int | None = say(
        "Half of the calls that read brought no more than this; null without any. Since 1.1, as the rest.",
        default=None,
    )
    read_most_bytes: int | None = say("The most that one of them brought.", default=None)
    write_median_bytes: int | None = say(
        "Half of the calls that wrote took no more than this; null without any.", default=None
    )
    write_most_bytes: int | None = say("The most that one of them took.", default=None)


@dataclass(frozen=True)
class FileRow:
    """A file in a phase."""

    path: str = say("The file; `.` is the job's own folder.")
    baseline: FileUse | None = say("On the baseline; null where it is not asked for there.")
    treatment: FileUse | None = say("On the treatment; null where it is not asked for there.")


@dataclass(frozen=True)
class Looks:
    """Names that a job looked at or tried to open, of which some are not there."""

    looked: int = say("Calls.")
    missing: int = say("Those of them that found nothing.")
    seconds: float = say("Seconds of all of them.")


@dataclass(frozen=True)
class PhaseFiles:
    """What a job asks of its files in a phase."""

    phase: str = say("Name of the phase; `total` without phases, `rest` between and around them.")
    files: tuple[FileRow, ...] = say("Files, those first that are waited for longest.")
    baseline: Looks = say("Names looked at on the baseline.")
    treatment: Looks = say("Names looked at on the treatment.")


@dataclass(frozen=True)
class TraceCost:
    """How much longer an arm's job took while it was traced."""

    traced_s: float | None = say("Seconds of the traced trial; null where it failed.")
    untraced_s: float | None = say("Mean seconds of the result's trials; null where there are none.")


@dataclass(frozen=True)
class WorkloadFiles:
    """What one workload asks of its files."""

    workload: str = say("Its name.")
    phases: tuple[PhaseFiles, ...] = say("By phase, in their order; empty where a trace is missing.")
    baseline_cost: TraceCost = say("On the baseline.")
    treatment_cost: TraceCost = say("On the treatment.")
    reason: str | None = say("Why nothing is said of it, one clause; null where something is.")


@dataclass(frozen=True)
class FilesPage:
    """What the workloads of a result ask of their files."""

    result: str = say("Identity of the result.")
    traced: str = say("Identity of the activity whose trials were traced.")
    baseline: str = say("Label of the baseline.")
    treatment: str = say("Label of the treatment.")
    workloads: tuple[WorkloadFiles, ...] = say("The workloads, in their order.")
    schema: Literal["assay.files"] = say("Name of this format.", default=SCHEMA)
    version: tuple[int, int] = say("Major and minor version; readers refuse a newer major.", default=VERSION)
