"""The record of a trial that several guests ran together: their figures joined as those of copies are."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.activities.joint.merged_doubts import joint_doubts, late_doubts
from assay.activities.joint.merged_times import NS, copies_of, on_controller, phases_of, seconds_after
from assay.activities.joint.merged_totals import all_cache, all_cost, all_cpu, all_usage, all_weight
from assay.activities.plan.layout import part_of
from assay.activities.trials.computed import computed
from assay.activities.trials.disturbance import causes_in, disturbance_doubts
from assay.activities.trials.inflight import Inflight
from assay.activities.trials.observed import observation_doubts
from assay.activities.trials.page_cache import cache_check, cache_doubts
from assay.activities.trials.record import Figures, held_figures
from assay.activities.trials.written import wrote
from assay.activities.visits.visit import Visit
from assay.model.doubt import Doubt, Raised
from assay.model.errors import AssayError
from assay.model.machines.clock import ClockCheck, Instant
from assay.model.machines.machine import Limits
from assay.model.metric import Measurement
from assay.model.platforms.container import CONTAINER
from assay.model.platforms.platform import GuestWeight, HypervisorCpu
from assay.model.trial import LinkBytes, Member, PlannedTrial, State, Trial, Usage
from assay.model.work.disturbance import HostOver
from assay.model.work.workload import Program, Workload
from assay.probe import RunResult
from assay.report.doubts import worded
from assay.results.losses.figures import Timing, judge_clock, on_host_clock, steal_doubt
from assay.workloads import measure_accounting, measure_usage, measured_by, tells_usage
from assay.workloads.copies import one_after_another, together


@dataclass(frozen=True)
class Part:
    """What one guest brought home of a trial.

    Attributes:
        number: The guest, from 0.
        visit: Where it ran.
        note: What was noted before its start.
        asked_s: Release that was asked for, after the common moment.
        result: What its probe wrote.
        clock: Its clock over the trial.
        cpu: CPU of its QEMU process meanwhile.
        program: Executable and libraries that ran.
        folder: Where the files of its run lie here.
        weight: What it held of its host at the end.
        faults: What is wrong with the files that it was to write.
        links: What passed each interface of a machine meanwhile.
    """

    number: int
    visit: Visit
    note: Inflight
    asked_s: float
    result: RunResult
    clock: ClockCheck | None
    cpu: HypervisorCpu | None
    program: Program
    folder: Path
    weight: GuestWeight | None
    faults: tuple[str, ...] = ()
    links: tuple[LinkBytes, ...] = ()

    @property
    def name(self) -> str:
        """What it is called in the record, and the folder of its files."""
        return part_name(self.visit, self.number)

    @property
    def timing(self) -> Timing:
        """What its clock allows."""
        return judge_clock(self.clock)

    @property
    def rate(self) -> float:
        """Seconds of its clock per second of the controller's; where that bars figures, the best that is
        known.
        """
        return self.timing.rate or (self.clock.rate if self.clock else 1.0)


def part_name(visit: Visit, number: int) -> str:
    """Return what one of several guests, containers or machines is called, ``guest-0``."""
    kind = "machine" if visit.joined else "guest" if visit.container is None else CONTAINER
    return f"{kind}-{number}"


@dataclass(frozen=True)
class Joint:
    """A trial that several guests ran together.

    Attributes:
        activity: Identity of its activity.
        planned: Its place in the plan.
        workload: What ran, with the copies of all guests together.
        parts: One a guest.
        moment_ns: The common moment on the controller's monotonic clock.
    """

    activity: str
    planned: PlannedTrial
    workload: Workload
    parts: tuple[Part, ...]
    moment_ns: int


def make_joint_record(joint: Joint, visit: Visit, *, started_ns: int, host: HostOver | None) -> Trial:
    """Return the record of a trial of several guests; a guest whose job failed fails it.

    Args:
        joint: What was brought home.
        visit: The first guest's.
        started_ns: The controller's wall clock at the start.
        host: The host meanwhile; ``None`` where it was not read.
    """
    parts, first = joint.parts, joint.parts[0].result
    members = tuple(_member(joint, part) for part in parts)
    usage = all_usage([(part.result.usage, part.rate) for part in parts], _wall_s(members))
    figures = _figures(joint, members, usage)
    failed = next((part.result for part in parts if part.result.state is not State.ENDED), first)
    return Trial(
        activity=joint.activity,
        planned=joint.planned,
        machine=visit.machine,
        state=figures.state,
        cause=figures.cause,
        exit_code=failed.exit_code,
        started_ns=started_ns,
        ended_ns=time.time_ns(),
        command=first.command,
        boot=visit.boot,
        measurements=figures.measurements,
        usage=usage,
        probe=all_cost([part.result.cost for part in parts]),
        clock=None,
        doubts=(
            *joint_doubts(
                [tuple(_doubts(part)) for part in parts],
                names=[part.visit.machine for part in parts] if visit.joined else (),
            ),
            *map(worded, (*late_doubts(members), *disturbance_doubts(host))),
            *figures.doubts,
        ),
        facts=visit.facts,
        limits=_limits(members[:1] if visit.joined else members),
        program=parts[0].program,
        platform=visit.platform,
        hypervisor_cpu=all_cpu([part.cpu for part in parts]),
        cause_kind=failed.cause_kind if figures.state is State.FAILED else None,
        scope=first.scope,
        copies=tuple(copies_of([(part.result.copies, part.clock, part.rate) for part in parts])),
        phases=tuple(
            phases_of([(part.result.phases, part.clock, part.rate) for part in parts], _each(joint))
        ),
        cache=all_cache([member.cache for member in members]),
        host=host,
        disturbed_by=causes_in(host),
        host_settings=visit.host_settings,
        weight=all_weight([part.weight for part in parts]),
        data=(*(visit.data.seen if visit.data else ()), *visit.scratch),
        members=members,
        below=visit.below,
        file_bytes=figures.file_bytes,
        result_digest=computed(
            figures.state, [(part_of(joint.workload, len(parts)), one.folder) for one in parts]
        ),
    )


def _limits(members: Sequence[Member]) -> Limits:
    return Limits(tuple(sorted({cpu for member in members for cpu in member.cpus})))


def _each(joint: Joint) -> int:
    """Return the copies that each guest ran."""
    return part_of(joint.workload, len(joint.parts)).placement.copies


def _member(joint: Joint, part: Part) -> Member:
    platform, result = part.visit.platform or part.visit.contained, part.result
    ran = bool(result.copies)
    return Member(
        name=part.name,
        guest=part.visit.guest.name if part.visit.guest else part.visit.machine,
        boot=part.visit.boot,
        cpus=platform.cpus if platform else result.limits.cpus if part.visit.joined else (),
        memory_bytes=(platform and platform.memory_bytes) or part.visit.facts.memory_bytes,
        copies=_each(joint),
        asked_s=part.asked_s,
        started_s=seconds_after(joint.moment_ns, result.started, part.clock) if ran else None,
        ended_s=seconds_after(joint.moment_ns, result.ended, part.clock) if ran else None,
        clock=part.clock,
        usage=result.usage,
        hypervisor_cpu=part.cpu,
        weight=part.weight,
        cache=cache_check(part.note.cache, result),
        links=part.links,
    )


def _wall_s(members: tuple[Member, ...]) -> float | None:
    """Return the time from the first release to the last end."""
    starts = [member.started_s for member in members if member.started_s is not None]
    ends = [member.ended_s for member in members if member.ended_s is not None]
    return max(ends) - min(starts) if len(starts) == len(ends) == len(members) else None


def _figures(joint: Joint, members: tuple[Member, ...], usage: Usage | None) -> Figures:
    """Return the figures of all guests joined; those of the job's own totals come from the joined totals."""
    measured: list[tuple[Measurement, ...]] = []
    doubts: list[Doubt] = []
    sizes: set[int | None] = set()
    for part in joint.parts:
        own = part_of(joint.workload, len(joint.parts))
        figures = held_figures(part.visit, part.result, own, part.folder, faults=part.faults)
        if figures.state is not State.ENDED:
            return Figures(State.FAILED, f"{part.name}: {figures.cause}")
        measured.append(on_host_clock(figures.measurements, part.timing))
        doubts += figures.doubts
        sizes.add(figures.file_bytes)
    staggered = any(part.asked_s > 0 for part in joint.parts)
    merged = one_after_another(measured, _shares(members)) if staggered else together(measured)
    if usage is not None and all(part.visit.joined for part in joint.parts):
        try:
            merged = _by_one_clock(joint, merged, usage)
        except AssayError as error:
            return Figures(State.FAILED, error.message)
    processors = len(_limits(members).cpus)
    totals = tuple(_of_totals(joint.workload, merged, usage, processors))
    size = sizes.pop() if len(sizes) == 1 else None
    return Figures(State.ENDED, None, totals, tuple(dict.fromkeys(doubts)), size)


