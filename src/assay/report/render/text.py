"""The page as text for a terminal: one line a metric, never wrapped, coloured only where asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from assay.model.figures.estimate import Verdict
from assay.pages.context import Page, Row
from assay.report.render.explain import text_budget_group
from assay.report.render.proof_text import text_proof
from assay.report.render.trust import trust_text
from assay.report.tables import words
from assay.report.tables.budget_fold import budget_groups
from assay.report.tables.corrected import NOTE as CORRECTED_NOTE
from assay.report.tables.corrected import corrected_cells, corrected_headers
from assay.report.tables.host import HEADERS as HOST_HEADERS
from assay.report.tables.host import RIGHT as HOST_RIGHT
from assay.report.tables.host import TITLE as HOST_TITLE
from assay.report.tables.host import host_cells, host_lines
from assay.report.tables.initialization import initialization_lines
from assay.report.tables.landscape import NOTE as LANDSCAPE_NOTE
from assay.report.tables.landscape import landscape_cells, landscape_headers, landscape_lines, landscape_title
from assay.report.tables.layout import NOTE as LAYOUT_NOTE
from assay.report.tables.layout import held_lines, map_cells, map_headers, map_lines, map_title
from assay.report.tables.loss_fold import fold_line, fold_losses
from assay.report.tables.own_clock import NOTE as OWN_CLOCK_NOTE
from assay.report.tables.own_clock import TITLE as OWN_CLOCK_TITLE
from assay.report.tables.own_clock import own_clock_cells, own_clock_headers
from assay.report.tables.path_share import HEADERS as PATH_HEADERS
from assay.report.tables.path_share import RIGHT as PATH_RIGHT
from assay.report.tables.path_share import TITLE as PATH_TITLE
from assay.report.tables.path_share import path_share_cells, path_share_note
from assay.report.tables.phases import NOTE, phase_cells, phase_headers
from assay.report.tables.published import HEADERS as PUBLISHED_HEADERS
from assay.report.tables.published import TITLE as PUBLISHED_TITLE
from assay.report.tables.published import published_cells, published_lines, shortened_lines
from assay.report.tables.rejected import rejected_lines
from assay.report.tables.scaling import EFFICIENCIES, scaling_cells, scaling_headers, scaling_lines
from assay.report.tables.scaling import NOTE as SCALING_NOTE
from assay.report.tables.scan_words import NOTE as NOTE_SCANS
from assay.report.tables.scan_words import scan_cells, scan_headers, scan_sentences
from assay.report.tables.score import SCORE_RIGHT, SCORE_TITLE, score_cells, score_headers, score_lines
from assay.report.tables.system import NOTE as SYSTEM_NOTE
from assay.report.tables.system import TITLE as SYSTEM_TITLE
from assay.report.tables.system import system_headers, system_rows
from assay.report.tables.tables import Paint, align, plain, table
from assay.report.tables.together import HEADERS as TOGETHER_HEADERS
from assay.report.tables.together import NOTE as TOGETHER_NOTE
from assay.report.tables.together import RIGHT as TOGETHER_RIGHT
from assay.report.tables.together import TITLE as TOGETHER_TITLE
from assay.report.tables.together import together_cells
from assay.report.tables.weight import HEADERS as WEIGHT_HEADERS
from assay.report.tables.weight import NOTE as WEIGHT_NOTE
from assay.report.tables.weight import weight_cells, weight_lines

COLOURS = {
    Verdict.LOSS: "31",
    Verdict.GAIN: "32",
    Verdict.EQUIVALENT: "36",
    Verdict.INCONCLUSIVE: "33",
    Verdict.NOT_MEASURED: "2",
}
"""Select Graphic Rendition of ECMA-48 by verdict; the verdict is always in words too."""

LOSS, MEAN, FLOOR, VERDICT = 4, 6, 7, 9


def text_report(page: Page, *, paths: Mapping[str, str] | None = None, colour: bool = False) -> str:
    """Return a result's page as text.

    Args:
        page: What to show.
        paths: Files to name at the end, by what they are: ``{"report": "/…/report.html"}``.
        colour: Colour losses and verdicts by ANSI sequences; the words and widths stay the same.

    Returns:
        Lines of any length, each ended by a newline; nothing is wrapped.
    """
    parts = [
        _head(page),
        losses_table(page, colour=colour),
        "\n".join(plain(line) for line in words.reading(page)),
        *_published(page),
        *(text_budget_group(reported, page.result, whole=False) for reported in budget_groups(page.budgets)),
        *_score(page),
        *_corrected(page),
        *_path_shares(page),
        *_together(page),
        *_own_clock(page),
        *_phases(page),
        *_host(page),
        *_proof(page),
        *_scans(page),
        *_scalings(page),
        *_layouts(page),
        *_initializations(page),
        *_landscapes(page),
        *_weights(page),
        *_systems(page),
        *_sections(page, paths or {}),
    ]
    return "\n\n".join(parts) + "\n"


def losses_table(page: Page, *, colour: bool = False) -> str:
    """Return the table of losses alone, one line a metric, and a line of those that are folded."""
    fold = fold_losses(page)
    columns = [list(column) for column in zip(*(words.cells(row) for row in fold.shown), strict=True)]
    for at in (LOSS, MEAN, FLOOR) if columns else ():
        columns[at] = align(columns[at], " %")
    rows = list(zip(*columns, strict=True))
    paint = _paint(fold.shown) if colour else None
    shown = table(words.headers(page), rows, right={2, 3, 5, 8}, paint=paint)
    more = f"{fold_line(fold)}; all rows: assay report {page.result.id} --table estimates"
    return f"{shown}\n{plain(more)}" if fold.folded else shown


def section(title: str, lines: Iterable[str]) -> str:
    """Return a title and its lines, indented by two; empty where there are none."""
    body = [f"  {plain(line)}" for line in lines]
    return "\n".join([title, *body]) if body else ""


def _head(page: Page) -> str:
    result = page.result
    lines = [
        result.title,
        f"{result.scene}, result {result.id}, {result.state}: {words.headline(page)}",
        *([trust_text(page)] if page.estimates else []),
        words.setting(page),
        f"{result.started} to {result.ended}",
    ]
    return "\n".join(plain(line) for line in [*lines, *_command(page)])


def _command(page: Page) -> Iterator[str]:
    if page.result.command is not None:
        yield f"command: {page.result.command}"


def _published(page: Page) -> Iterator[str]:
    if rows := published_cells(page, short=True):
        columns = list(zip(*rows, strict=True))
        columns[2] = tuple(align(columns[2], " %"))
        shown = table(PUBLISHED_HEADERS, list(zip(*columns, strict=True)))
        lines = (*shortened_lines(page), *published_lines(page))
        yield "\n".join([PUBLISHED_TITLE, shown, *map(plain, lines)])


def _score(page: Page) -> Iterator[str]:
    if rows := score_cells(page.scores, page.result.treatment):
        shown = table(score_headers(), rows, right=set(SCORE_RIGHT))
        yield "\n".join([SCORE_TITLE, shown, *map(plain, score_lines(page.scores))])


def _corrected(page: Page) -> Iterator[str]:
    if rows := corrected_cells(page):
        yield f"Corrected\n{table(corrected_headers(page), rows, right={4})}\n{CORRECTED_NOTE}"


def _path_shares(page: Page) -> Iterator[str]:
    if rows := path_share_cells(page):
        shown = table(PATH_HEADERS, rows, right=PATH_RIGHT)
        yield f"{PATH_TITLE}\n{shown}\n{path_share_note(page)}"


def _together(page: Page) -> Iterator[str]:
    if rows := together_cells(page):
        shown = table(TOGETHER_HEADERS, rows, right=TOGETHER_RIGHT)
        yield f"{TOGETHER_TITLE}\n{shown}\n{TOGETHER_NOTE}"


def _own_clock(page: Page) -> Iterator[str]:
    if rows := own_clock_cells(page):
        columns = list(zip(*rows, strict=True))
        columns[4:] = [tuple(align(column, " %")) for column in columns[4:]]
        shown = table(own_clock_headers(page), list(zip(*columns, strict=True)), right={2, 3})
        yield f"{OWN_CLOCK_TITLE}\n{shown}\n{OWN_CLOCK_NOTE}"


def _phases(page: Page) -> Iterator[str]:
    if rows := phase_cells(page):
        yield f"Phases\n{table(phase_headers(page), rows, right={2, 3, 4, 5, 6, 7})}\n{NOTE}"


def _host(page: Page) -> Iterator[str]:
    if rows := host_cells(page):
        lines = "\n".join(map(plain, host_lines(page)))
        yield f"{HOST_TITLE}\n{table(HOST_HEADERS, rows, right=HOST_RIGHT)}\n{lines}"


def _proof(page: Page) -> Iterator[str]:
    if page.proof is not None:
        yield text_proof(page.proof)


def _scans(page: Page) -> Iterator[str]:
    if rows := [row for scan in page.scans for row in scan_cells(scan)]:
        sentences = [plain(line) for scan in page.scans for line in scan_sentences(scan, page.result)]
        body = table(scan_headers(page), rows, right={5})
        yield "\n".join([f"Fixed cost and slope\n{body}", NOTE_SCANS, *sentences])


def _scalings(page: Page) -> Iterator[str]:
    if not page.scalings:
        return
    columns = list(zip(*scaling_cells(page), strict=True))
    shown = [align(column, " %") if at in EFFICIENCIES else column for at, column in enumerate(columns)]
    rows = list(zip(*shown, strict=True))
    yield f"Scaling\n{table(scaling_headers(page), rows, right={1, 2, 4})}\n{SCALING_NOTE}"
    yield "\n".join(plain(line) for line in scaling_lines(page))


def _layouts(page: Page) -> Iterator[str]:
    for at, shown in enumerate(page.layouts):
        head = "" if at else "Layouts\n"
        columns = zip(*map_cells(shown), strict=True)
        rows = list(zip(*(align(column, " %") for column in columns), strict=True))
        yield f"{head}{plain(map_title(shown))}\n{table(map_headers(shown), rows)}"
        if lines := [plain(line) for line in map_lines(shown)]:
            yield "\n".join(lines)
    if page.layouts:
        yield "\n".join([*held_lines(page), LAYOUT_NOTE])


def _initializations(page: Page) -> Iterator[str]:
    if page.initializations:
        yield "\n".join(["Initialization", *map(plain, initialization_lines(page))])


def _landscapes(page: Page) -> Iterator[str]:
    for at, shown in enumerate(page.landscapes):
        head = "" if at else "Landscapes\n"
        columns = zip(*landscape_cells(shown), strict=True)
        rows = list(zip(*(align(column, " %") for column in columns), strict=True))
        lines = [plain(landscape_title(shown)), table(landscape_headers(shown), rows)]
        yield head + "\n".join([*lines, *map(plain, landscape_lines(shown))])
    if page.landscapes:
        yield LANDSCAPE_NOTE


def _weights(page: Page) -> Iterator[str]:
    if rows := weight_cells(page):
        body = table(WEIGHT_HEADERS, rows, right={1, 2, 8, 9})
        yield "\n".join(["Weight of the guests", body, WEIGHT_NOTE, *map(plain, weight_lines(page))])


def _systems(page: Page) -> Iterator[str]:
    if page.systems:
        shown = table(system_headers(page.systems), system_rows(page.systems))
        yield f"{SYSTEM_TITLE}\n{shown}\n{SYSTEM_NOTE}"


def _sections(page: Page, paths: Mapping[str, str]) -> Sequence[str]:
    parts = (
        section("Not measured", (f"{name}: {reason}" for name, reason in words.unmeasured(page))),
        section("A/A badge of this site", words.badge_lines(page)),
        section("Doubts", words.doubts(page.doubts) or ("none",)),
        section("Run again", rejected_lines(page)),
        section("How it was measured", page.method),
        section("Files", (f"{name}: {path}" for name, path in paths.items())),
        section("Next", page.next),
    )
    return [part for part in parts if part]


def _paint(rows: Sequence[Row]) -> Paint:
    verdicts = [row.verdict for row in rows]

    def paint(row: int, column: int, cell: str) -> str:
        return f"\x1b[{COLOURS[verdicts[row]]}m{cell}\x1b[0m" if column in {LOSS, VERDICT} else cell

    return paint
