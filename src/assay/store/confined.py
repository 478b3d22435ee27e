"""What a file of an activity may say: ids and names that paths are made of stay below the
activity's folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import PurePosixPath

from assay.model.activity import ActivityPlan, is_activity_id
from assay.model.metric import LARGEST
from assay.model.trial import PlannedTrial, Trial

MOST = 2**63 - 1
"""The largest integer that the database holds."""
LONGEST_S = 1e12
"""The longest time of a record, thirty thousand years of CPU time."""


def check_plan(plan: ActivityPlan) -> None:
    """Refuse a plan whose id, names or numbers cannot be those of one that assay made.

    Raises:
        ValueError: with the field and what was expected.
    """
    ids = [("id", plan.id), *([] if plan.proof_of is None else [("proof_of", plan.proof_of)])]
    _raise_first(
        chain(_no_ids(ids), _no_numbers("created_ns", plan.created_ns), _no_numbers("seed", plan.seed))
    )
    _raise_first(_no_design(plan))
    _raise_first(chain.from_iterable(_wrong_trial("trials", trial) for trial in plan.trials))
    _raise_first(_wrong_workloads(plan))


def check_trial(trial: Trial) -> None:
    """Refuse a record whose ids, names or numbers cannot be those of one that assay made.

    Raises:
        ValueError: with the field and what was expected.
    """
    _raise_first(_no_ids([("activity", trial.activity)]))
    _raise_first(_wrong_trial("planned", trial.planned))
    _raise_first(_no_numbers("started_ns", trial.started_ns))
    _raise_first(_no_numbers("ended_ns", trial.ended_ns))
    _raise_first(_no_amounts(trial))
    _raise_first(_no_names("boot", [trial.boot]))
    _raise_first(_no_names("members", [member.name for member in trial.members]))


def _no_design(plan: ActivityPlan) -> Iterator[str]:
    """Yield what no design can be: each block has a trial, so that no number says more than the
    file holds.
    """
    if not 0 <= plan.blocks <= max(len(plan.trials), 1):
        yield f"blocks: expected at most one a trial ({len(plan.trials)}), got {plan.blocks}"
    if not 0 < plan.confidence < 1:
        yield f"confidence: expected a share between 0 and 1, got {plan.confidence:g}"
    if not 0 <= plan.margin < 1:
        yield f"margin: expected a share from 0 to below 1, got {plan.margin:g}"


def is_plain_name(text: str) -> bool:
    """Tell whether a text can be one part of a path: no folder, no way out of one, nothing that
    is not shown.
    """
    return text not in {"", ".", ".."} and "/" not in text and text.isprintable()


def _wrong_trial(field: str, trial: PlannedTrial) -> Iterator[str]:
    yield from _no_names(f"{field}.workload", [trial.workload])
    for number in (trial.index, trial.block, trial.slot, trial.replicate, trial.level):
        yield from _no_numbers(field, number)


def _wrong_workloads(plan: ActivityPlan) -> Iterator[str]:
    yield from _no_names("workloads.name", [workload.name for workload in plan.workloads])
    written = [file for workload in plan.workloads for file in workload.written]
    data = [file.name for file in plan.data.files] if plan.data else []
    for field, files in (("workloads.readings.file", written), ("data.files.name", data)):
        for file in files:
            if not _stays_below(file):
                yield f"{field}: expected a path below its folder, got {file!r}"


def _stays_below(file: str) -> bool:
    path = PurePosixPath(file)
    return not path.is_absolute() and bool(path.parts) and all(is_plain_name(part) for part in path.parts)


def _no_ids(ids: Iterable[tuple[str, str]]) -> Iterator[str]:
    for field, text in ids:
        if not is_activity_id(text):
            yield f"{field}: expected eight hexadecimal digits, got {text!r}"


def _no_names(field: str, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        if not is_plain_name(name):
            yield f"{field}: expected a name without '/', got {name!r}"


def _no_numbers(field: str, number: int) -> Iterator[str]:
    if not 0 <= number <= MOST:
        yield f"{field}: expected a number from 0 to {MOST}, got {number}"


def _no_amounts(trial: Trial) -> Iterator[str]:
    """Yield values that nothing measures: they are beyond what can be drawn or counted with."""
    for one in trial.measurements:
        if one.value is not None and not abs(one.value) <= LARGEST:
            yield f"measurements: expected a {one.metric.name} of at most {LARGEST:g}, got {one.value:g}"
    usage = trial.usage
    for name in ("wall_s", "user_s", "system_s") if usage else ():
        seconds = getattr(usage, name)
        if seconds is not None and not 0 <= seconds <= LONGEST_S:
            yield f"usage.{name}: expected seconds from 0 to {LONGEST_S:g}, got {seconds:g}"


def _raise_first(faults: Iterator[str]) -> None:
    if (fault := next(faults, None)) is not None:
        raise ValueError(fault)
