"""One trial in several guests, or on several machines: prepared in each, released at one moment of the
controller's clock, brought home.

The guests' jobs are started before that moment and wait for it, each by its own clock, which was compared
just before. The host and all QEMU processes are read while they wait, so that both counts are of the trial.
What was cut off is never taken up again: a common start cannot be had twice.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.activities.joint.links import links_of, links_since
from assay.activities.joint.merged import Joint, Part, make_joint_record, part_name
from assay.activities.joint.merged_totals import all_contained, all_cpu
from assay.activities.plan.layout import part_of, starts_of
from assay.activities.trials.disturbance import HostBefore, after_trial, before_trial, host_of, place_of
from assay.activities.trials.inflight import Inflight, clear_inflight, write_inflight
from assay.activities.trials.job import GRACE_S, job_spec, own_kernel, program_of
from assay.activities.trials.page_cache import evict_again
from assay.activities.trials.preparation import UnpreparedError
from assay.activities.trials.room import loss_explained, took_its_room
from assay.activities.trials.trial import (
    LATE_S,
    TrialContext,
    blame,
    clock_over,
    contained_since,
    forget,
    not_kept,
    ready,
    settle,
    spent,
    stop_job,
    unprepared,
)
from assay.activities.trials.written import bring_written
from assay.activities.visits.visit import Visit
from assay.model.errors import NoRoomError
from assay.model.platforms.layout import Layout
from assay.model.platforms.platform import HypervisorCpu
from assay.model.trial import LinkBytes, PlannedTrial, Trial
from assay.model.work.workload import Workload
from assay.store.objects import with_objects
from assay.store.record import write_trial

LEAD_S = 1.5
"""Before the common moment, and as much again for each guest: to compare its clock and start its job."""

READING_S = 0.2
"""Before the common moment, to read the host and the QEMU processes: some milliseconds, more on a
busy host.
"""


@dataclass(frozen=True)
class Begun:
    """One guest of a trial that is under way.

    Attributes:
        visit: Where it runs.
        note: What was noted before its start.
        asked_s: Its release after the common moment.
        part: What it runs of the work.
        counted: What had passed each interface of a machine when all jobs waited for the moment.
    """

    visit: Visit
    note: Inflight
    asked_s: float
    part: Workload
    counted: tuple[LinkBytes, ...] = ()


def run_group(context: TrialContext, visit: Visit, planned: PlannedTrial, workload: Workload) -> Trial:
    """Run one trial in a visit's guest and those beside it; arguments and errors as of ``run_trial``.

    Each runs its part of the copies. An interruption stops all jobs and leaves no record.
    """
    visits = (visit, *visit.beside)
    arm = context.plan.arm_of(planned)
    parts = [part_of(workload, len(visits), number) for number in range(len(visits))]
    part = parts[0]
    try:
        notes = [ready(context, one, planned, own) for one, own in zip(visits, parts, strict=True)]
    except UnpreparedError as error:
        with context.interrupts.held():
            return unprepared(context, planned, part, error)
    starts = starts_of(workload, Layout(arm.parts) if arm.beside else arm.layout)
    caches = evict_again(visits, [note.cache for note in notes], part)
    begun = [
        Begun(one, replace(note, cache=cache), asked_s, own)
        for one, note, cache, asked_s, own in zip(visits, notes, caches, starts, parts, strict=True)
    ]
    try:
        with context.interrupts.held():
            moment_ns = _start(context, begun)
        begun = [replace(one, counted=links_of(one.visit)) for one in begun]
        before, begun = _read_before(context, begun, planned, moment_ns=moment_ns)
        _wait(context, begun)
    except (KeyboardInterrupt, NoRoomError):
        with context.interrupts.held():
            for one in begun:
                stop_job(one.visit, one.note.into)
            clear_inflight(context.folder)
        raise
    with context.interrupts.held():
        return _collect(context, begun, planned, workload, before=before, moment_ns=moment_ns)


def _start(context: TrialContext, begun: Sequence[Begun]) -> int:
    """Start all jobs for one moment, and return it on the controller's monotonic clock."""
    # not one guest's note: a process that finds it runs the trial again
    write_inflight(
        context.folder, replace(begun[0].note, guest=None, clock=None, hypervisor_cpu=None, cache=None)
    )
    moment_ns = time.monotonic_ns() + round(LEAD_S * (1 + len(begun)) * 1e9)
    for one in begun:
        at = one.visit.probe.start_at(moment_ns + round(one.asked_s * 1e9))
        spec = job_spec(one.visit, one.part, context.plan.observation, one.note.into)
        order = one.note.cache.order if one.note.cache else None
        start = replace(spec.start, at_mono_ns=at.at_mono_ns)
        one.visit.probe.start(replace(spec, cache=order, start=start), one.note.into)
    return moment_ns


