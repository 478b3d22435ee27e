"""A treatment that is faster than its baseline: explained by what differs between the arms, not averaged away."""

from __future__ import annotations

from dataclasses import dataclass

from assay.explain.sanity.clues import clues
from assay.explain.sanity.runs import Pair
from assay.model.doubt import Doubt


@dataclass(frozen=True)
class Gain:
    """Metrics of a workload in which the treatment is faster.

    Attributes:
        workload: Name of the workload.
        metrics: Their names.
        slowdown: Time of the treatment over time of the baseline in the first of them, below 1.
    """

    workload: str
    metrics: tuple[str, ...]
    slowdown: float


def treatment_faster(pair: Pair, gain: Gain) -> Doubt:
    """Return the doubt of a gain: by how much, and with figures what differs between the arms.

    Source: HEPscore at IJCLab (Vamvakopoulos 2022): guests 1.15 times better by score and 4.39 times by wall
        time, because the metal's file system spun in its locks.

    Limits: a clue is what differs, not what was proved to be the cause; only a toggle proves.
    """
    found = tuple(clues(pair))
    faster = " and ".join(gain.metrics[:3]) + (" and others" if len(gain.metrics) > 3 else "")
    head = (
        f"{pair.treatment.label} is faster than {pair.baseline.label} in {gain.workload} {faster} "
        f"({1 / gain.slowdown:.3g} times{_by_wall(pair, gain)})"
    )
    if found:
        sentence = f"{head}. What differs: {'; '.join(clue.text for clue in found)}."
        return Doubt("treatment-faster", sentence, found[0].next)
    sentence = (
        f"{head}, and neither reads from storage, system CPU, page cache, work, limits nor clock explain it "
        "as far as they were recorded."
    )
    return Doubt("treatment-faster", sentence, REPEAT)


REPEAT = (
    "Repeat it with more blocks and 'watch: [disks, delay, frequency]', and have the job count its work (events) "
    "on both arms."
)


def _by_wall(pair: Pair, gain: Gain) -> str:
    """Return the ratio of wall times where it tells another story than the metric."""
    here, there = (runs.usage(lambda usage: usage.wall_s) for runs in pair.arms)
    if not here or not there:
        return ""
    ratio = here / there
    return f", {ratio:.3g} times by wall time" if not 0.8 < ratio * gain.slowdown < 1.25 else ""
