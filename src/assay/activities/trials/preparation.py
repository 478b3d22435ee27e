"""Files that a workload's preparation makes on a machine, once for all trials there.

The commands run as jobs of the probe in a folder beside the trials', which is called by what they are; what a
former process made there is used again if its last job ended well. Where nothing writes to files that are
there already, each command has a folder of its own with links to what those before it made: workloads share
them.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from assay.activities.trials.job import GRACE_S, filled
from assay.activities.visits.visit import Visit
from assay.machines.errors import CommandError
from assay.model.errors import AssayError, Exit, NoRoomError
from assay.model.machines.machine import Limits
from assay.model.trial import CauseKind, State
from assay.model.work.workload import Workload, names_data
from assay.probe import LostJobError, OverdueError, RunResult, Spec

COPY_S = 600.0
"""Gigabytes are copied and written out at the pace of the storage."""
FULL = "No space left on device"
"""The C library's words for a full disk, as cp says them."""
LATE_S = 30.0
"""Beyond its time limit and grace, a preparation that the probe has not ended is lost."""


class UnpreparedError(AssayError):
    """What a workload needs could not be made: its trial has failed.

    Args:
        visit: Where.
        result: The job that failed, with the cause as it stands in the trial's record.
        job: Its folder on the machine.
    """

    def __init__(self, visit: Visit, result: RunResult, job: str) -> None:
        self.visit, self.result, self.job = visit, result, job
        super().__init__(str(result.cause))


@dataclass(frozen=True)
class Kept:
    """Where a preparation's files lie on a machine, and its jobs.

    Attributes:
        folder: The files.
        jobs: The probe's folder of each command.
    """

    folder: str
    jobs: tuple[str, ...]


def put_inputs(visit: Visit, workload: Workload, folder: str) -> None:
    """Bring a workload's files of the controller into a folder.

    To another machine that stands each comes once, and is copied there for every trial and every copy.
    """
    far = not visit.here and visit.guest is None and visit.runs_programs
    for path in workload.inputs:
        kept, name = visit.inputs.get(path), Path(path).name
        if far and kept is not None:
            _copy_there(visit, _brought(visit, kept), f"{folder}/{name}")
        else:
            visit.put(kept or Path(path), f"{folder}/{name}")


def _brought(visit: Visit, kept: Path) -> str:
    """Return where an input lies on the visit's machine, under the digest of its content, once it is there;
    the mark of a whole one is written last.
    """
    digest, name = kept.parent.name, kept.name
    folder = f"{visit.directory}/inputs/{digest}"
    there, mark = f"{folder}/{name}", f"{folder}.{name}.whole"
    if there in visit.prepared:
        return there
    if visit.probe.size(mark) is None:
        visit.probe.make(folder)
        visit.put(kept, there)
        visit.run(("touch", mark), timeout_s=COPY_S)
    visit.prepared.add(there)
    return there


def _copy_there(visit: Visit, there: str, place: str) -> None:
    """Copy a file or a folder of the machine to a place on it where nothing is.

    Raises:
        NoRoomError: Its disk is full.
    """
    try:
        visit.run(("cp", "-a", there, place), timeout_s=COPY_S)
    except CommandError as error:
        if FULL not in error.stderr:
            raise
        msg = f"cannot copy {there} to {place} on {visit.machine}: its disk is full"
        raise NoRoomError(msg, hint="free some space there") from error


def kept_for(visit: Visit, workload: Workload) -> Kept:
    """Return where a workload's preparation lies on a visit: by its commands and inputs, not by its name.

    Where it reads the activity's data, each place of these has its own: two arms of one machine may have two.
    """
    identity: tuple[object, ...] = (workload.prepare, workload.inputs, visit.machine)
    if visit.data is not None and names_data(*workload.prepare):
        identity = (*identity, visit.data.root, visit.data.files)
    digest = hashlib.sha256(repr(identity).encode()).hexdigest()[:16]
    folder = f"{visit.directory}/prepared-{digest}"
    return Kept(folder, tuple(f"{folder}.job-{number}" for number in range(len(workload.prepare))))