def _read_before(
    context: TrialContext, begun: Sequence[Begun], planned: PlannedTrial, *, moment_ns: int
) -> tuple[HostBefore, list[Begun]]:
    """Read the host and all QEMU processes together just before the common moment, when all jobs
    wait for it.
    """
    time.sleep(max(0.0, (moment_ns - time.monotonic_ns()) / 1e9 - READING_S))
    before = before_trial(context.plan, planned.arm, level=planned.level, controller=os.sched_getaffinity(0))
    used = [one.visit.hypervisor_cpu() for one in begun]
    notes = [replace(one.note, hypervisor_cpu=cpu) for one, cpu in zip(begun, used, strict=True)]
    return before, [replace(one, note=note) for one, note in zip(begun, notes, strict=True)]


def _wait(context: TrialContext, begun: Sequence[Begun]) -> None:
    """Wait for one after the other; those that are not waited for are not asked."""
    lead_s = LEAD_S * (1 + len(begun))
    for one in begun:
        limit_s = lead_s + one.asked_s + one.part.time_limit_s + GRACE_S + LATE_S
        with loss_explained(one.visit, one.note.into):
            one.visit.probe.wait(one.note.into, on_tick=context.tick, limit_s=limit_s)


def _collect(
    context: TrialContext,
    begun: Sequence[Begun],
    planned: PlannedTrial,
    workload: Workload,
    *,
    before: HostBefore,
    moment_ns: int,
) -> Trial:
    """Bring the parts of a finished trial home and write its record down, once."""
    after = after_trial(before)
    used = [spent(one.note.hypervisor_cpu, one.visit.hypervisor_cpu()) for one in begun]
    passed = [links_since(one.counted, links_of(one.visit)) for one in begun]
    fetched = context.folder / "trials" / f".{planned.name}.new"
    shutil.rmtree(fetched, ignore_errors=True)
    fetched.mkdir(parents=True)
    parts = [
        _fetch(one, number, folder=fetched / part_name(one.visit, number), cpu=cpu)
        for number, (one, cpu) in enumerate(zip(begun, used, strict=True))
    ]
    parts = [
        replace(part, faults=(*_changed(context, planned, part), *part.faults), links=links)
        for part, links in zip(parts, passed, strict=True)
    ]
    for one, part in zip(begun, parts, strict=True):
        if took_its_room(part.result):
            with not_kept(context, fetched):
                blame(one.visit, one.note.into)
    joint = Joint(context.plan.id, planned, workload, tuple(parts), moment_ns)
    boxes = all_contained([contained_since(one.visit, one.note) for one in begun])
    host = host_of(before, after, usage=None, cpu=all_cpu(used), container=boxes)
    trial = make_joint_record(joint, begun[0].visit, started_ns=begun[0].note.started_ns, host=host)
    trial = replace(trial, container=boxes)
    write_trial(fetched, with_objects(context.folder, trial))
    settle(fetched, place_of(context.plan, context.folder, planned, trial.disturbed_by))
    clear_inflight(context.folder)
    for one in begun:
        forget(one.visit, one.note.into)
    return trial


def _changed(context: TrialContext, planned: PlannedTrial, part: Part) -> Iterator[str]:
    """Yield what of a part's program has changed: guests boot from one image, machines are each their own."""
    return context.programs.faults(planned, part.program, machine=part.number if part.visit.joined else 0)


def _fetch(one: Begun, number: int, *, folder: Path, cpu: HypervisorCpu | None) -> Part:
    """Bring one guest's part of a trial home."""
    clock = clock_over(one.visit, one.note.clock)
    result = one.visit.probe.fetch(one.note.into, folder)
    faults = bring_written(one.visit, one.part, into=one.note.into, folder=folder)
    program = program_of(one.visit, one.part, one.note.into) or own_kernel(one.visit.probe.path)
    weight = one.visit.guest.weight() if one.visit.guest else None
    return Part(number, one.visit, one.note, one.asked_s, result, clock, cpu, program, folder, weight, faults)
