"""Published figures beside those of a result: which of ours each stands beside, and what is not alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from assay.model.activity import ActivityPlan
from assay.model.figures.published import Publication, PublishedSpec
from assay.model.trial import Trial
from assay.pages.context import Row
from assay.pages.families.events import EventScan
from assay.pages.families.weight import GuestWeights
from assay.pages.published import Published, PublishedRow, Source
from assay.report.tables.published_notes import common_differences, here_text
from assay.results.publications.published_ours import OwnFigures, ours_for
from assay.results.publications.published_theirs import published_row
from assay.scenes import (
    SceneError,
    find_scene,
    publications,
    published_figures,
    read_scene,
    ready_names,
)


def published_of(
    plan: ActivityPlan,
    records: Sequence[Trial],
    *,
    rows: Sequence[Row],
    scans: Sequence[EventScan],
    weights: Sequence[GuestWeights],
) -> Published | None:
    """Return the published figures that a scene names, each beside ours; ``None`` where it names none.

    Args:
        plan: What was planned.
        records: What ran.
        rows: Our losses.
        scans: Our scans of event numbers.
        weights: What our guests weighed.
    """
    wanted_each = _published_specs(plan)
    own = OwnFigures(rows, scans, weights)
    shown = [row for wanted in wanted_each for row in _rows(wanted, own)]
    if not shown:
        return None
    known = publications()
    sources = [known[key] for key in dict.fromkeys(row.publication for row in shown)]
    return Published(
        here=_here(records),
        rows=tuple(shown),
        publications=tuple(map(_source, sources)),
        differs=tuple(common_differences(shown, emulated=_is_emulated(records, sources))),
    )


def _published_specs(plan: ActivityPlan) -> tuple[PublishedSpec, ...]:
    """Return what the plan says; of an older plan, what its ready scene says today if it asks the same."""
    if plan.published is not None:
        return plan.published
    if plan.scene not in ready_names():
        return ()
    ready = find_scene(plan.scene)
    try:
        asked = read_scene(plan.scene_text.encode(), file=ready.file)
    except SceneError:
        return ()
    alike = replace(asked, design=ready.design, observation=ready.observation)
    return ready.published if alike.digest == ready.digest else ()


def _rows(wanted: PublishedSpec, own: OwnFigures) -> Iterator[PublishedRow]:
    """Yield a row for each of ours that the figures stand beside, else one that says why there is none."""
    theirs = published_figures().get(wanted.figures)
    if theirs is None:
        return  # a plan of a later version
    ours = list(ours_for(wanted, theirs[0], own))
    yield from (published_row(wanted, theirs, one) for one in ours)
    if not ours:
        yield published_row(wanted, theirs, None)


def _source(one: Publication) -> Source:
    return Source(
        key=one.key,
        authors=one.authors,
        year=one.year,
        title=one.title,
        venue=one.venue,
        url=one.url,
        platform=one.platform,
        about=one.about,
        machines=one.machines,
        runs=one.runs,
    )


def _here(records: Sequence[Trial]) -> str:
    machines = (record.facts.cpu_model for record in records if record.platform is None)
    models = dict.fromkeys(model for model in machines if model)
    return here_text(models, _accelerators(records))


def _accelerators(records: Iterable[Trial]) -> list[str]:
    return list(dict.fromkeys(record.platform.accelerator for record in records if record.platform))


def _is_emulated(records: Sequence[Trial], sources: Sequence[Publication]) -> bool:
    """Tell whether guests of ours were emulated, and some of theirs ran by KVM."""
    return "tcg" in _accelerators(records) and any("KVM" in (one.platform or "") for one in sources)
