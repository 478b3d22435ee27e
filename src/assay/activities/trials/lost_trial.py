"""The record of a trial whose guest ended under it: a panic, or a QEMU that the kernel killed, fails the trial."""

from __future__ import annotations

import shutil
import time

from assay.activities.places.lost import end_of_console
from assay.activities.places.stage import Stage
from assay.activities.trials.inflight import clear_inflight, read_inflight
from assay.activities.trials.trial import Bench, settle
from assay.machines import UnreachableError
from assay.model.trial import PlannedTrial, State, Trial
from assay.model.work.workload import Workload
from assay.platforms.guests.halted import halted
from assay.store.record import write_trial

SEEN_WITHIN_S = 5.0
"""A QEMU that was killed is seen to be gone well within this."""


def why_ended(stage: Stage) -> str | None:
    """Return why a guest that was lost runs no more, with its last words; ``None`` where all run, or outside guests.

    Its connections end before its hypervisor has seen that it did: asked again for some seconds.
    """
    guests = [one.guest for one in (stage, *stage.beside) if one.guest is not None]
    until = time.monotonic() + SEEN_WITHIN_S
    while guests:
        for guest in guests:
            if (why := halted(guest.domain)) is not None:
                return "; ".join(filter(None, (why, end_of_console(guest))))
        if time.monotonic() > until:
            break
        time.sleep(0.1)
    return None


def lost_trial(
    bench: Bench, stage: Stage, planned: PlannedTrial, workload: Workload, error: UnreachableError
) -> Trial:
    """Write down that a trial failed because its guest ended; nothing that it measured can be had any more.

    Args:
        bench: What all trials share.
        stage: Where it ran.
        planned: Its place in the plan.
        workload: What ran.
        error: How the guest was lost, and why.
    """
    now, note = time.time_ns(), read_inflight(bench.folder)
    trial = Trial(
        activity=bench.plan.id,
        planned=planned,
        machine=stage.machine,
        state=State.FAILED,
        cause=f"its guest ended under it: {error.message}",
        exit_code=None,
        started_ns=now if note is None else note.started_ns,
        ended_ns=now,
        command=workload.command,
        boot=stage.boot,
        measurements=(),
        usage=None,
        probe=None,
        clock=None,
        doubts=(),
        facts=stage.facts,
        limits=stage.limits,
        program=None,
        platform=stage.platform,
        hypervisor_cpu=None,
        host_settings=stage.host_settings,
        below=stage.below,
    )
    place = bench.folder / "trials" / f".{planned.name}.new"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    write_trial(place, trial)
    settle(place, bench.folder / "trials" / planned.name)
    clear_inflight(bench.folder)
    return trial
