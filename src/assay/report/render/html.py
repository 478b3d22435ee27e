"""The page as one HTML file: opens from disk, asks the network for nothing, shows its tables
without scripts.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from assay.pages.context import Page
from assay.pages.families.events import EventScan, SizeLoss
from assay.pages.families.landscapes import Landscape
from assay.pages.families.layouts import LayoutMap
from assay.pages.families.scaling import Scaling
from assay.pages.numbers import percent_text, value_text
from assay.pages.track import Timeline
from assay.report.charts.budget import legend
from assay.report.charts.chart_style import AGAIN, BASELINE, TREATMENT, VERDICTS
from assay.report.charts.charts import Spec, first_places, grouped_charts
from assay.report.charts.flames import Flame
from assay.report.charts.initialization import initialization_looks
from assay.report.charts.landscape import LOSSES, VALUES, cut_gains, ends_of, largest_loss
from assay.report.charts.layout import line_looks
from assay.report.charts.loss_rows import LEAST, beyond
from assay.report.charts.proof import charted_rows
from assay.report.charts.published import OURS, THEIRS
from assay.report.charts.published_lines import cut_off
from assay.report.charts.timeline import Shown, timeline_rows
from assay.report.charts.weight import weight_legends
from assay.report.charts.workers import curve_groups, curve_looks, family_of
from assay.report.method import recipe as recipe_words
from assay.report.render.frame import Document, at_once, document, whole_file
from assay.report.render.links import Nowhere
from assay.report.render.trust import trust_level, trust_text
from assay.report.tables import budget as budget_rows
from assay.report.tables import budget_fold, own_clock, proof_words, words
from assay.report.tables import host as host_rows
from assay.report.tables import initialization as initialization_words
from assay.report.tables import landscape as landscape_rows
from assay.report.tables import layout as layout_rows
from assay.report.tables import path_share as path_share_rows
from assay.report.tables import published as published_rows
from assay.report.tables import scaling as scaling_rows
from assay.report.tables import together as together_rows
from assay.report.tables import weight as weight_rows
from assay.report.tables.budget_fold import BudgetGroup, budget_groups
from assay.report.tables.corrected import NOTE as CORRECTED_NOTE
from assay.report.tables.corrected import corrected_cells, corrected_headers
from assay.report.tables.loss_fold import fold_line, fold_losses
from assay.report.tables.phases import NOTE, phase_cells, phase_headers
from assay.report.tables.rejected import rejected_lines
from assay.report.tables.scan_words import NOTE as NOTE_SCANS
from assay.report.tables.scan_words import scan_cells, scan_headers, scan_sentences
from assay.report.tables.score import score_cells, score_headers, score_lines
from assay.report.tables.system import NOTE as SYSTEM_NOTE
from assay.report.tables.system import system_headers, system_rows

TRIALS = "Trials of each block"


def html_report(page: Page, *, paths: Mapping[str, str] | None = None, flames: Sequence[Flame] = ()) -> str:
    """Return a result's page as one self-contained HTML file; arguments as of ``report_document``."""
    return whole_file(report_document(page, paths=paths, flames=flames))


