"""The cores that jobs used from their common start until all had initialized, in one guest and in several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.model.activity import ActivityPlan
from assay.model.trial import Arm, Trial
from assay.pages.families.initialization import CoresUsed, Initialization
from assay.probe import read_series
from assay.results.losses.parts import parts_of
from assay.results.losses.spans import phase_spans, since_release
from assay.results.series.timeline import MOST_STEPS, workload_block
from assay.stats.rates import between_known, step_rates

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

CPU = ("job_user_s", "job_system_s")
"""Cumulative columns of ``samples.csv``."""
AFTER = 1.1
"""So much of the last end of an initialization is shown."""


@dataclass(frozen=True)
class Started:
    """The jobs of one guest.

    Attributes:
        seconds: Moments of its samples, seconds after the common start.
        cpu_s: CPU seconds of its jobs until then; NaN is "not told".
        ended_s: End of the first phase of each copy.
    """

    seconds: Numbers
    cpu_s: Numbers
    ended_s: tuple[float, ...]


def initializations(
    plan: ActivityPlan, records: Sequence[Trial], folder: Path, *, block: int | None = None
) -> tuple[Initialization, ...]:
    """Return one block of each workload that ran in several numbers of guests and told of its phases.

    Args:
        plan: What was planned.
        records: The records of all trials.
        folder: The activity's folder, with the series.
        block: Which one; ``None`` is the one that timelines show.

    Limits: guests count the CPU time of their jobs themselves: where they share a processor and no hypervisor
        tells of steal, that is more than they had. Layouts with a stagger are left out.
    """
    blocks = (workload_block(workload.name, records, folder, block) for workload in plan.workloads)
    found = (_initialization(plan, name, number, trials) for name, number, trials in blocks)
    return tuple(one for one in found if one is not None)


def _initialization(
    plan: ActivityPlan, workload: str, block: int, trials: Sequence[tuple[Trial, Path]]
) -> Initialization | None:
    import numpy as np

    in_order = sorted(trials, key=lambda one: one[0].planned.level)
    together = [(trial, path) for trial, path in in_order if _starts_together(trial)]
    counts = {_guests(trial) for trial, _ in together}
    if len(counts) < 2:
        return None
    chosen = [(trial, path) for trial, path in together if _guests(trial) in (min(counts), max(counts))]
    known = [(trial, parts) for trial, path in chosen if (parts := _started(trial, path))]
    if len({_guests(trial) for trial, _ in known}) < 2:
        return None
    every = [part for _, parts in known for part in parts]
    end_s = AFTER * max(end for part in every for end in part.ended_s)
    sampled_s = max(float(np.median(np.diff(part.seconds))) for part in every)
    bounds = np.linspace(0.0, end_s, 1 + max(1, min(MOST_STEPS, int(end_s / sampled_s))))
    return Initialization(
        workload, block, tuple(bounds.tolist()), tuple(_used(plan, *one, bounds) for one in known)
    )


def _starts_together(trial: Trial) -> bool:
    """Tell whether a treatment's jobs start at once."""
    treated = trial.planned.arm is Arm.TREATMENT and (trial.platform or trial.container or trial.members)
    return bool(treated) and not any(member.asked_s for member in trial.members)


def _guests(trial: Trial) -> int:
    return max(1, len(trial.members))


def _started(trial: Trial, place: Path) -> list[Started] | None:
    """Return the jobs of each guest of a trial; ``None`` where one tells no phases or has no samples."""
    late_s = [member.started_s or 0.0 for member in trial.members] or [0.0]
    parts = parts_of(trial, place)
    found = [_part(part, folder, late) for (part, folder), late in zip(parts, late_s, strict=False)]
    known = [one for one in found if one is not None]
    return known if known and len(known) == len(late_s) else None


def _part(part: Trial, folder: Path, late_s: float) -> Started | None:
    samples = read_series(folder / "samples.csv", CPU)
    released = [copy.started.mono_ns for copy in part.copies if copy.started]
    if not part.phases or not released or len(samples.get("mono_ns", ())) < 2 or not set(CPU) <= set(samples):
        return None
    since = since_release(part, min(released))
    seconds = (samples["mono_ns"] - since.zero_ns) / since.rate / 1e9
    user_s, system_s = (between_known(seconds, samples[column]) for column in CPU)
    cpu_s = (user_s + system_s) / since.rate
    first_s = since.seconds(min(phase.started.mono_ns for phase in part.phases))
    return Started(seconds + late_s, cpu_s, tuple(end + first_s + late_s for end in _first_ends(part)))


def _first_ends(part: Trial) -> list[float]:
    """Return the end of the first phase of each copy, seconds after the first phase of all began."""
    first: dict[int, tuple[float, float]] = {}
    for span in phase_spans(part):
        first[span.copy] = min(
            first.get(span.copy, (span.started_s, span.ended_s)), (span.started_s, span.ended_s)
        )
    return [ended for _, ended in first.values()]


def _used(plan: ActivityPlan, trial: Trial, parts: Sequence[Started], bounds: Numbers) -> CoresUsed:
    import numpy as np

    each = [np.interp(bounds, part.seconds, part.cpu_s, left=0.0) for part in parts]
    totals: Numbers = np.sum(each, axis=0)
    used = step_rates(bounds, totals, np.arange(len(bounds)))
    arm = plan.arm_of(trial.planned)
    return CoresUsed(
        label=arm.label,
        guests=_guests(trial),
        cores=len(arm.limits.cpus),
        used=tuple(None if np.isnan(value) else value for value in used.tolist()),
        ended_s=tuple(sorted(end for part in parts for end in part.ended_s)),
    )
