"""Scaling curves of an activity: workloads of one family that differ in their number of copies alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assay.explain.sanity import Sampled
from assay.explain.scaling import Between, Followed, Knee, ScalePoint, scaling_of
from assay.model.activity import ActivityPlan
from assay.model.metric import Direction, Metric
from assay.model.trial import Arm, State, Trial, Usage
from assay.model.work.accounting import own_metrics
from assay.model.work.workload import Workload
from assay.pages.families.scaling import Scaling, ScalingCurve, ScalingPoint
from assay.results.budgets.counted import read_limit_bytes_per_s
from assay.results.losses.figures import judge_clock
from assay.results.losses.parallelism import threads_of
from assay.results.series.loop_window import LoopWindow, loop_window
from assay.workloads.phases import EVENTS

LINE_BYTES = 64
"""Of a cache line, which a miss of the last level fetches; x86-64 and nearly all of aarch64."""
JOBS = Metric("jobs", "jobs/s", Direction.HIGHER)
"""The rate of a workload that tells none of its own: copies over wall time."""


def scalings(
    plan: ActivityPlan, records: Sequence[Trial], sampled: Mapping[str, Sampled] | None = None
) -> tuple[Scaling, ...]:
    """Return one scaling a family that ran with several numbers of copies; none without a value.

    Args:
        plan: What was planned.
        records: What ran.
        sampled: What was sampled, by the name of the trial.
    """
    ended = [r for r in records if r.state is State.ENDED and r.usage is not None]
    candidates = (
        _scaling(plan, name, workloads, ended, sampled or {}) for name, workloads in _families(plan)
    )
    return tuple(scaling for scaling in candidates if scaling.curves)


def _families(plan: ActivityPlan) -> Iterator[tuple[str, list[Workload]]]:
    grouped: dict[tuple[str, int | None], list[Workload]] = {}
    for workload in plan.workloads:
        if workload.family is not None:
            grouped.setdefault((workload.family, workload.events), []).append(workload)
    several = [at for at, held in grouped.items() if len({w.all_copies for w in held}) > 1]
    for family, events in several:
        alone = [other for other, _ in several].count(family) == 1
        yield family if alone or events is None else f"{family}, {events} events", grouped[family, events]


def _scaling(
    plan: ActivityPlan,
    name: str,
    workloads: Sequence[Workload],
    ended: Sequence[Trial],
    sampled: Mapping[str, Sampled],
) -> Scaling:
    by_name = {workload.name: workload for workload in workloads}
    ours = sorted((r for r in ended if r.planned.workload in by_name), key=lambda r: r.planned.index)
    metric = _metric(workloads[0], ours)
    curves = []
    for arm, label in ((Arm.BASELINE, plan.baseline.label), (Arm.TREATMENT, plan.treatment.label)):
        of_arm = [(r, by_name[r.planned.workload]) for r in ours if r.planned.arm is arm]
        points = _points(of_arm, metric, sampled)
        if points:
            curves.append(curve_of(points, arm, label, confidence=plan.confidence))
    return Scaling(name, metric.name, metric.unit, tuple(curves))


def _points(
    of_arm: Sequence[tuple[Trial, Workload]], metric: Metric, sampled: Mapping[str, Sampled]
) -> list[ScalePoint]:
    """Return the points of one curve: of the event loop alone where all of its trials tell of that."""
    windows = [loop_window(record, sampled.get(record.planned.name)) for record, _ in of_arm]
    if metric != EVENTS or None in windows:
        windows = [None] * len(of_arm)
    made = (
        scale_point(
            record,
            workload.all_copies,
            metric,
            sampled.get(record.planned.name),
            window,
            threads=max(1, threads_of(workload) // workload.all_copies),
        )
        for (record, workload), window in zip(of_arm, windows, strict=True)
    )
    return [point for point in made if point is not None]


def _metric(workload: Workload, records: Iterable[Trial]) -> Metric:
    """Return the rate of a workload: the first of its metrics that is better higher, told or promised."""
    reported = (figure.metric for record in records for figure in record.measurements)
    own = own_metrics((*workload.metrics, *reported))
    rates = (metric for metric in own if metric.direction is Direction.HIGHER)
    return next(rates, JOBS)


def curve_of(points: Sequence[ScalePoint], arm: Arm, label: str, *, confidence: float) -> ScalingCurve:
    """Return what a page says of one arm's curve."""
    curve = scaling_of(points, confidence=confidence)
    shown = tuple(
        ScalingPoint(
            point.workers, point.blocks, point.rate, point.low, point.high,
            point.efficiency, point.efficiency_low, point.efficiency_high,
        )
        for point in curve.points
    )  # fmt: skip
    reported = curve.saturation
    return ScalingCurve(
        arm=arm,
        label=label,
        points=shown,
        **_law(curve.followed),
        **_knee(curve.knee),
        best=curve.best,
        resource=str(reported.resource),
        sentence=reported.sentence,
        next=reported.next,
    )


