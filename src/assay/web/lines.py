"""Lines that several pages list: a result, an activity, a machine."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from assay.activities.pages import page_of
from assay.activities.standing import as_it_stands
from assay.activities.summaries import in_short
from assay.model.errors import AssayError
from assay.pages.context import Page
from assay.pages.summary import Estimate, Summary
from assay.platforms.claims import is_live
from assay.report.render.trust import trust_level
from assay.store.rows import ActivityRow, FleetRow
from assay.web.site import Site


@dataclass(frozen=True)
class ResultLine:
    """A result in one line.

    Attributes:
        id: Its id.
        scene: Name of the scene.
        title: The scene's title.
        treatment: Label of what is compared.
        baseline: Label of what it is compared with.
        state: Where it stands.
        started: Start of its first trial, ISO 8601 in UTC.
        headline: What came out.
        trust: How far that can be trusted: ``good``, ``limited`` or ``low``.
        machines: What it was measured on.
        estimates: A line each metric.
        tags: What people call it by.
    """

    id: str
    scene: str
    title: str
    treatment: str
    baseline: str
    state: str
    started: str
    headline: str
    trust: str
    machines: tuple[str, ...]
    estimates: tuple[Estimate, ...]
    tags: tuple[str, ...]


@dataclass(frozen=True)
class ActivityLine:
    """An activity in one line.

    Attributes:
        id: Its id, also the result's.
        scene: Name of the scene.
        title: The scene's title.
        treatment: What is compared, or on how many machines.
        state: Where it stands now.
        trials: Trials of its plan.
        ended: Trials that ended well.
        failed: Trials that failed.
        created: When it was created, ISO 8601 in UTC.
        source: Where it comes from; ``None`` where it was measured here.
    """

    id: str
    scene: str
    title: str
    treatment: str
    state: str
    trials: int
    ended: int
    failed: int
    created: str
    source: str | None


def result_lines(site: Site, rows: Iterable[ActivityRow]) -> tuple[ResultLine, ...]:
    """Return results in short, from what is kept of each; one that cannot be read is left out."""
    found = in_short(site.store, [*rows], page_as_it_stands(site), left_out)
    tags = site.store.tags([one.result.id for one in found])
    return tuple(_result_line(one, tags.get(one.result.id, ())) for one in found)


def page_as_it_stands(site: Site) -> Callable[[ActivityRow], Page]:
    """Return what makes the page of a result that is not kept in short."""
    return lambda row: as_it_stands(site.home, row, lambda: page_of(row.folder))


def left_out(activity: str, error: AssayError) -> None:
    """Warn of a result that cannot be read."""
    warnings.warn(f"result {activity} is left out: {error.message}", stacklevel=2)


def _result_line(one: Summary, tags: tuple[str, ...]) -> ResultLine:
    names = ("id", "scene", "title", "treatment", "baseline", "state", "started")
    of_result = {name: getattr(one.result, name) for name in names}
    return ResultLine(
        **of_result,
        headline=one.headline,
        trust=trust_level(one),
        machines=one.machines,
        estimates=one.estimates,
        tags=tags,
    )


def activity_line(site: Site, row: ActivityRow | FleetRow) -> ActivityLine:
    """Return an activity with where it stands now."""
    state = str(row.state)
    if state == "running" and row.controller is None:
        state = state if row.is_own and is_live(site.home, row.id) else "interrupted"
    if isinstance(row, FleetRow):
        lanes: Sequence[ActivityRow] = site.store.lanes_of(row.id)
        treatment = f"{row.lanes} machine{'' if row.lanes == 1 else 's'}: {row.who}"
    else:
        lanes, treatment = (row,), row.treatment
    return ActivityLine(
        id=row.id,
        scene=row.scene,
        title=row.title,
        treatment=treatment,
        state=state,
        trials=sum(lane.trials for lane in lanes),
        ended=sum(lane.ended for lane in lanes),
        failed=sum(lane.failed for lane in lanes),
        created=moment(row.created_ns),
        source=row.source,
    )


def moment(at_ns: int) -> str:
    """Return a moment as ISO 8601 in UTC, to the second."""
    return datetime.fromtimestamp(at_ns / 1e9, UTC).isoformat(timespec="seconds")
