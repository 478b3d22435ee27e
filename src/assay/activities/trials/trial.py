"""One trial: start it, note it, wait for it, bring it home."""

from __future__ import annotations

import os
import posixpath
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.activities.interrupts import Interrupts
from assay.activities.trials.disturbance import (
    HostBefore,
    after_trial,
    before_trial,
    host_of,
    place_of,
)
from assay.activities.trials.inflight import Inflight, clear_inflight, write_inflight
from assay.activities.trials.inputs import lay_out
from assay.activities.trials.job import GRACE_S, job_spec, own_kernel, program_of, scratch
from assay.activities.trials.page_cache import prepare_cache
from assay.activities.trials.preparation import UnpreparedError, forget_failed
from assay.activities.trials.record import Finished, make_record
from assay.activities.trials.room import (
    LEAST_BYTES,
    START_BYTES,
    loss_explained,
    require_room,
    require_room_there,
    took_its_room,
)
from assay.activities.trials.same_program import Programs
from assay.activities.trials.written import bring_written
from assay.activities.visits.host_watch import Watched, begin_watch, drop_watch, end_watch
from assay.activities.visits.visit import Visit
from assay.model.activity import ActivityPlan
from assay.model.errors import NoRoomError
from assay.model.machines.clock import ClockCheck, ClockReading
from assay.model.platforms.container import Container
from assay.model.platforms.platform import HypervisorCpu
from assay.model.trial import PlannedTrial, Trial
from assay.model.work.workload import Workload
from assay.probe import check_clock
from assay.results.losses.figures import MOST_RATE_ERROR
from assay.store.objects import with_objects
from assay.store.readers import keep_folder, keep_tree
from assay.store.record import sync_folder, write_trial

KNOWN_RATE = 0.003
"""A clock's rate is to be known to this: a third of the error that would bar its figures."""
MOST_CLOCK_WAIT_S = 60.0
"""Longer is not waited for it: over this time it is known to 1 % with a round trip of 0.6 s."""
LATE_S = 30.0
"""Beyond its time limit and grace, a trial whose probe has not ended it is lost."""


@dataclass(frozen=True)
class TrialContext:
    """What all trials of an activity share.

    Attributes:
        plan: The activity's plan.
        folder: The activity's folder.
        interrupts: Holds signals while a record is brought home.
        on_tick: Called while waiting.
        programs: What the first trials ran.
    """

    plan: ActivityPlan
    folder: Path
    interrupts: Interrupts
    on_tick: Callable[[], None]
    programs: Programs = field(default_factory=Programs)

    def tick(self) -> None:
        """Do what is done while waiting.

        Raises:
            NoRoomError: The disk of the records is nearly full.
            KeyboardInterrupt: This lane is to stop.
        """
        self.interrupts.check()
        self.on_tick()
        require_room(self.folder, LEAST_BYTES)


def run_trial(context: TrialContext, visit: Visit, planned: PlannedTrial, workload: Workload) -> Trial:
    """Run one trial to its record; an interruption stops the job and leaves no record.

    Args:
        context: What all trials share.
        visit: Where it runs.
        planned: Its place in the plan.
        workload: What runs.

    Raises:
        UnreachableError: The machine was lost.
        NoRoomError: A disk is nearly full, here or there; the trial has left nothing.
    """
    try:
        started = ready(context, visit, planned, workload)
    except UnpreparedError as error:
        with context.interrupts.held():
            return unprepared(context, planned, workload, error)
    before = before_trial(context.plan, planned.arm, level=planned.level, controller=os.sched_getaffinity(0))
    try:
        with context.interrupts.held():
            _start(context, visit, workload, started)
        limit_s = workload.time_limit_s + GRACE_S + LATE_S
        with loss_explained(visit, started.into):
            visit.probe.wait(started.into, on_tick=context.tick, limit_s=limit_s)
    except (KeyboardInterrupt, NoRoomError):
        with context.interrupts.held():
            stop_job(visit, started.into)
            drop_watch(visit.post, planned)
            visit.mark_pending(pending=False)
            clear_inflight(context.folder)
        raise
    with context.interrupts.held():
        return collect(context, visit, planned, workload, started, before=before)


