"""One trial: start it, note it, wait for it, collect its record."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from assay.activities.figures import judge_clock, on_host_clock, steal_doubt
from assay.activities.inflight import Inflight, clear_inflight, write_inflight
from assay.activities.interrupts import Interrupts
from assay.activities.page_cache import cache_check, cache_doubts, prepare_cache
from assay.activities.prepare import comes_along
from assay.activities.stage import Stage
from assay.model.activity import ActivityPlan
from assay.model.clock import ClockCheck, ClockReading
from assay.model.doubt import Doubt
from assay.model.errors import AssayError
from assay.model.metric import Measurement
from assay.model.platform import HypervisorCpu
from assay.model.trial import PlannedTrial, State, Trial, Usage
from assay.model.workload import File, Program, Workload
from assay.probe import RunResult, Spec, check_clock, probe_sha256
from assay.store.record import sync_folder, write_trial
from assay.workloads import fill, measure

GRACE_S = 5.0
"""A job that is told to stop has this long before it is killed."""
KNOWN_RATE = 0.003
"""A clock's rate is to be known to this: a third of the error that would bar its figures."""
MOST_CLOCK_WAIT_S = 5.0
"""Longer is not waited for it."""
LATE_S = 30.0
"""Beyond its time limit and grace, a trial whose probe has not ended it is lost."""

LATE = (
    Doubt(
        "collected-late",
        "Its controller was cut off while it ran: the clock was compared over a longer time than the trial's.",
    ),
)


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
    started = _ready(stage, planned, workload)
    try:
        with bench.interrupts.held():
            _start(bench, stage, workload, started)
        limit_s = workload.time_limit_s + GRACE_S + LATE_S
        stage.probe.wait(started.into, on_tick=bench.on_tick, expected_s=expected_s, limit_s=limit_s)
    except KeyboardInterrupt:
        with bench.interrupts.held():
            _stop(stage, started.into)
            stage.mark_pending(pending=False)
            clear_inflight(bench.folder)
        raise
    with bench.interrupts.held():
        return collect(bench, stage, planned, workload, started)


def collect(
    bench: Bench,
    stage: Stage,
    planned: PlannedTrial,
    workload: Workload,
    started: Inflight,
    *,
    late: bool = False,
) -> Trial:
    """Bring a finished trial's record home and write it down, once.

    Args:
        bench: What all trials share.
        stage: Where it ran.
        planned: Its place in the plan.
        workload: What ran.
        started: The note of its start.
        late: It ended at an unknown time before now: what the host counted since its start is not its own.
    """
    clock = _clock_over(stage, started.clock)
    cpu = None if late else _spent(started.hypervisor_cpu, stage.hypervisor_cpu())
    place = bench.folder / "trials" / planned.name
    fetched = place.with_name(f".{planned.name}.new")
    shutil.rmtree(fetched, ignore_errors=True)
    finished = _Finished(stage.probe.fetch(started.into, fetched), clock, cpu, fetched, late)
    trial = _record(bench.plan.id, stage, workload, started=started, planned=planned, finished=finished)
    write_trial(fetched, trial)
    _settle(fetched, place)
    stage.mark_pending(pending=False)
    clear_inflight(bench.folder)
    _forget(stage, started.into)
    return trial


def _clock_over(stage: Stage, before: ClockReading | None) -> ClockCheck | None:
    """Compare the clocks after a trial; after a short one wait until the rate is known well enough."""
    if before is None or (after := stage.clock()) is None:
        return None
    check = check_clock(before, after)
    if check.rate_uncertainty > KNOWN_RATE:
        elapsed_s = (after.here_ns - before.here_ns) / 1e9
        needed_s = elapsed_s * check.rate_uncertainty / KNOWN_RATE
        time.sleep(min(needed_s - elapsed_s, MOST_CLOCK_WAIT_S))
        check = check_clock(before, stage.clock() or after)
    return check


def _ready(stage: Stage, planned: PlannedTrial, workload: Workload) -> Inflight:
    """Lay everything out for a trial, in the place of an earlier try of it that was cut off."""
    into = f"{stage.directory}/{planned.name}"
    _stop(stage, into)
    scratch = _scratch(into)
    stage.probe.make(scratch)
    for path in workload.inputs:
        stage.put(Path(path), f"{scratch}/{Path(path).name}")
    program = _program(stage, workload, scratch)  # a missing one is better said before the start
    cache = prepare_cache(stage, workload, scratch=scratch, program=program)
    return Inflight(
        index=planned.index,
        into=into,
        boot=stage.boot,
        guest=stage.guest.name if stage.guest else None,
        started_ns=time.time_ns(),
        clock=stage.clock(),
        hypervisor_cpu=stage.hypervisor_cpu(),
        cache=cache,
    )


def _start(bench: Bench, stage: Stage, workload: Workload, started: Inflight) -> None:
    write_inflight(bench.folder, started)  # before the mark: what is marked can always be found again
    stage.mark_pending(pending=True)
    spec = _spec(stage, workload, _scratch(started.into))
    order = started.cache.order if started.cache else None
    stage.probe.start(replace(spec, cache=order), started.into)


def _stop(stage: Stage, into: str) -> None:
    """End a job whose record nobody will want, and take its folders away."""
    if stage.probe.status(into).state in {"running", "lost"}:
        stage.probe.stop(into)
    if stage.probe.status(into).state == "running":
        stage.probe.wait(into, expected_s=0, limit_s=GRACE_S + LATE_S)
    _forget(stage, into)


def _forget(stage: Stage, into: str) -> None:
    stage.probe.remove(_scratch(into))
    stage.probe.remove(into)


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
    late: bool


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
    cache = cache_check(started.cache, result)
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
        doubts=(
            *(LATE if finished.late else ()),
            *timing.doubts,
            *result.doubts,
            *cache_doubts(cache),
            *steal_doubt(result.steal_s, wall, len(stage.facts.cpus)),
        ),
        facts=stage.facts,
        limits=result.limits,
        program=_program(stage, workload, _scratch(started.into)) or own_kernel(stage.probe.path),
        platform=stage.platform,
        hypervisor_cpu=finished.cpu,
        cache=cache,
    )


def _program(stage: Stage, workload: Workload, scratch: str) -> Program | None:
    """Look up the workload's executable; one with a slash is a file of the trial's own folder."""
    if workload.program is None:
        return None
    own = comes_along(workload.program)
    return stage.program(f"{scratch}/{workload.program}" if own else workload.program)


def own_kernel(path: str) -> Program:
    """Return the probe as the executable of its own kernels; it is static and shipped by its content."""
    return Program(File(Path(path).name, path, probe_sha256()))


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
    sync_folder(fetched)
    fetched.rename(place)
    sync_folder(place.parent)
