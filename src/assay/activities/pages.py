"""The pages of an activity, made from what its folder holds: nothing of what measures is needed for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assay.activities.compared import keep_side
from assay.activities.summaries import PAGE
from assay.model.activity import ActivityPlan
from assay.model.trial import Trial
from assay.pages.context import Page
from assay.report.charts.flames import Flame
from assay.report.render.json import to_json
from assay.results.budgets.explanation import budgets
from assay.results.comparison.side import side_of
from assay.results.doubts.damaged import with_damage, with_missing
from assay.results.outcome import build_page
from assay.results.proofs.proof_file import with_kept_proof
from assay.results.proofs.proved import with_proof
from assay.results.series.initialization import initializations
from assay.results.series.profiles import flames, has_profiles
from assay.results.series.sampled import read_sampled
from assay.results.series.timeline import timelines
from assay.store.objects import missing_objects
from assay.store.record import DamagedError, read_activity, read_rejected, read_trials, replace_file


def page_of(folder: Path, *, sampled: bool = True) -> Page:
    """Return the page of an activity's folder, from its records and what was sampled.

    Args:
        folder: The activity's folder.
        sampled: Read the series for the doubts that need them; a list of results does not.
    """
    damaged: list[DamagedError] = []
    records = tuple(read_trials(folder, damaged=damaged))
    series = read_sampled(records, folder) if sampled else None
    rejected = tuple(read_rejected(folder, damaged=damaged))
    page = build_page(read_activity(folder), records, rejected=rejected, sampled=series)
    page = with_missing(with_kept_proof(page, folder), missing_objects(folder, records))
    return with_damage(page, damaged)


def explained_page(folder: Path) -> Page:
    """Return the page of an activity's folder with where its losses went."""
    damaged: list[DamagedError] = []
    return _explained(read_activity(folder), tuple(read_trials(folder, damaged=damaged)), folder, damaged)


def _explained(
    plan: ActivityPlan, records: Sequence[Trial], folder: Path, damaged: list[DamagedError]
) -> Page:
    rejected, sampled = tuple(read_rejected(folder, damaged=damaged)), read_sampled(records, folder)
    page = with_kept_proof(build_page(plan, records, rejected=rejected, sampled=sampled), folder)
    made = budgets(plan, records, page.estimates, folder)
    page = replace(page, budgets=with_proof(made, page.proof))
    return with_damage(with_missing(page, missing_objects(folder, records)), damaged)


def whole_page(folder: Path, *, block: int | None = None) -> Page:
    """Return the page of an activity's folder with what its trials recorded over time.

    Args:
        folder: The activity's folder.
        block: Block whose trials are shown over time; ``None`` is the first complete one of each workload.
    """
    damaged: list[DamagedError] = []
    return _whole(read_activity(folder), tuple(read_trials(folder, damaged=damaged)), folder, damaged, block)


def _whole(
    plan: ActivityPlan,
    records: Sequence[Trial],
    folder: Path,
    damaged: list[DamagedError],
    block: int | None = None,
) -> Page:
    page = _explained(plan, records, folder, damaged)
    return replace(
        page,
        timelines=timelines(plan, records, folder, block=block),
        initializations=initializations(plan, records, folder, block=block),
    )


def flames_of(folder: Path, *, write: bool = False) -> tuple[Flame, ...]:
    """Return the flame graphs of an activity's folder; ``write`` puts their files beside the report."""
    if not has_profiles(folder):
        return ()
    records = tuple(read_trials(folder, damaged=[]))  # the page that they are part of names the damaged
    return flames(read_activity(folder), records, folder, write=write)


def write_page(folder: Path) -> Page:
    """Write the page of an activity, its context, and what comparisons need of it beside its records."""
    from assay.report.render.html import html_report

    damaged: list[DamagedError] = []
    plan, records = read_activity(folder), tuple(read_trials(folder, damaged=damaged))
    page = _whole(plan, records, folder, damaged)
    drawn = flames_of(folder, write=True)
    context = to_json(page).encode()
    replace_file(folder / PAGE, context)
    replace_file(folder / "report.html", html_report(page, flames=drawn).encode())
    keep_side(folder, side_of(plan, records, page), context)
    return page
