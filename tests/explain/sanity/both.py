"""One workload on both arms with hand-made totals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assay.explain.sanity import Pair, Sampled, pairs
from assay.model.machines.clock import Instant
from assay.model.trial import Arm, CopyUsage, PlannedTrial, Trial, Usage
from assay.model.work.workload import Workload
from tests.builders import WORKLOAD, plan_of, record_of

QUIET = Usage(100.0, 96.0, 2.0, 1 << 20, 0, 0, 1 << 20, 1 << 20)
"""A hundred seconds of computing."""
HERE, THERE = (PlannedTrial(at, 0, at, arm, 0, "spin") for at, arm in enumerate(Arm))


def both(
    baseline: Usage = QUIET,
    treatment: Usage = QUIET,
    *,
    workload: Workload = WORKLOAD,
    sampled: Mapping[str, Sampled] | None = None,
    here: Mapping[str, object] | None = None,
    there: Mapping[str, object] | None = None,
) -> Pair:
    """Return a workload with one trial on each arm; further fields of the records by name."""
    records = (
        record_of(HERE, 1.0, usage=baseline, **(here or {})),
        record_of(THERE, 1.0, usage=treatment, **(there or {})),
    )
    plan = replace(plan_of((HERE, THERE)), workloads=(replace(workload, name="spin"),))
    return pairs(plan, records, sampled)[0]


def copies_of(*walls: float) -> tuple[CopyUsage, ...]:
    """Return copies with these wall times."""
    start = Instant(0, 0)
    return tuple(
        CopyUsage(at, (at,), (), start, start, 0, None, wall, wall, 0.0, 1 << 20)
        for at, wall in enumerate(walls)
    )


def names(trial: Trial) -> str:
    """Return the name of a trial's record."""
    return trial.planned.name