def collect(
    context: TrialContext,
    visit: Visit,
    planned: PlannedTrial,
    workload: Workload,
    started: Inflight,
    *,
    before: HostBefore | None = None,
) -> Trial:
    """Bring a finished trial's record home and write it down, once, among the trials or the rejected.

    Args:
        context: What all trials share.
        visit: Where it ran.
        planned: Its place in the plan.
        workload: What ran.
        started: The note of its start.
        before: The host before it. ``None``: a former process started it, and it ended at an unknown time
            before now; what the host counted since its start is not its own, and it is never rejected.
    """
    # both at once, and before the clocks are compared, which may wait
    after = after_trial(before)
    cpu = spent(started.hypervisor_cpu, visit.hypervisor_cpu()) if before else None
    container, client_s = contained_since(visit, started), _client_s(visit, started)
    fetched, host_files = (context.folder / "trials" / f".{planned.name}.{what}" for what in ("new", "host"))
    for place in (fetched / "host", host_files):  # what came home before a connection was lost is kept
        shutil.rmtree(place, ignore_errors=True)
    watched = _watched(visit, planned, started, host_files)
    clock = clock_over(visit, started.clock)
    result = visit.probe.fetch(started.into, fetched)
    faults = bring_written(visit, workload, into=started.into, folder=fetched)
    if watched.watch is not None:
        host_files.rename(fetched / "host")
    program = program_of(visit, workload, started.into) or own_kernel(visit.probe.path)
    faults = (*context.programs.faults(planned, program), *faults)
    if took_its_room(result):
        with not_kept(context, fetched):
            blame(visit, started.into)
    host = host_of(before, after, usage=result.usage, cpu=cpu, container=container, client_s=client_s)
    weight = visit.weight()
    late = before is None
    finished = Finished(result, clock, cpu, program, fetched, late, host, weight, container, watched, faults)
    trial = make_record(context.plan.id, visit, workload, planned=planned, started=started, finished=finished)
    write_trial(fetched, with_objects(context.folder, trial))
    settle(fetched, place_of(context.plan, context.folder, planned, trial.disturbed_by))
    visit.mark_pending(pending=False)
    clear_inflight(context.folder)
    forget(visit, started.into)
    return trial


def _watched(visit: Visit, planned: PlannedTrial, started: Inflight, here: Path) -> Watched:
    """Return what came of watching a guest's host; nothing outside a guest."""
    if visit.carried is None:
        return Watched()
    return end_watch(visit.post, planned, here, unwatched=started.unwatched)


def clock_over(visit: Visit, before: ClockReading | None) -> ClockCheck | None:
    """Compare the clocks after a trial.

    Where the rate over a short trial is not known well enough, that since the visit's first comparison is
    taken, after waiting for as long as it needs: the longer the way to a machine, the longer the time that
    tells its rate.
    """
    if before is None or (after := visit.clock()) is None:
        return None
    if before.here_ns >= after.here_ns:  # noted before this machine was booted again
        before = visit.first_clock or after
        after = after if before.here_ns < after.here_ns else visit.clock() or after
        if before.here_ns >= after.here_ns:
            return None
    check = check_clock(before, after)
    if check.rate_uncertainty <= KNOWN_RATE or abs(check.rate - 1) - check.rate_uncertainty > MOST_RATE_ERROR:
        return check
    first = min(before, visit.first_clock or before, key=lambda reading: reading.here_ns)
    longer = check_clock(first, after)
    if longer.rate_uncertainty > KNOWN_RATE:
        elapsed_s = (after.here_ns - first.here_ns) / 1e9
        needed_s = elapsed_s * longer.rate_uncertainty / KNOWN_RATE
        time.sleep(min(needed_s - elapsed_s, MOST_CLOCK_WAIT_S))
        longer = check_clock(first, visit.clock() or after)
    return longer


def ready(context: TrialContext, visit: Visit, planned: PlannedTrial, workload: Workload) -> Inflight:
    """Lay everything out for a trial, in the place of an earlier try of it that was cut off."""
    into = _place(visit, planned)
    shutil.rmtree(context.folder / "trials" / f".{planned.name}.new", ignore_errors=True)
    require_room(context.folder, START_BYTES)
    stop_job(visit, into)
    lay_out(visit, workload, into, on_tick=context.tick)
    require_room_there(visit, scratch(into))
    program = program_of(visit, workload, into)  # a missing one is better said before the start
    cache = prepare_cache(visit, workload, into=into, program=program)
    unwatched = _watch(context, visit, planned, workload)
    return Inflight(
        index=planned.index,
        into=into,
        boot=visit.boot,
        guest=visit.guest.name if visit.guest else None,
        started_ns=time.time_ns(),
        clock=visit.clock(),
        hypervisor_cpu=visit.hypervisor_cpu(),
        cache=cache,
        container_cpu_s=visit.container_cpu_s(),
        client_cpu_s=visit.client_cpu_s(),
        unwatched=unwatched,
    )


def unprepared(
    context: TrialContext, planned: PlannedTrial, workload: Workload, error: UnpreparedError
) -> Trial:
    """Write down a trial that failed before its start, with the files of the preparation that failed it."""
    visit, into = error.visit, _place(error.visit, planned)
    fetched = context.folder / "trials" / f".{planned.name}.new"
    shutil.rmtree(fetched, ignore_errors=True)
    visit.probe.fetch(error.job, fetched)
    if took_its_room(error.result):
        forget_failed(visit, workload)
        with not_kept(context, fetched):
            blame(visit, into)
    note = Inflight(planned.index, into, visit.boot, None, time.time_ns(), None, None)
    program = own_kernel(visit.probe.path)
    finished = Finished(error.result, None, None, program, fetched, False, None, None)  # noqa: FBT003
    trial = make_record(context.plan.id, visit, workload, planned=planned, started=note, finished=finished)
    write_trial(fetched, with_objects(context.folder, trial))
    settle(fetched, place_of(context.plan, context.folder, planned, ()))
    clear_inflight(context.folder)
    forget_failed(visit, workload)
    forget(visit, into)
    return trial


