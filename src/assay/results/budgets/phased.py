"""The time of each of several jobs that ran at once, by their phases: mean over the jobs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean

from assay.explain.budget import TimeShare, share_of
from assay.explain.causes import FIRST, Cause, cold_start
from assay.explain.split import REST
from assay.model.trial import Arm, Trial
from assay.pages.budget import PhaseShare
from assay.results.budgets.uses import serial_phases
from assay.results.losses.figures import judge_clock

Stays = Mapping[str, float]
"""Seconds by phase."""


def phase_shares(
    trials: Sequence[Trial], *, confidence: float
) -> tuple[tuple[PhaseShare, ...], Cause | None]:
    """Return what each phase contributes to what a job takes longer, and the cold start where it is that.

    Where several jobs run at once the CPU time of a phase is not known, its wall time is. The parts add up to
    the loss of a job's own time: mean over blocks of (treatment - baseline) / treatment.

    Args:
        trials: Records of one workload, ended ones.
        confidence: Coverage of the intervals.

    Returns:
        One a phase, in their order, ``rest`` last; empty where no block has phases of several jobs on both
        arms.
    """
    blocks = [pair for pair in _blocks(trials) if all(sum(stays.values()) > 0 for stays in pair)]
    if not blocks or all(serial_phases(trial) for trial in trials if trial.phases):
        return (), None
    whole = [sum(treated.values()) for _, treated in blocks]
    names = dict.fromkeys(name for pair in blocks for stays in pair for name in stays if name != REST)
    shares = [_share(name, blocks, whole, confidence) for name in (*names, REST)]
    loss = share_of(
        [(all_s - sum(base.values())) / all_s for (base, _), all_s in zip(blocks, whole, strict=True)],
        confidence,
    )
    return tuple(shares), _cold(shares, loss)


def _share(
    name: str, blocks: Sequence[tuple[Stays, Stays]], whole: Sequence[float], confidence: float
) -> PhaseShare:
    pairs = [(base.get(name, 0.0), treated.get(name, 0.0)) for base, treated in blocks]
    part = share_of(
        [(treated - base) / all_s for (base, treated), all_s in zip(pairs, whole, strict=True)], confidence
    )
    base_s, treated_s = (fmean(pair[arm] for pair in pairs) for arm in (0, 1))
    return PhaseShare(name, base_s, treated_s, part.value, part.low, part.high)


def _cold(shares: Sequence[PhaseShare], loss: TimeShare) -> Cause | None:
    if loss.low is None or loss.low <= 0:
        return None
    first, *more = (one for one in shares if one.phase != REST)
    if first.phase != FIRST or not more:
        return None
    part = TimeShare(first.contribution, first.low, first.high)
    return cold_start(
        part, loss, seconds=(first.baseline_s, first.treatment_s), whose="what a job takes longer"
    )


def _blocks(trials: Sequence[Trial]) -> list[tuple[Stays, Stays]]:
    """Return the mean stays of both arms in each block that has phases on both."""
    found: dict[int, dict[Arm, list[Stays]]] = defaultdict(lambda: defaultdict(list))
    for trial in trials:
        if (stays := _stays(trial)) is not None:
            found[trial.planned.block][trial.planned.arm].append(stays)
    both = (found[block] for block in sorted(found))
    return [(_mean(arms[Arm.BASELINE]), _mean(arms[Arm.TREATMENT])) for arms in both if len(arms) == len(Arm)]


def _stays(trial: Trial) -> Stays | None:
    """Return what the jobs of a trial spent in each phase, on average; ``None`` where one told of none."""
    rate = judge_clock(trial.clock).rate
    jobs = {copy.copy: copy.wall_s for copy in trial.copies}
    if rate is None or not jobs or {one.copy for one in trial.phases} != jobs.keys():
        return None
    times = [wall_s for wall_s in jobs.values() if wall_s is not None]
    if len(times) < len(jobs):
        return None
    total: dict[str, float] = defaultdict(float)
    for one in trial.phases:
        total[one.phase] += one.wall_s / rate / len(jobs)
    total[REST] = sum(times) / rate / len(jobs) - sum(total.values())
    return total


def _mean(stays: Sequence[Stays]) -> Stays:
    names = dict.fromkeys(name for one in stays for name in one)
    return {name: fmean(one.get(name, 0.0) for one in stays) for name in names}
