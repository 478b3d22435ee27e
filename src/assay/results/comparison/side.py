"""What a comparison needs of a result: its losses, its doubts, and the blocks by which they are judged.

It is kept beside a result's page as a file of this very version, and made anew from the records otherwise.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.metric import Direction
from assay.model.trial import Arm, Trial
from assay.pages.context import DoubtCount, Interval, Page, Result, Row
from assay.report.tables.words import name_of
from assay.results.doubts.file_sizes import sizes_by_workload
from assay.results.losses.as_judged import AsJudged, Key, as_judged

Host = tuple[str, str | None, str]
"""Host name, processor and kernel."""


@dataclass(frozen=True)
class Line:
    """One metric as its result shows it.

    Attributes:
        workload: Name of the workload.
        metric: Name of the metric.
        treatment: Label of the treatment where there are several.
        name: What it is called: the metric, and which treatment where there are several.
        unit: Unit of its values.
        direction: Which way is better.
        shown: Its loss.
        judged: Its blocks; ``None`` where it bears no loss.
    """

    workload: str
    metric: str
    treatment: str | None
    name: str
    unit: str
    direction: Direction
    shown: Interval
    judged: AsJudged | None


@dataclass(frozen=True)
class Side:
    """One of the two results of a comparison.

    Attributes:
        result: The outcome of the activity.
        lines: Its metrics, in the order shown.
        doubts: What speaks against trusting it.
        host: The baseline's machine; ``None`` where no trial of it ran.
        sizes: Bytes of the files that each workload worked on, by its name, in order; those that tell none
            are left out.
    """

    result: Result
    lines: tuple[Line, ...]
    doubts: tuple[DoubtCount, ...]
    host: Host | None
    sizes: Mapping[str, tuple[int, ...]]


def side_of(plan: ActivityPlan, records: Sequence[Trial], page: Page) -> Side:
    """Return what a comparison needs of a result.

    Args:
        plan: The activity's plan.
        records: Records of its trials.
        page: Its page, made of these.
    """
    judged, sizes = as_judged(plan, records), sizes_by_workload(plan, records)
    return Side(
        result=page.result,
        lines=tuple(_line(row, judged) for row in page.estimates),
        doubts=page.doubts,
        host=_host(records),
        sizes={name: tuple(sorted(known)) for name, known in sizes.items()},
    )


def of_treatment(side: Side, treatment: str | None) -> Side:
    """Return one treatment of a side of several, its metrics called as those of a side of one.

    Args:
        side: The side.
        treatment: Label of the treatment; ``None`` is all.
    """
    several = any(line.treatment is not None for line in side.lines)
    if treatment is None or not several:
        return side
    behind = len(f": {treatment}")
    lines = (
        replace(line, treatment=None, name=line.metric + line.name[len(line.metric) + behind :])
        for line in side.lines
        if line.treatment == treatment
    )
    return replace(side, result=replace(side.result, treatment=treatment), lines=tuple(lines))


def treated_by(plan: ActivityPlan, treatment: str | None) -> PlannedArm:
    """Return the treatment of a plan that has a label; the first where none has."""
    return next((arm for arm in plan.treatments if arm.label == treatment), plan.treatment)


def _line(row: Row, judged: Mapping[Key, AsJudged]) -> Line:
    return Line(
        workload=row.workload,
        metric=row.metric,
        treatment=row.treatment,
        name=name_of(row),
        unit=row.unit,
        direction=row.direction,
        shown=Interval(row.loss, row.low, row.high, row.blocks),
        judged=judged.get((row.workload, row.metric, row.treatment)),
    )


def _host(records: Iterable[Trial]) -> Host | None:
    found = next((one.facts for one in records if one.planned.arm is Arm.BASELINE), None)
    return None if found is None else (found.hostname, found.cpu_model, found.kernel)


def to_text(side: Side, *, made_by: str, page: str) -> bytes:
    """Return a side as it is kept beside its page: JSON, in which a number may be infinite.

    Args:
        side: The side.
        made_by: The version that makes it.
        page: Digest of the page's file, whose company it keeps.
    """
    body = json.dumps(asdict(side)).encode()
    return _head(made_by, page, body) + body + b"}\n"


def from_text(text: bytes, *, made_by: str, page: str) -> Side | None:
    """Return a side that was kept; ``None`` where it is another version's, another page's or damaged."""
    from pydantic import TypeAdapter, ValidationError

    begin = len(_head(made_by, page, b""))
    head, body = text[:begin], text[begin:-2]
    if head != _head(made_by, page, body):
        return None
    try:
        return TypeAdapter(Side).validate_json(body, strict=True)
    except ValidationError:
        return None


def _head(made_by: str, page: str, body: bytes) -> bytes:
    about = {"made_by": made_by, "page": page, "sha256": hashlib.sha256(body).hexdigest()}
    return json.dumps(about).encode()[:-1] + b', "side": '
