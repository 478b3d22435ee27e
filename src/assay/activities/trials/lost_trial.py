"""The record of a trial whose guest ended under it: a panic, or a QEMU that the kernel killed, fails the
trial.
"""

from __future__ import annotations

import shutil
import time

from assay.activities.trials.inflight import clear_inflight, read_inflight
from assay.activities.trials.trial import TrialContext, settle
from assay.activities.visits.lost import end_of_console
from assay.activities.visits.visit import Visit
from assay.machines import UnreachableError
from assay.model.trial import PlannedTrial, State, Trial
from assay.model.work.workload import Workload
from assay.platforms.guests.failure_reason import failure_reason
from assay.store.record import write_trial

SEEN_WITHIN_S = 5.0
"""A QEMU that was killed is seen to be gone well within this."""


def why_ended(visit: Visit) -> str | None:
    """Return why a guest that was lost runs no more, with its last words; ``None`` where all run, or outside
    guests.

    Its connections end before its hypervisor has seen that it did: asked again for some seconds.
    """
    guests = [one.guest for one in (visit, *visit.beside) if one.guest is not None]
    until = time.monotonic() + SEEN_WITHIN_S
    while guests:
        for guest in guests:
            if (why := failure_reason(guest.domain)) is not None:
                return "; ".join(filter(None, (why, end_of_console(guest))))
        if time.monotonic() > until:
            break
        time.sleep(0.1)
    return None


def lost_trial(
    context: TrialContext, visit: Visit, planned: PlannedTrial, workload: Workload, error: UnreachableError
) -> Trial:
    """Write down that a trial failed because its guest ended; nothing that it measured can be had any more.

    Args:
        context: What all trials share.
        visit: Where it ran.
        planned: Its place in the plan.
        workload: What ran.
        error: How the guest was lost, and why.
    """
    now, note = time.time_ns(), read_inflight(context.folder)
    trial = Trial(
        activity=context.plan.id,
        planned=planned,
        machine=visit.machine,
        state=State.FAILED,
        cause=f"its guest ended under it: {error.message}",
        exit_code=None,
        started_ns=now if note is None else note.started_ns,
        ended_ns=now,
        command=workload.command,
        boot=visit.boot,
        measurements=(),
        usage=None,
        probe=None,
        clock=None,
        doubts=(),
        facts=visit.facts,
        limits=visit.limits,
        program=None,
        platform=visit.platform,
        hypervisor_cpu=None,
        host_settings=visit.host_settings,
        below=visit.below,
        batch_job=visit.batch_job,
    )
    place = context.folder / "trials" / f".{planned.name}.new"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    write_trial(place, trial)
    settle(place, context.folder / "trials" / planned.name)
    clear_inflight(context.folder)
    return trial
