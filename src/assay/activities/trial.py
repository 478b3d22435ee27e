"""One trial: start it, note it, wait for it, collect its record."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assay.activities.figures import judge_clock, on_host_clock, steal_doubt
from assay.activities.inflight import Inflight, clear_inflight, write_inflight
from assay.activities.interrupts import Interrupts
from assay.activities.stage import Stage
from assay.model.activity import ActivityPlan
from assay.model.clock import ClockCheck
from assay.model.errors import AssayError
from assay.model.metric import Measurement
from assay.model.platform import HypervisorCpu
from assay.model.trial import PlannedTrial, State, Trial, Usage
from assay.model.workload import Program, Workload
from assay.probe import RunResult, Spec, check_clock
from assay.store.record import write_trial
from assay.workloads import fill, measure

GRACE_S = 5.0
"""A job that is told to stop has this long before it is killed."""
LATE_S = 30.0
"""Beyond its time limit and grace, a trial whose probe has not ended it is lost."""


@dataclass(frozen=True)
class Bench:
    """What all trials of an activity share.

    Attributes:
        plan: The activity's plan.
        folder: The activity's folder.
        interrupts: Holds signals while a record is brought home.
        on_tick: Called while waiting.
    """

    plan: ActivityPlan
    folder: Path
    interrupts: Interrupts
    on_tick: Callable[[], None]


def run_trial(
    bench: Bench, stage: Stage, planned: PlannedTrial, workload: Workload, *, expected_s: float
) -> Trial:
    """Run one trial to its record; an interruption stops the job and leaves no record.

    Args:
        bench: What all trials share.
        stage: Where it runs.
        planned: Its place in the plan.
        workload: What runs.
        expected_s: The machine is left alone for so long before it is asked how the job is.

    Raises:
        UnreachableError: The machine was lost.
    """
    started = _start(bench, stage, planned, workload)
    try:
        limit_s = workload.time_limit_s + GRACE_S + LATE_S
        stage.probe.wait(started.into, on_tick=bench.on_tick, expected_s=expected_s, limit_s=limit_s)
    except KeyboardInterrupt:
        with bench.interrupts.held():
            stage.probe.stop(started.into)
            stage.probe.wait(started.into, expected_s=0, limit_s=GRACE_S + LATE_S)
            stage.mark_pending(pending=False)
            clear_inflight(bench.folder)
        raise
    with bench.interrupts.held():
        return collect(bench, stage, planned, workload, started)


def collect(
    bench: Bench, stage: Stage, planned: PlannedTrial, workload: Workload, started: Inflight
) -> Trial:
    """Bring a finished trial's record home and write it down, once."""
    clock = None
    if started.clock is not None and (after := stage.clock()) is not None:
        clock = check_clock(started.clock, after)
    cpu = _spent(started.hypervisor_cpu, stage.hypervisor_cpu())
    place = bench.folder / "trials" / planned.name
    fetched = place.with_name(f".{planned.name}.new")
    shutil.rmtree(fetched, ignore_errors=True)
    finished = _Finished(stage.probe.fetch(started.into, fetched), clock, cpu, fetched)
    trial = _record(bench.plan.id, stage, workload, started=started, planned=planned, finished=finished)
    write_trial(fetched, trial)
    _settle(fetched, place)
    stage.mark_pending(pending=False)
    clear_inflight(bench.folder)
    stage.probe.remove(_scratch(started.into))
    stage.probe.remove(started.into)
    return trial


def _start(bench: Bench, stage: Stage, planned: PlannedTrial, workload: Workload) -> Inflight:
    into = f"{stage.directory}/{planned.name}"
    scratch = _scratch(into)
    stage.probe.make(scratch)
    for path in workload.inputs:
        stage.put(Path(path), f"{scratch}/{Path(path).name}")
    _program(stage, workload, scratch)  # a missing one is better said before the start
    started = Inflight(
        index=planned.index,
        into=into,
        boot=stage.boot,
        guest=stage.guest.name if stage.guest else None,
        started_ns=time.time_ns(),
        clock=stage.clock(),
        hypervisor_cpu=stage.hypervisor_cpu(),
    )
    stage.mark_pending(pending=True)
    write_inflight(bench.folder, started)
    stage.probe.start(_spec(stage, workload, scratch), into)
    return started


