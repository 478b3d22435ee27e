"""How the jobs of a result started, ran and ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.model.activity import ActivityPlan
from assay.model.trial import Arm, Trial
from assay.model.work.page_cache import CacheCheck, Residency
from assay.pages.method.work import Ahead, CacheStart, CopiesAtOnce, Exits, PhasedWorkloads, ProbeCosts


def copies_of(plan: ActivityPlan) -> tuple[CopiesAtOnce, ...]:
    """Return the workloads of which several copies ran at once."""
    placed = ((w.name, w.placement) for w in plan.workloads)
    return tuple(
        CopiesAtOnce(name, wanted.copies, wanted.stagger_s) for name, wanted in placed if wanted.copies > 1
    )


def phases_of(plan: ActivityPlan) -> PhasedWorkloads:
    """Return the workloads whose programs told of phases."""
    phased = [(w.name, w.phases) for w in plan.workloads if w.phases is not None]
    counted = any(bool(rules.events or rules.announce) for _, rules in phased)
    return PhasedWorkloads(tuple(name for name, _ in phased), counted)


def caches_of(plan: ActivityPlan, records: Sequence[Trial]) -> tuple[CacheStart, ...]:
    """Return how cold or warm the files of each workload were, one a state that was asked for."""
    return tuple(_caches(plan, records))


def _caches(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[CacheStart]:
    for workload in plan.workloads:
        ours = [record for record in records if record.planned.workload == workload.name]
        checks, served = [r.cache for r in ours if r.cache], any(record.from_server for record in ours)
        for state in dict.fromkeys(check.state for check in checks):
            of_state = [check for check in checks if check.state is state]
            yield from _of_state(workload.name, of_state, served=served)


def _of_state(workload: str, checks: Sequence[CacheCheck], *, served: bool) -> Iterator[CacheStart]:
    state, checked = checks[0].state, list(_files(checks))
    if checked:
        cold = state.starts_cold
        resident = [files.resident_bytes for files in checked]
        below = [check.host.resident_bytes for check in checks if check.host and cold]
        yield CacheStart(
            workload,
            state,
            bytes=checked[0].bytes,
            resident_bytes=max(resident) if cold else min(resident),
            host_bytes=max(below, default=None),
            served=served,
            ahead=_ahead(checks),
        )


def _files(checks: Sequence[CacheCheck]) -> Iterator[Residency]:
    """Yield what was found of the files of each trial: of warm ones that a server reads, on its side."""
    for check in checks:
        if check.host and check.machine and not check.machine.bytes and not check.state.starts_cold:
            yield check.host
        elif check.machine:
            yield check.machine


def _ahead(checks: Sequence[CacheCheck]) -> Ahead | None:
    """Return what reading ahead took in the trials of one state; ``None`` where none tells."""
    every = [check.ahead for check in checks if check.ahead]
    if not every:
        return None
    return Ahead(max(one.cpu_s for one in every), sum(one.whole_s is not None for one in every), len(every))


def exits_of(plan: ActivityPlan, records: Sequence[Trial]) -> tuple[Exits, ...]:
    """Return how a user's command ended on each arm; nothing for a scene's workloads."""
    arms = ((Arm.BASELINE, plan.baseline.label), (Arm.TREATMENT, plan.treatment.label))
    codes = ((label, tuple(r.exit_code for r in records if r.planned.arm is arm)) for arm, label in arms)
    return () if plan.command is None else tuple(Exits(label, of_arm) for label, of_arm in codes if of_arm)


def probe_of(records: Sequence[Trial]) -> ProbeCosts | None:
    """Return what the probe took at most; ``None`` where that is not known."""
    # to load a job's files before it starts is not to watch it, and its cost is not told apart
    watched = [record for record in records if record.cache is None]
    shares = [r.probe.cpu_s / r.usage.wall_s for r in watched if r.probe and r.usage and r.usage.wall_s]
    probes = [record.probe for record in records if record.probe]
    gaps = [probe.largest_gap_s for probe in probes if probe.largest_gap_s is not None]
    if not shares:
        return None
    return ProbeCosts(max(shares), max(probe.rss_bytes for probe in probes), max(gaps, default=None))