def _law(followed: Followed) -> dict[str, Any]:
    parameters = {"serial": followed.serial, "coherency": followed.coherency, "peak": followed.peak}
    ends = {key: end for name, between in parameters.items() for key, end in _ends(name, between).items()}
    return {"law": followed.form, "one": followed.one} | ends


def _ends(name: str, between: Between | None) -> dict[str, float | None]:
    if between is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: between.value, f"{name}_low": between.low, f"{name}_high": between.high}


def _knee(knee: Knee | None) -> dict[str, Any]:
    between = Between(knee.workers, knee.low, knee.high) if knee else None
    return _ends("knee", between) | {"slope": knee.slope if knee else None}


def scale_point(
    trial: Trial,
    workers: int,
    metric: Metric,
    sampled: Sampled | None,
    window: LoopWindow | None = None,
    *,
    threads: int = 1,
) -> ScalePoint | None:
    """Return a trial as a point of its curve; ``None`` where its rate was not measured or was 0.

    Args:
        trial: What ran.
        workers: Its copies.
        metric: Of the rate.
        sampled: Its series.
        window: What was used in the event loop, and all that is then told of processors, waits and disk;
            ``None`` takes the whole trial.
        threads: Of each copy, as far as the scene tells.
    """
    usage, rate = trial.usage, _rate(trial, workers, metric)
    if usage is None or not rate or usage.wall_s <= 0:
        return None
    over = window or _whole(usage, sampled)
    most = read_limit_bytes_per_s(trial.limits)
    cores = len(trial.limits.cpus) or len(trial.facts.cpus) or 1
    moved = [size for size in (over.read_bytes, over.write_bytes) if size is not None]
    cycles, misses = _counted(trial)
    return ScalePoint(
        workers=workers,
        block=trial.planned.block,
        rate=rate,
        processors=cores,
        cpu_share=over.cpu_s / (over.wall_s * cores * (trial.limits.cpu_quota or 1.0)),
        threads=threads,
        run_queue_share=_share(over.run_queue_s, over.wall_s * workers * threads),
        system_share=over.system_s / over.cpu_s if over.cpu_s > 0 and over.system_s is not None else None,
        disk_bytes_per_s=sum(moved) / over.wall_s if moved else None,
        disk_busy_share=over.disk_busy_share,
        disk_latency_s=over.disk_latency_s,
        read_limit_bytes_per_s=most,
        read_limit_share=None
        if most is None or over.read_bytes is None
        else over.read_bytes / over.wall_s / most,
        io_wait_share=_io_wait(over, workers * threads, cores),
        memory_bytes_per_s=None if misses is None or window else misses * LINE_BYTES / usage.wall_s,
        cycles_per_instruction=cycles,
    )


def _whole(usage: Usage, sampled: Sampled | None) -> LoopWindow:
    """Return the whole trial as the window."""
    return LoopWindow(
        wall_s=usage.wall_s,
        cpu_s=usage.user_s + usage.system_s,
        read_bytes=usage.read_bytes,
        write_bytes=usage.write_bytes,
        system_s=usage.system_s,
        disk_busy_share=sampled.disk_busy_share if sampled else None,
        disk_latency_s=sampled.disk_latency_s if sampled else None,
        run_queue_s=usage.run_queue_s,
        block_io_s=usage.block_io_s,
        io_wait_s=usage.io_wait_s,
    )


def _io_wait(over: LoopWindow, threads: int, cores: int) -> float | None:
    """Return the share of threads' time, or of processors', that went by waiting for storage."""
    reported = ((over.block_io_s, threads), (over.io_wait_s, cores))
    shares = (_share(waited, over.wall_s * of) for waited, of in reported)
    return next((share for share in shares if share is not None), None)


def _share(waited_s: float | None, of_s: float) -> float | None:
    """Return a share of a time; ``None`` also above 1: then there were more threads than the scene tells."""
    return None if waited_s is None or waited_s > of_s else waited_s / of_s


def _counted(trial: Trial) -> tuple[float | None, int | None]:
    """Return the cycles for an instruction and the misses of the last-level cache, where they
    were counted.
    """
    counted = {count.name: count.value for count in trial.counts}
    cycles, instructions = counted.get("cycles"), counted.get("instructions")
    return cycles / instructions if cycles and instructions else None, counted.get("cache-misses")


def _rate(trial: Trial, workers: int, metric: Metric) -> float | None:
    if metric is not JOBS:
        return next((m.value for m in trial.measurements if m.metric.name == metric.name), None)
    rate = judge_clock(trial.clock).rate
    if trial.usage is None or rate is None or trial.usage.wall_s <= 0:
        return None
    return workers * rate / trial.usage.wall_s