def _spec(stage: Stage, workload: Workload, scratch: str) -> Spec:
    return Spec(
        command=command_on(stage, workload, scratch),
        directory=scratch,
        limits=stage.limits,
        network_namespace=stage.network if workload.needs_network else None,
        time_limit_s=workload.time_limit_s,
        grace_s=GRACE_S,
    )


def command_on(stage: Stage, workload: Workload, scratch: str) -> tuple[str, ...]:
    """Return the workload's argument list as it runs on a stage."""
    return fill(workload.command, probe=stage.probe.path, directory=scratch, server=stage.server)


@dataclass(frozen=True)
class _Finished:
    """What was brought home: the probe's result, and the host's view of the same time."""

    result: RunResult
    clock: ClockCheck | None
    cpu: HypervisorCpu | None
    folder: Path


def _record(
    activity: str,
    stage: Stage,
    workload: Workload,
    *,
    planned: PlannedTrial,
    started: Inflight,
    finished: _Finished,
) -> Trial:
    result = finished.result
    timing = judge_clock(finished.clock)
    state, cause, measurements = _figures(result, workload, finished.folder)
    wall = result.usage.wall_s if result.usage else 0.0
    return Trial(
        activity=activity,
        planned=planned,
        machine=stage.machine,
        state=state,
        cause=cause,
        exit_code=result.exit_code,
        started_ns=started.started_ns,
        ended_ns=time.time_ns(),
        command=result.command,
        boot=started.boot,
        measurements=on_host_clock(measurements, timing),
        usage=result.usage,
        probe=result.cost,
        clock=finished.clock,
        doubts=(*timing.doubts, *result.doubts, *steal_doubt(result.steal_s, wall, len(stage.facts.cpus))),
        facts=stage.facts,
        limits=result.limits,
        program=_program(stage, workload, _scratch(started.into)),
        platform=stage.platform,
        hypervisor_cpu=finished.cpu,
    )


def _program(stage: Stage, workload: Workload, scratch: str) -> Program | None:
    """Look up the workload's executable; one with a slash is a file of the trial's own folder."""
    if workload.program is None:
        return None
    own = "/" in workload.program and not workload.program.startswith("/")
    return stage.program(f"{scratch}/{workload.program}" if own else workload.program)


def _figures(
    result: RunResult, workload: Workload, folder: Path
) -> tuple[State, str | None, tuple[Measurement, ...]]:
    """Return the figures of a job that ended well; a failed one has none, whatever it printed."""
    if result.state is not State.ENDED or result.usage is None:
        return State.FAILED, _with_last_words(result.cause or "the job failed", folder), ()
    try:
        return State.ENDED, None, _measure(workload, folder, result.usage)
    except AssayError as error:
        return State.FAILED, error.message, ()


def _measure(workload: Workload, folder: Path, usage: Usage) -> tuple[Measurement, ...]:
    return measure(workload, output=(folder / "stdout").read_bytes(), usage=usage)


def _with_last_words(cause: str, folder: Path) -> str:
    """Add the last line that the job said on its standard error, which often names the reason."""
    try:
        lines = (folder / "stderr").read_bytes()[-2000:].decode(errors="replace").strip().splitlines()
    except OSError:
        lines = []
    return f"{cause}; it said: {lines[-1].strip()}" if lines else cause


def _spent(before: HypervisorCpu | None, after: HypervisorCpu | None) -> HypervisorCpu | None:
    if before is None or after is None:
        return None
    return HypervisorCpu(after.vcpu_s - before.vcpu_s, after.other_s - before.other_s)


def _scratch(into: str) -> str:
    return f"{into}.work"


def _settle(fetched: Path, place: Path) -> None:
    """Give a whole record its name; from here on it is never lost and never changed."""
    for file in fetched.iterdir():
        with file.open("rb") as opened:
            os.fsync(opened.fileno())
    fetched.rename(place)
    descriptor = os.open(place.parent, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)
