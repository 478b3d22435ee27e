"""What each machine of an arm of several did of its trials, and what passed its links meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.platforms.data import access
from assay.model.trial import Member, State, Trial
from assay.pages.together import LinkUse, MachinePart


def machine_parts(plan: ActivityPlan, records: Sequence[Trial]) -> tuple[MachinePart, ...]:
    """Return a line for each workload, arm of several machines, and machine; the baseline first.

    Args:
        plan: The activity's plan.
        records: Of its trials; those that failed do not count.
    """
    return tuple(
        part
        for workload in plan.workloads
        for arm in plan.arms
        for part in _of(plan, arm, workload.name, records)
    )


def _of(
    plan: ActivityPlan, arm: PlannedArm, workload: str, records: Sequence[Trial]
) -> Iterator[MachinePart]:
    trials = [
        one
        for one in records
        if one.planned.workload == workload and plan.arm_of(one.planned) is arm and one.state is State.ENDED
    ]
    if not arm.beside or not trials:
        return
    for number, machine in enumerate(arm.each_machine):
        seen = [(trial, trial.members[number]) for trial in trials if number < len(trial.members)]
        if seen:
            rates = [_rate(trial, number) for trial, _ in seen]
            yield MachinePart(
                workload,
                arm.label,
                access(arm.data),
                machine.machine.name,
                seen[0][1].copies,
                _mean(rates),
                _mean([member.ended_s for _, member in seen]),
                tuple(_links(seen)),
                len(seen),
            )


def _mean(values: Sequence[float | None]) -> float | None:
    """Return the mean; ``None`` where one lacks."""
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(values) else None


def _rate(trial: Trial, number: int) -> float | None:
    """Return the events of one machine of a trial over its own time in the phases that tell of some."""
    first = sum(member.copies for member in trial.members[:number])
    own = range(first, first + trial.members[number].copies)
    stays = [stay for stay in trial.phases if stay.copy in own and stay.events]
    if not stays:
        return None
    starts, ends = [stay.started.mono_ns for stay in stays], [stay.ended.mono_ns for stay in stays]
    seconds = (max(ends) - min(starts)) / 1e9
    return sum(stay.events or 0 for stay in stays) / seconds if seconds > 0 else None


def _whole_s(trial: Trial) -> float | None:
    return None if trial.usage is None else trial.usage.wall_s


def _links(seen: Sequence[tuple[Trial, Member]]) -> Iterator[LinkUse]:
    """Yield each interface that was there in all trials."""
    each = [{link.interface: link for link in member.links} for _, member in seen]
    times = _mean([_whole_s(trial) for trial, _ in seen])
    for name in sorted(set.intersection(*map(set, each))):
        received = fmean(one[name].received_bytes for one in each)
        sent = fmean(one[name].sent_bytes for one in each)
        rates = (received / times, sent / times) if times else (None, None)
        yield LinkUse(name, received, sent, *rates)
