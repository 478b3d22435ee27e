"""The one trial that is under way, as a small file: what a later process needs to collect its record."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from assay.activities.trials.disturbance import was_rejected
from assay.activities.trials.page_cache import Prepared
from assay.model.files.activities import activity_folder
from assay.model.machines.clock import ClockReading
from assay.model.platforms.platform import HypervisorCpu
from assay.store.record import VERSION, RecordError, read_activity, read_values, replace_file


@dataclass(frozen=True)
class Inflight:
    """A started trial.

    Attributes:
        index: Its place in the plan.
        into: The probe's folder for it, on the machine where it runs.
        boot: The boot that it runs in.
        guest: Name of its domain; ``None`` outside a guest.
        started_ns: The controller's wall clock at the start.
        clock: Clock reading before it; ``None`` on this machine.
        hypervisor_cpu: CPU of the QEMU process before it; ``None`` outside a guest.
        cache: What was done to the page cache before it; ``None`` where nothing was asked.
        container_cpu_s: CPU seconds of its container before it; ``None`` outside one.
        client_cpu_s: CPU seconds of the client of a mount before it; ``None`` without one.
        unwatched: Why a guest's host is not watched meanwhile; ``None`` where it is, and outside a guest.
    """

    index: int
    into: str
    boot: str
    guest: str | None
    started_ns: int
    clock: ClockReading | None
    hypervisor_cpu: HypervisorCpu | None
    cache: Prepared | None = None
    container_cpu_s: float | None = None
    client_cpu_s: float | None = None
    unwatched: str | None = None


FILE, SCHEMA = "inflight.json", "assay.inflight"


def write_inflight(folder: Path, trial: Inflight) -> None:
    """Note durably that a trial is about to start."""
    content = {"schema": SCHEMA, "version": VERSION, **asdict(trial)}
    replace_file(folder / FILE, json.dumps(content).encode())


def read_inflight(folder: Path) -> Inflight | None:
    """Return the trial that was under way, or ``None``; fields that are not known are passed over.

    Raises:
        DamagedError: The note is no longer what was written.
        RecordError: It is of another major version, or cannot be read.
    """
    if not (folder / FILE).exists():
        return None
    return read_values(folder / FILE, SCHEMA, Inflight, _check, bare=True)


def _check(trial: Inflight) -> None:
    if trial.index < 0:
        msg = f"index: expected a number from 0, got {trial.index}"
        raise ValueError(msg)


def clear_inflight(folder: Path) -> None:
    """Note that its record is safe, or that it is given up."""
    (folder / FILE).unlink(missing_ok=True)


def is_collected(home: Path, activity: str) -> bool:
    """Tell whether no record of an activity is left on a machine: none is under way, or its record is home.

    Nothing could collect the record of an activity whose folder is gone. One that cannot be read may want its
    record.
    """
    try:
        folder = activity_folder(home, activity)
        (folder / "activity.json").stat()
        if (note := read_inflight(folder)) is None:
            return True
        planned = read_activity(folder).trials[note.index]
    except FileNotFoundError:
        return True
    except (RecordError, LookupError, OSError):  # another user's, which we may not look into
        return False
    return (folder / "trials" / planned.name / "trial.json").is_file() or was_rejected(
        folder, planned, note.started_ns
    )
