"""Records and plans of any content that their types allow, and JSON that was changed in one place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from assay.model.activity import ActivityPlan
from assay.model.metric import LARGEST
from assay.model.platforms.data import DataSet
from assay.model.trial import PlannedTrial, Trial, Usage
from assay.model.work.reading import Reading
from assay.model.work.workload import Workload
from assay.store.confined import LONGEST_S

Path = tuple[str | int, ...]

# what JSON and a 64-bit column hold: no NaN, which equals nothing, and no half of a character
st.register_type_strategy(str, st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
st.register_type_strategy(float, st.floats(allow_nan=False, allow_infinity=False))
st.register_type_strategy(int, st.integers(-(2**63), 2**63 - 1))

IDS = st.from_regex(r"[0-9a-f]{8}", fullmatch=True)


def _name(text: str) -> str:
    """Return a text as a name that a path may be made of."""
    return "n" + "".join(c for c in text if c.isprintable() and c != "/")


def _planned(trial: PlannedTrial) -> PlannedTrial:
    numbers = {
        name: max(0, getattr(trial, name)) for name in ("index", "block", "slot", "replicate", "level")
    }
    return replace(trial, workload=_name(trial.workload), **numbers)


def _reading(reading: Reading) -> Reading:
    return replace(reading, file=None if reading.file is None else _name(reading.file))


def _workload(workload: Workload) -> Workload:
    readings, success = tuple(map(_reading, workload.readings)), workload.success
    success = success and replace(success, log=None if success.log is None else _name(success.log))
    return replace(workload, name=_name(workload.name), readings=readings, success=success)


def _data(data: DataSet) -> DataSet:
    return replace(data, files=tuple(replace(file, name=_name(file.name)) for file in data.files))


def _usage(usage: Usage) -> Usage:
    seconds = {name: min(abs(getattr(usage, name)), LONGEST_S) for name in ("wall_s", "user_s", "system_s")}
    return replace(usage, **seconds)


@st.composite
def _trials(draw: st.DrawFn) -> Trial:
    """Draw a record: any content but for what paths are made of, and amounts that something may measure."""
    trial = draw(st.from_type(Trial))
    return replace(
        trial,
        activity=draw(IDS),
        planned=_planned(trial.planned),
        started_ns=max(0, trial.started_ns),
        ended_ns=max(0, trial.ended_ns),
        measurements=tuple(
            one if one.value is None else replace(one, value=max(-LARGEST, min(one.value, LARGEST)))
            for one in trial.measurements
        ),
        usage=trial.usage and _usage(trial.usage),
        boot=_name(trial.boot),
        members=tuple(replace(member, name=_name(member.name)) for member in trial.members),
    )


@st.composite
def _plans(draw: st.DrawFn) -> ActivityPlan:
    """Draw a plan in the same way."""
    plan = draw(st.from_type(ActivityPlan))
    return replace(
        plan,
        id=draw(IDS),
        proof_of=draw(st.none() | IDS),
        created_ns=max(0, plan.created_ns),
        seed=max(0, plan.seed),
        blocks=draw(st.integers(0, max(1, len(plan.trials)))),
        confidence=draw(st.floats(0, 1, exclude_min=True, exclude_max=True)),
        margin=draw(st.floats(0, 1, exclude_max=True)),
        trials=tuple(map(_planned, plan.trials)),
        workloads=tuple(map(_workload, plan.workloads)),
        data=plan.data and _data(plan.data),
    )


TRIALS = _trials()
PLANS = _plans()
OTHER = st.sampled_from([None, True, -1, 2**70, 1e300, "", "x", [], {}, [None], {"x": 1}])


def places(value: object, path: Path = ()) -> Iterator[Path]:
    """Yield the path of every value of a JSON document, the document's own first."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in inside:
        yield from places(child, (*path, key))


def at(value: Any, path: Path) -> Any:
    """Return what stands at a path."""
    for step in path:
        value = value[step]
    return value