def _by_one_clock(joint: Joint, merged: tuple[Measurement, ...], usage: Usage) -> tuple[Measurement, ...]:
    """Return figures of which those of a job over all machines are of all of them, by the controller's clock.

    Machines end at different times, so that a sum of their rates would be more than all of them reached.
    """
    tool = measured_by(joint.workload.parser)
    if tool is None or tool.together is None:
        return merged
    machines = [(outputs_of(joint.workload, part), _on_one_clock(part)) for part in joint.parts]
    of_all = {one.metric.name: one for one in tool.together(joint.workload, machines, usage)}
    return tuple(of_all.get(one.metric.name, one) for one in merged)


def outputs_of(workload: Workload, part: Part) -> list[bytes]:
    """Return what each copy of a machine's part printed."""
    own = replace(workload, placement=replace(workload.placement, copies=len(part.result.copies)))
    return [copy.output for copy in wrote(own, part.folder)]


def _on_one_clock(part: Part) -> Callable[[float], float]:
    return lambda seconds: on_controller(Instant(round(seconds * NS), 0), part.clock).mono_ns / NS


def _shares(members: tuple[Member, ...]) -> list[float]:
    """Return the part of the whole time in which each guest's job ran."""
    whole_s = _wall_s(members)
    times = [(member.started_s, member.ended_s) for member in members]
    return [
        (ended - started) / whole_s
        for started, ended in times
        if whole_s and started is not None and ended is not None
    ]


def _of_totals(
    workload: Workload, figures: tuple[Measurement, ...], usage: Usage | None, processors: int
) -> Iterator[Measurement]:
    totals: list[Measurement] = []
    if usage is not None:
        totals += measure_usage(usage) if tells_usage(workload) else ()
        totals += measure_accounting(workload, usage, processors)
    by_name = {total.metric.name: total for total in totals}
    for figure in figures:
        yield by_name.get(figure.metric.name, figure) if figure.value is not None else figure


def _is_served(part: Part) -> bool:
    return part.visit.data is not None and not part.visit.data.local


def _doubts(part: Part) -> Iterator[Doubt]:
    result = part.result
    wall_s = result.usage.wall_s if result.usage else 0.0
    doubts: tuple[Doubt | Raised, ...] = (
        *part.timing.doubts,
        *result.doubts,
        *observation_doubts(result),
        *cache_doubts(cache_check(part.note.cache, result), served=_is_served(part)),
        *steal_doubt(result.steal_s, wall_s, len(part.visit.facts.cpus)),
    )
    return map(worded, doubts)