def report_document(
    page: Page, *, paths: Mapping[str, str] | None = None, flames: Sequence[Flame] = ()
) -> Document:
    """Return a result's page.

    Args:
        page: What to show; every text of it is escaped.
        paths: Files to name at the end, by what they are.
        flames: Flame graphs; as images, so that the scripts in them never run in the page.
    """
    groups = grouped_charts(page)
    first = first_places(groups)
    fold = fold_losses(page)
    return document(
        "report.html",
        list(itertools.chain.from_iterable(groups.values())),
        page=page,
        result=page.result,
        words=words,
        trust_level=trust_level,
        trust_text=trust_text,
        rows=[(row, words.cells(row)) for row in fold.shown],
        folded=[(row, words.cells(row)) for row in fold.folded],
        fold_line=fold_line(fold),
        headers=words.headers(page),
        least=percent_text(LEAST),
        beyond=any(beyond(row) for row in fold.shown),
        value=value_text,
        percent=percent_text,
        paths=paths or {},
        verdicts=VERDICTS,
        arms=_arms(page),
        flames=flames,
        timelines=list(_timelines(page, first["timelines"])),
        budgets=list(_budgets(page, first["budgets"])),
        budget=budget_rows,
        budget_fold=budget_fold,
        score=(
            score_headers(),
            score_cells(page.scores, page.result.treatment),
            score_lines(page.scores),
        ),
        corrected=(corrected_headers(page), corrected_cells(page), CORRECTED_NOTE),
        path_share=path_share_rows,
        together=together_rows,
        own_clock=own_clock,
        rejected=rejected_lines(page),
        recipe=recipe_words,
        scaling=scaling_rows,
        workers=list(enumerate(curve_groups(page), first["workers"])),
        curve_looks=curve_looks,
        family_of=family_of,
        scalings=list(_scalings(page, first["scalings"])),
        layout=layout_rows,
        layouts=list(_layouts(page, first["layouts"])),
        line_looks=line_looks,
        landscape=landscape_rows,
        landscapes=list(_landscapes(page, first["landscapes"])),
        landscape_most=largest_loss(page),
        landscape_cut=cut_gains(page),
        landscape_losses=LOSSES,
        landscape_values=VALUES,
        phase_note=NOTE,
        scans=list(_scans(page, first["scans"])),
        scan_note=NOTE_SCANS,
        sides=((page.result.baseline, BASELINE), (page.result.treatment, TREATMENT)),
        scan_headers=scan_headers(page),
        phases=(phase_headers(page), phase_cells(page)),
        host=host_rows,
        proof=page.proof,
        proof_words=proof_words,
        proof_places=_proof_places(page, first["proof"]),
        systems=(system_headers(page.systems), system_rows(page.systems), SYSTEM_NOTE),
        published=published_rows,
        published_looks=(OURS, THEIRS),
        published_cut=cut_off(page),
        published_places=_published_places(groups["published"], first["published"]),
        late=at_once,
        trials_title=TRIALS,
        most_trials=None,
        links=Nowhere(),
        weight=weight_rows,
        weight_legends=list(enumerate(weight_legends(page), first["weights"])),
        initialization=initialization_words,
        initializations=list(enumerate(page.initializations, first["initializations"])),
        initialization_looks=initialization_looks,
    )


def _arms(page: Page) -> dict[str, tuple[str, str]]:
    result = page.result
    return {result.baseline: BASELINE, f"{result.baseline} again": AGAIN, result.treatment: TREATMENT}


def _timelines(page: Page, at: int) -> Iterator[tuple[Timeline, list[tuple[Shown, range]]]]:
    """Yield each timeline with its rows and the places of their charts among all charts of the page."""
    for timeline in page.timelines:
        rows = []
        for row in timeline_rows(timeline):
            rows.append((row, range(at, at + len(row.charts))))
            at += len(row.charts)
        yield timeline, rows


def _proof_places(page: Page, first: int) -> range:
    """Return the places of the proof's charts among all charts of the page."""
    return range(first, first + len(charted_rows(page.proof)))


def _published_places(found: Sequence[Spec], first: int) -> range:
    """Return the places of the charts of published figures among all charts of the page."""
    return range(first, first + len(found))


ScanRow = tuple[tuple[str, ...], SizeLoss | None]


def _scans(page: Page, at: int) -> Iterator[tuple[EventScan, list[ScanRow], list[str], range]]:
    """Yield each scan with its rows, each with the event number that it is of, its sentences and the places
    of its charts.
    """
    for scan in page.scans:
        count = 2 if scan.curve else 0
        cells = scan_cells(scan)
        of = [*[None] * (len(cells) - len(scan.sizes)), *scan.sizes]
        yield (
            scan,
            list(zip(cells, of, strict=True)),
            scan_sentences(scan, page.result),
            range(at, at + count),
        )
        at += count


def _layouts(page: Page, first: int) -> Iterator[tuple[int | None, LayoutMap]]:
    """Yield each map with the place of its chart; nothing is drawn of one without a figure."""
    place = itertools.count(first)
    for shown in page.layouts:
        yield next(place) if shown.measured else None, shown


def _landscapes(page: Page, at: int) -> Iterator[tuple[range | None, Landscape, float, float]]:
    """Yield each landscape with the places of its charts and the ends of its values."""
    for shown in page.landscapes:
        yield range(at, at + 3) if shown.measured else None, shown, *ends_of(shown)
        at += 3 if shown.measured else 0


def _scalings(page: Page, at: int) -> Iterator[tuple[Scaling, range]]:
    """Yield each scaling with the places of its charts among all charts of the page."""
    for scaling in page.scalings:
        yield scaling, range(at, at + 2)
        at += 2


def _budgets(page: Page, first: int) -> Iterator[tuple[BudgetGroup, tuple[tuple[str, str], ...], int]]:
    """Yield each budget that is told with its legend and the place of its chart."""
    for at, reported in enumerate(budget_groups(page.budgets)):
        yield reported, legend(reported.first), first + at