def blame(visit: Visit, into: str) -> None:
    """Leave a job that was ended for want of room to its record where the room was its own.

    Raises:
        NoRoomError: The room is still lacking without the job's files: somebody else has filled the disk.
    """
    visit.probe.remove(scratch(into))
    try:
        require_room_there(visit, posixpath.dirname(into))
    except NoRoomError:
        visit.mark_pending(pending=False)
        forget(visit, into)
        raise


@contextmanager
def not_kept(context: TrialContext, fetched: Path) -> Iterator[None]:
    """Keep nothing of a trial that did not fail by itself: it runs again once there is room."""
    try:
        yield
    except NoRoomError:
        shutil.rmtree(fetched, ignore_errors=True)
        clear_inflight(context.folder)
        raise


def _watch(context: TrialContext, visit: Visit, planned: PlannedTrial, workload: Workload) -> str | None:
    """Begin to watch a guest's host; return why it cannot be watched."""
    if visit.carried is None:
        return None
    limit_s = workload.time_limit_s + GRACE_S + LATE_S
    return begin_watch(visit.post, planned, interval_s=context.plan.observation.interval_s, limit_s=limit_s)


def _start(context: TrialContext, visit: Visit, workload: Workload, started: Inflight) -> None:
    write_inflight(context.folder, started)  # before the mark: what is marked can always be found again
    visit.mark_pending(pending=True)
    spec = job_spec(visit, workload, context.plan.observation, started.into)
    order = started.cache.order if started.cache else None
    visit.probe.start(replace(spec, cache=order), started.into)


def end_left(visit: Visit, planned: PlannedTrial) -> None:
    """End the job of a trial that a cut-off process left: nobody will want its record.

    Raises:
        UnreachableError: The machine was lost.
    """
    stop_job(visit, _place(visit, planned))


def _place(visit: Visit, planned: PlannedTrial) -> str:
    return f"{visit.jobs or visit.directory}/{planned.name}"


def stop_job(visit: Visit, into: str) -> None:
    """End a job whose record nobody will want, and take its folders away."""
    if visit.probe.status(into).state in {"running", "lost"}:
        visit.probe.stop(into)
    if visit.probe.status(into).state == "running":
        visit.probe.wait(into, limit_s=GRACE_S + LATE_S)
    forget(visit, into)


def forget(visit: Visit, into: str) -> None:
    """Take a job's folders off the machine."""
    visit.probe.remove(scratch(into))
    visit.probe.remove(into)


def spent(before: HypervisorCpu | None, after: HypervisorCpu | None) -> HypervisorCpu | None:
    """Return what a QEMU process used between two readings; ``None`` where one is missing."""
    if before is None or after is None:
        return None
    return HypervisorCpu(
        after.vcpu_s - before.vcpu_s,
        after.other_s - before.other_s,
        _counted(before.exits, after.exits),
        _counted(before.page_table_faults, after.page_table_faults),
        _counted(before.tlb_flushes, after.tlb_flushes),
        _moved(before.vcpu_migrations, after.vcpu_migrations),
    )


def _moved(before: tuple[int, ...] | None, after: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """Return the migrations of each vCPU thread; ``None`` without both readings of the same threads."""
    if before is None or after is None or len(before) != len(after):
        return None
    return tuple(later - earlier for earlier, later in zip(before, after, strict=True))


def contained_since(visit: Visit, started: Inflight) -> Container | None:
    """Return a visit's container with what it used since a trial's start."""
    before, after = started.container_cpu_s, visit.container_cpu_s()
    spent_s = None if before is None or after is None else after - before
    return visit.contained and replace(visit.contained, cpu_s=spent_s)


def _client_s(visit: Visit, started: Inflight) -> float | None:
    """Return what the clients of mounts used since a trial's start, seconds; 0 without one.

    Returns:
        ``None`` where there was one that is gone, or another is in its place: what it used is lost with it.
        And in a plug-in's place with a kernel of its own, of which nobody tells what it takes beside the job.
    """
    if visit.plugin is not None and visit.own_clock:
        return None
    before, after = started.client_cpu_s, visit.client_cpu_s()
    if before is None and not visit.clients:
        return 0.0
    return None if before is None or after is None else after - before


def _counted(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else after - before


def settle(fetched: Path, place: Path) -> None:
    """Give a whole record its name; from here on it is never lost and never changed, and closed to others."""
    keep_tree(fetched)
    for path in fetched.rglob("*"):
        if path.is_dir():
            sync_folder(path)
        else:
            with path.open("rb") as opened:
                os.fsync(opened.fileno())
    sync_folder(fetched)
    place.parent.mkdir(exist_ok=True)
    keep_folder(place.parent)
    fetched.rename(place)
    sync_folder(place.parent)
    sync_folder(place.parent.parent)
