"""From what a trial brought home to its record."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.activities.trials.computed import computed
from assay.activities.trials.disturbance import causes_in, disturbance_doubts
from assay.activities.trials.inflight import Inflight
from assay.activities.trials.kept import end_of
from assay.activities.trials.observed import observation_doubts
from assay.activities.trials.page_cache import cache_check, cache_doubts
from assay.activities.trials.written import output_name, wrote
from assay.activities.visits.contained import container_doubts
from assay.activities.visits.host_watch import Watched
from assay.activities.visits.visit import Visit
from assay.model.doubt import Doubt, Raised, raised
from assay.model.errors import AssayError
from assay.model.machines.clock import ClockCheck
from assay.model.metric import Measurement
from assay.model.platforms.container import Container
from assay.model.platforms.platform import GuestWeight, HypervisorCpu
from assay.model.trial import CauseKind, PlannedTrial, State, Trial
from assay.model.work.disturbance import HostOver
from assay.model.work.page_cache import CacheCheck
from assay.model.work.workload import Program, Workload
from assay.probe import RunResult
from assay.report.doubts import worded
from assay.results.losses.figures import Timing, judge_clock, on_host_clock, steal_doubt
from assay.workloads import exit_is_good, measure, output_doubts, read_figures, reads_errors, unmet
from assay.workloads.command import USAGE, measure_copies


@dataclass(frozen=True)
class Figures:
    """What a job came to.

    Attributes:
        state: ``ended`` or ``failed``.
        cause: Why it failed; ``None`` where it did not.
        measurements: What was measured; empty where it failed.
        doubts: What a tool says against its own figures.
        file_bytes: Size of the file that a tool worked on; ``None`` where none tells.
    """

    state: State
    cause: str | None = None
    measurements: tuple[Measurement, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    file_bytes: int | None = None


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
        faults: What is wrong with the files that it was to write (``bring_written``).
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
    faults: tuple[str, ...] = ()


def make_record(
    activity: str,
    visit: Visit,
    workload: Workload,
    *,
    planned: PlannedTrial,
    started: Inflight,
    finished: Finished,
) -> Trial:
    """Return the record of a trial.

    Args:
        activity: Identity of its activity.
        visit: Where it ran.
        workload: What ran.
        planned: Its place in the plan.
        started: The note of its start.
        finished: What was brought home.
    """
    result = finished.result
    timing = judge_clock(finished.clock)
    cache = cache_check(started.cache, result)
    figures = held_figures(visit, result, workload, finished.folder, faults=finished.faults)
    return Trial(
        activity=activity,
        planned=planned,
        machine=visit.machine,
        state=figures.state,
        cause=figures.cause,
        exit_code=result.exit_code,
        started_ns=started.started_ns,
        ended_ns=time.time_ns(),
        command=result.command,
        boot=started.boot,
        measurements=on_host_clock(figures.measurements, timing),
        usage=result.usage,
        probe=result.cost,
        clock=finished.clock,
        doubts=tuple(map(worded, _doubts(visit, finished, figures, cache, timing))),
        facts=visit.facts,
        limits=result.limits,
        program=finished.program,
        platform=visit.platform,
        hypervisor_cpu=finished.cpu,
        cause_kind=result.cause_kind if figures.state is State.FAILED else None,
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
        host_settings=visit.host_settings,
        data=(*(visit.data.seen if visit.data else ()), *visit.scratch),
        weight=finished.weight,
        host_watch=finished.watched.watch,
        below=visit.below,
        batch_job=visit.batch_job,
        result_digest=computed(figures.state, [(workload, finished.folder)]),
        file_bytes=figures.file_bytes,
        plugin=visit.plugin,
    )


def _doubts(
    visit: Visit, finished: Finished, figures: Figures, cache: CacheCheck | None, timing: Timing
) -> Iterator[Doubt | Raised]:
    """Yield what speaks against a trial, in the order in which its record keeps it."""
    result = finished.result
    wall_s = result.usage.wall_s if result.usage else 0.0
    if finished.late:
        yield raised("collected-late")
    yield from timing.doubts
    yield from result.doubts
    yield from observation_doubts(result)
    yield from cache_doubts(cache, served=visit.data is not None and not visit.data.local)
    yield from disturbance_doubts(finished.host)
    yield from container_doubts(finished.container, result.usage)
    yield from finished.watched.doubts
    yield from figures.doubts
    yield from steal_doubt(result.steal_s, wall_s, len(visit.facts.cpus))


def held_figures(
    visit: Visit, result: RunResult, workload: Workload, folder: Path, *, faults: Sequence[str] = ()
) -> Figures:
    """Return the figures of a job whose host kept its settings: under others it would measure
    another thing.
    """
    drifted = visit.held.drifted if visit.held else ()
    if drifted:
        return Figures(State.FAILED, f"a setting of the host did not hold: {drifted[0]}")
    processors = len(result.limits.cpus) or len(visit.facts.cpus)
    return _figures(result, workload, folder, faults, processors)


def _figures(
    result: RunResult, workload: Workload, folder: Path, faults: Sequence[str], processors: int
) -> Figures:
    """Return the figures of a job that succeeded; a failed one has none, whatever it printed."""
    if result.usage is None or not _came_to_its_end(result, workload):
        return Figures(State.FAILED, _with_reason(result, workload, folder))
    try:
        copies = wrote(workload, folder)
        if fault := next(
            filter(None, (*_bad_exits(result, workload), *faults, unmet(workload.success, copies))), None
        ):
            return Figures(State.FAILED, f"the job did not succeed: {fault}")
        read = read_figures(workload, copies)
        if read.open_end is not None and (fault := _ended_early(result)):
            return Figures(
                State.FAILED, f"{read.open_end} may be cut off, for nothing marks its end: {fault}"
            )
        outputs = [copy.combined if reads_errors(workload) else copy.output for copy in copies]
        figures = measure(
            workload,
            outputs=outputs,
            usage=result.usage,
            phases=result.phases,
            own=read.figures,
            processors=processors,
        )
        figures = (*measure_copies(workload, result.copies), *figures)
        doubts = tuple(map(worded, (*read.doubts, *output_doubts(workload, outputs))))
    except AssayError as error:
        return Figures(State.FAILED, error.message)
    return Figures(State.ENDED, None, figures, doubts, read.file_bytes)


def _ended_early(result: RunResult) -> str | None:
    """Return why a job may have left its output unfinished; ``None`` where it exited with 0 and closed its
    streams.
    """
    if code := next((code for code in _codes(result) if code != 0), None):
        return f"expected the exit code 0, got {code}"
    if result.leftover_processes:
        return f"expected its streams closed, got {result.leftover_processes} processes that outlived it"
    return None


def _came_to_its_end(result: RunResult, workload: Workload) -> bool:
    """Tell whether a job ended well, or with exit codes that are good for it; no signal or limit ended it."""
    if result.state is State.ENDED:
        return True
    codes = _codes(result)
    good = all(code == 0 or exit_is_good(workload.success, code) for code in codes)
    return result.cause_kind is CauseKind.EXIT and bool(codes) and good


def _bad_exits(result: RunResult, workload: Workload) -> Iterator[str]:
    """Yield exit codes that are not good, of a job that came to its end: a 0 where another was asked for."""
    good = workload.success.exit if workload.success else (0,)
    for code in _codes(result):
        if not exit_is_good(workload.success, code):
            yield f"expected the exit code {' or '.join(map(str, good))}, got {code}"


def _codes(result: RunResult) -> list[int | None]:
    """Return the exit code of each copy; of the job, before protocol 1.1."""
    return [copy.exit_code for copy in result.copies] or [result.exit_code]


def _with_reason(result: RunResult, workload: Workload, folder: Path) -> str:
    """Return why a job failed, with what may lie behind it."""
    if result.cause_kind is CauseKind.OUTPUT_LIMIT and workload.parser == USAGE:
        return f"{result.cause} ('output-limit' of the workload lets it write more)"
    return _with_last_words(result, folder)


def _with_last_words(result: RunResult, folder: Path) -> str:
    """Add the last line that the failed copy said on its standard error, which often names the reason."""
    cause = result.cause or "the job failed"
    failed = next((copy.copy for copy in result.copies if copy.exit_code != 0), 0)
    try:
        tail = end_of(folder, output_name("stderr", failed), 2000)
    except OSError:
        return cause
    lines = tail.decode(errors="replace").strip().splitlines()
    return f"{cause}; it said: {lines[-1].strip()}" if lines else cause
