"""From what a trial brought home to its record."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from assay.activities.contained import container_doubts
from assay.activities.disturbance import causes_in, disturbance_doubts
from assay.activities.host_watch import Watched
from assay.activities.inflight import Inflight
from assay.activities.observed import observation_doubts
from assay.activities.page_cache import cache_check, cache_doubts
from assay.activities.stage import Stage
from assay.model.clock import ClockCheck
from assay.model.container import Container
from assay.model.disturbance import HostOver
from assay.model.doubt import Doubt
from assay.model.errors import AssayError
from assay.model.metric import Measurement
from assay.model.platform import GuestWeight, HypervisorCpu
from assay.model.trial import PlannedTrial, State, Trial
from assay.model.workload import Program, Workload
from assay.probe import RunResult
from assay.results.figures import judge_clock, on_host_clock, steal_doubt
from assay.workloads import measure

LATE = (
    Doubt(
        "collected-late",
        "Its controller was cut off while it ran: the clock was compared over a longer time than the trial's.",
    ),
)


Figures = tuple[State, str | None, tuple[Measurement, ...]]
"""State, the cause where it failed, and what was measured."""


@dataclass(frozen=True)
class Finished:
    """What was brought home: the probe's result, and the host's view of the same time.

    Attributes:
        result: What the probe wrote.
        clock: The machine's clock over the trial; ``None`` for this machine itself.
        cpu: CPU of the QEMU process meanwhile; ``None`` outside a guest.
        program: Executable and libraries that ran.
        folder: Where the files of the run lie here.
        late: It ended at an unknown time before it was brought home.
        host: The host meanwhile; ``None`` where it was not read.
        weight: What the guest held of its host at the end; ``None`` outside one.
        container: The container that it ran in; ``None`` outside one.
        watched: What came of watching a guest's host.
    """

    result: RunResult
    clock: ClockCheck | None
    cpu: HypervisorCpu | None
    program: Program
    folder: Path
    late: bool
    host: HostOver | None
    weight: GuestWeight | None
    container: Container | None = None
    watched: Watched = field(default_factory=Watched)


def make_record(
    activity: str,
    stage: Stage,
    workload: Workload,
    *,
    planned: PlannedTrial,
    started: Inflight,
    finished: Finished,
) -> Trial:
    """Return the record of a trial.

    Args:
        activity: Identity of its activity.
        stage: Where it ran.
        workload: What ran.
        planned: Its place in the plan.
        started: The note of its start.
        finished: What was brought home.
    """
    result = finished.result
    timing = judge_clock(finished.clock)
    cache = cache_check(started.cache, result)
    state, cause, measurements = held_figures(stage, result, workload, finished.folder)
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
            *observation_doubts(result),
            *cache_doubts(cache, served=stage.data is not None and not stage.data.local),
            *disturbance_doubts(finished.host),
            *container_doubts(finished.container, result.usage),
            *finished.watched.doubts,
            *steal_doubt(result.steal_s, wall, len(stage.facts.cpus)),
        ),
        facts=stage.facts,
        limits=result.limits,
        program=finished.program,
        platform=stage.platform,
        hypervisor_cpu=finished.cpu,
        cause_kind=result.cause_kind,
        scope=result.scope,
        copies=result.copies,
        phases=result.phases,
        series=result.series,
        counts=result.counters,
        profile=result.profile,
        cache=cache,
        host=finished.host,
        disturbed_by=causes_in(finished.host),
        container=finished.container,
        host_settings=stage.host_settings,
        data=stage.data.seen if stage.data else (),
        weight=finished.weight,
        host_watch=finished.watched.watch,
        below=stage.below,
    )


def output_name(name: str, copy: int) -> str:
    """Return the file of a copy's output; that of the first has no number."""
    return f"{name}.{copy}" if copy else name


def held_figures(stage: Stage, result: RunResult, workload: Workload, folder: Path) -> Figures:
    """Return the figures of a job whose host kept its settings: under others it would measure another thing."""
    drifted = stage.held.drifted if stage.held else ()
    if drifted:
        return State.FAILED, f"a setting of the host did not hold: {drifted[0]}", ()
    return _figures(result, workload, folder)


def _figures(result: RunResult, workload: Workload, folder: Path) -> Figures:
    """Return the figures of a job that ended well; a failed one has none, whatever it printed."""
    if result.state is not State.ENDED or result.usage is None:
        return State.FAILED, _with_last_words(result, folder), ()
    try:
        outputs = [_output(folder, copy) for copy in range(workload.placement.copies)]
        return State.ENDED, None, measure(workload, outputs=outputs, usage=result.usage, phases=result.phases)
    except AssayError as error:
        return State.FAILED, error.message, ()


def _output(folder: Path, copy: int) -> bytes:
    return (folder / output_name("stdout", copy)).read_bytes()


def _with_last_words(result: RunResult, folder: Path) -> str:
    """Add the last line that the failed copy said on its standard error, which often names the reason."""
    cause = result.cause or "the job failed"
    failed = next((copy.copy for copy in result.copies if copy.exit_code != 0), 0)
    try:
        said = (folder / output_name("stderr", failed)).read_bytes()
    except OSError:
        return cause
    lines = said[-2000:].decode(errors="replace").strip().splitlines()
    return f"{cause}; it said: {lines[-1].strip()}" if lines else cause