def prepared(visit: Visit, workload: Workload, on_tick: Callable[[], None]) -> Kept:
    """Return where a workload's preparation lies, after making it unless it is there.

    Raises:
        UnpreparedError: A command of it failed.
    """
    kept = kept_for(visit, workload)
    if kept.folder in visit.prepared or _is_whole(visit, kept):
        visit.prepared.add(kept.folder)
        return kept
    _forget(visit, kept)
    try:
        _make(visit, workload, kept, on_tick)
    except (KeyboardInterrupt, NoRoomError):
        _forget(visit, kept)
        raise
    visit.prepared.add(kept.folder)
    return kept


def _is_whole(visit: Visit, kept: Kept) -> bool:
    """Tell whether a former process made all of it: its last job has ended well."""
    last = kept.jobs[-1]
    if visit.probe.status(last).state != "ended":
        return False
    return _result(visit, last).state is State.ENDED


def _make(visit: Visit, workload: Workload, kept: Kept, on_tick: Callable[[], None]) -> None:
    visit.probe.make(kept.folder)
    *before, _ = workload.prepare
    alone = not (before and workload.keeps_inputs)
    if alone:
        put_inputs(visit, workload, kept.folder)
    else:
        base = prepared(visit, replace(workload, prepare=tuple(before)), on_tick)
        bring(visit, base, kept.folder, linked=True)
    left = 0 if alone else len(before)
    for command, job in zip(workload.prepare[left:], kept.jobs[left:], strict=True):
        visit.probe.start(_spec(visit, workload, command, kept.folder), job)
        _wait(visit, workload, job, on_tick)
        result = _result(visit, job)
        if result.state is not State.ENDED:
            raise _unprepared(visit, job, result, f"its preparation failed: {result.cause}")


def _spec(visit: Visit, workload: Workload, command: tuple[str, ...], folder: str) -> Spec:
    """Return a job on the trial's processors, without the arm's other limits: it is no part of any figure."""
    return Spec(
        command=filled(visit, command, folder),
        directory=folder,
        limits=Limits(visit.limits.cpus),
        time_limit_s=workload.time_limit_s,
        grace_s=GRACE_S,
        output_limit_bytes=workload.output_limit_bytes,
    )


def _wait(visit: Visit, workload: Workload, job: str, on_tick: Callable[[], None]) -> None:
    limit_s = workload.time_limit_s + GRACE_S + LATE_S
    visit.probe.wait(job, on_tick=on_tick, limit_s=limit_s, tick_s=0.1)


def bring(visit: Visit, kept: Kept, folder: str, *, linked: bool) -> None:
    """Copy or link what was made into a folder there.

    Raises:
        UnpreparedError: It could not be done, for want of room for example.
    """
    try:
        visit.run(("cp", "-al" if linked else "-a", f"{kept.folder}/.", folder), timeout_s=COPY_S)
        visit.run(("sync", "-f", folder), timeout_s=COPY_S)
    except AssayError as error:
        if error.exit_code is Exit.UNREACHABLE:
            raise
        cause = f"what its preparation made could not be brought into its folder: {error.message}"
        result = _result(visit, kept.jobs[-1])
        if FULL in error.message:
            result = replace(result, cause_kind=CauseKind.NO_ROOM)
        raise _unprepared(visit, kept.jobs[-1], result, cause) from error


def _unprepared(visit: Visit, job: str, result: RunResult, cause: str) -> UnpreparedError:
    """Return the failure with a result that has no totals: a preparation's are nobody's figures."""
    failed = replace(result, state=State.FAILED, cause=cause, usage=None, copies=(), phases=())
    return UnpreparedError(visit, failed, job)


def _result(visit: Visit, job: str) -> RunResult:
    with tempfile.TemporaryDirectory(prefix="assay-") as here:
        return visit.probe.fetch(job, Path(here) / "job")


def _forget(visit: Visit, kept: Kept) -> None:
    """End its jobs, and take all that was made off the machine."""
    for job in kept.jobs:
        if visit.probe.status(job).state == "running":
            visit.probe.stop(job)
            with contextlib.suppress(LostJobError, OverdueError):  # removed as it is
                visit.probe.wait(job, limit_s=GRACE_S + LATE_S)
        visit.probe.remove(job)
    visit.probe.remove(kept.folder)
    visit.prepared.discard(kept.folder)


def forget_failed(visit: Visit, workload: Workload) -> None:
    """Take a preparation that failed off the machine: the next trial makes it anew."""
    _forget(visit, kept_for(visit, workload))
