"""What the trials of a workload spent, for the same work, and the blocks that can be compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from assay.explain.split import Times, split
from assay.model.metric import Metric
from assay.model.trial import Arm, Trial
from assay.results.budgets.uses import ReportedUses, reported, serial_phases
from assay.results.losses.parts import parts_of
from assay.results.losses.work import work_of
from assay.results.series.waits import Meters


@dataclass(frozen=True)
class Spent:
    """A trial with what it tells of its time.

    Attributes:
        trial: Its record.
        reported: What its job used.
        meters: The series beside it.
        times: Its wall time by phase and category, for the reference's work.
        scale: What its own seconds and counts are multiplied by for that, and for the parts beside it.
    """

    trial: Trial
    reported: ReportedUses
    meters: Meters
    times: Times
    scale: float


Blocks = dict[int, tuple[list[Spent], list[Spent]]]
"""The trials of the baseline and of the treatment in each complete block."""


def spent_by(
    trials: Sequence[Trial], folder: Path, *, rates: Sequence[Metric], parallelism: int, threads: int
) -> list[Spent]:
    """Return the trials that tell of their time, scaled to the work that the baseline did on average.

    Of a trial that several guests ran together each part is one: its share of the work, on its share of the
    processors. What it counts stands for all of them. Phases are told apart where they are of every part: one
    copy in a guest has them, several copies on the host do not.
    """
    known: list[_Known] = []
    parts = [
        (max(1, len(trial.members)), part, place)
        for trial in trials
        for part, place in parts_of(trial, folder / "trials" / trial.planned.name)
    ]
    shared = any(share > 1 for share, *_ in parts)
    by_phase = not shared or all(serial_phases(part) for _, part, _ in parts)
    for share, part, place in parts:
        meters, own = Meters(place), max(1, parallelism // share)
        told = part if by_phase else replace(part, phases=())
        used = reported(told, meters, parallelism=own, threads=max(1, threads // share))
        wall_s = sum(use.wall_s for use in used.uses) if used else 0.0
        work = work_of(part, rates, wall_s=wall_s) if used else None
        if used and work:
            known.append(_Known(part, used, meters, work, share, own))
    reference = [one.work for one in known if one.trial.planned.arm is Arm.BASELINE]
    mean = fmean(reference) if reference else 1.0
    return [
        Spent(
            one.trial,
            one.used,
            one.meters,
            _scaled(split(one.used.uses, one.parallelism), mean / one.work),
            one.share * mean / one.work,
        )
        for one in known
    ]


@dataclass(frozen=True)
class _Known:
    """A part of a trial that tells of its time: with how many it shares the work, on how many processors."""

    trial: Trial
    used: ReportedUses
    meters: Meters
    work: float
    share: int
    parallelism: int


def _scaled(times: Times, scale: float) -> Times:
    return {key: seconds * scale for key, seconds in times.items()}


def whole_blocks(spent: Sequence[Spent]) -> Blocks:
    """Return the blocks in which both arms tell of their time."""
    by_block: dict[int, list[Spent]] = defaultdict(list)
    for one in sorted(spent, key=lambda one: one.trial.planned.index):
        by_block[one.trial.planned.block].append(one)
    blocks: Blocks = {}
    for number in sorted(by_block):
        base = [one for one in by_block[number] if one.trial.planned.arm is Arm.BASELINE]
        treated = [one for one in by_block[number] if one.trial.planned.arm is Arm.TREATMENT]
        if base and treated:
            blocks[number] = (base, treated)
    return blocks


def times_of(pair: tuple[list[Spent], list[Spent]]) -> tuple[Times, Times]:
    """Return the times of a block; of several trials of an arm the mean."""
    base, treated = pair
    return _mean(base), _mean(treated)


def _mean(trials: Sequence[Spent]) -> Times:
    keys = dict.fromkeys(key for one in trials for key in one.times)
    return {key: fmean(one.times.get(key, 0.0) for one in trials) for key in keys}
