"""The page as Markdown (CommonMark with GitHub's tables); whatever the words hold, they stay words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from assay.pages.context import Page, Row
from assay.pages.proof import Proof
from assay.report.method.recipe import NOTE as NOTE_RECIPE
from assay.report.method.recipe import TITLE as RECIPE_TITLE
from assay.report.method.recipe import recipe
from assay.report.render.budget_markdown import markdown_budget_group
from assay.report.render.markdown_words import bullets, code, commands, escape, markdown_table
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
from assay.report.tables.loss_fold import TITLE as FOLD_TITLE
from assay.report.tables.loss_fold import fold_line, fold_losses
from assay.report.tables.own_clock import NOTE as OWN_CLOCK_NOTE
from assay.report.tables.own_clock import RIGHT as OWN_CLOCK_RIGHT
from assay.report.tables.own_clock import TITLE as OWN_CLOCK_TITLE
from assay.report.tables.own_clock import own_clock_cells, own_clock_headers
from assay.report.tables.path_share import HEADERS as PATH_HEADERS
from assay.report.tables.path_share import RIGHT as PATH_RIGHT
from assay.report.tables.path_share import TITLE as PATH_TITLE
from assay.report.tables.path_share import path_share_cells, path_share_note
from assay.report.tables.phases import NOTE, phase_cells, phase_headers
from assay.report.tables.proof_words import (
    HEADERS,
    RIGHT,
    RUN_HEADERS,
    TITLE,
    proof_cells,
    proof_notes,
    run_cells,
)
from assay.report.tables.published import HEADERS as PUBLISHED_HEADERS
from assay.report.tables.published import TITLE as PUBLISHED_TITLE
from assay.report.tables.published import published_cells, published_lines
from assay.report.tables.rejected import rejected_lines
from assay.report.tables.scaling import NOTE as SCALING_NOTE
from assay.report.tables.scaling import scaling_cells, scaling_headers, scaling_lines
from assay.report.tables.scan_words import NOTE as NOTE_SCANS
from assay.report.tables.scan_words import scan_cells, scan_headers, scan_sentences
from assay.report.tables.score import SCORE_RIGHT, SCORE_TITLE, score_cells, score_headers, score_lines
from assay.report.tables.system import NOTE as SYSTEM_NOTE
from assay.report.tables.system import system_headers, system_rows
from assay.report.tables.together import HEADERS as TOGETHER_HEADERS
from assay.report.tables.together import NOTE as TOGETHER_NOTE
from assay.report.tables.together import RIGHT as TOGETHER_RIGHT
from assay.report.tables.together import TITLE as TOGETHER_TITLE
from assay.report.tables.together import together_cells
from assay.report.tables.weight import HEADERS as WEIGHT_HEADERS
from assay.report.tables.weight import NOTE as WEIGHT_NOTE
from assay.report.tables.weight import weight_cells, weight_lines


def markdown_report(page: Page, *, paths: Mapping[str, str] | None = None) -> str:
    """Return a result's page as Markdown.

    Args:
        page: What to show.
        paths: Files to name at the end, by what they are.
    """
    result = page.result
    parts = [
        f"# {escape(result.title)}",
        (
            f"{escape(result.scene)}, result {code(result.id)}, **{result.state}**: "
            f"{escape(words.headline(page))}."
        ),
        *([f"{escape(trust_text(page))}."] if page.estimates else []),
        f"{escape(words.setting(page))}. {escape(result.started)} to {escape(result.ended)}.",
        *([] if result.command is None else [f"Command: {code(result.command)}"]),
        *_systems(page),
        _losses(page, fold_losses(page).shown),
        bullets(words.reading(page)),
        *_sections(page, paths or {}),
    ]
    return "\n\n".join(parts) + "\n"


def _losses(page: Page, rows: Sequence[Row]) -> str:
    return markdown_table(words.headers(page), [words.cells(row) for row in rows], right=range(2, 9))


def _folded(page: Page) -> str:
    fold = fold_losses(page)
    return f"{escape(fold_line(fold))}.\n\n{_losses(page, fold.folded)}" if fold.folded else ""


def _systems(page: Page) -> Iterator[str]:
    if page.systems:
        yield markdown_table(system_headers(page.systems), system_rows(page.systems))
        yield f"Systems: {SYSTEM_NOTE}."


def _scans(page: Page) -> str:
    rows = [row for scan in page.scans for row in scan_cells(scan)]
    sentences = [line for scan in page.scans for line in scan_sentences(scan, page.result)]
    body = markdown_table(scan_headers(page), rows, right=range(2, 6))
    return f"{body}\n\n{bullets([NOTE_SCANS, *sentences])}" if rows else ""


def _host(page: Page) -> str:
    rows = host_cells(page)
    return (
        f"{markdown_table(HOST_HEADERS, rows, right=HOST_RIGHT)}\n\n{bullets(host_lines(page))}"
        if rows
        else ""
    )


def _sections(page: Page, paths: Mapping[str, str]) -> list[str]:
    rows = phase_cells(page)
    phases = f"{markdown_table(phase_headers(page), rows, right=range(2, 8))}\n\n{NOTE}" if rows else ""
    parts = (
        (PUBLISHED_TITLE, _published(page)),
        (
            "Where the loss went",
            "\n\n".join(
                markdown_budget_group(reported, page.result) for reported in budget_groups(page.budgets)
            ),
        ),
        (SCORE_TITLE, _score(page)),
        ("Corrected", _corrected(page)),
        (PATH_TITLE, _path_shares(page)),
        (TOGETHER_TITLE, _together(page)),
        (OWN_CLOCK_TITLE, _own_clock(page)),
        ("Phases", phases),
        (HOST_TITLE, _host(page)),
        (TITLE, _proof(page.proof) if page.proof else ""),
        ("Fixed cost and slope", _scans(page)),
        ("Scaling", _scalings(page)),
        ("Layouts", _layouts(page)),
        ("Initialization", bullets(initialization_lines(page))),
        ("Landscapes", _landscapes(page)),
        ("Weight of the guests", _weights(page)),
        (FOLD_TITLE, _folded(page)),
        ("Not measured", bullets(f"{name}: {reason}" for name, reason in words.unmeasured(page))),
        ("A/A badge of this site", bullets(words.badge_lines(page))),
        ("Doubts", bullets(words.doubts(page.doubts) or ("none",))),
        ("Run again", bullets(rejected_lines(page))),
        ("How it was measured", bullets(page.method)),
        (RECIPE_TITLE, f"{NOTE_RECIPE}.\n\n{commands(recipe(page))}"),
        ("Files", "\n".join(f"- {escape(name)}: {code(path)}" for name, path in paths.items())),
        ("Next", "\n".join(f"- {code(command)}" for command in page.next)),
    )
    return [f"## {title}\n\n{body}" for title, body in parts if body]


def _proof(proof: Proof) -> str:
    cells = proof_cells(proof)
    shares = [markdown_table(HEADERS, cells, right=RIGHT)] if cells else []
    runs = markdown_table(RUN_HEADERS, run_cells(proof), right={0})
    return "\n\n".join([*shares, bullets(proof_notes(proof)), runs])


def _published(page: Page) -> str:
    if not (rows := published_cells(page)):
        return ""
    return f"{markdown_table(PUBLISHED_HEADERS, rows, right={2, 3})}\n\n{bullets(published_lines(page))}"


def _score(page: Page) -> str:
    if not (rows := score_cells(page.scores, page.result.treatment)):
        return ""
    return (
        f"{markdown_table(score_headers(), rows, right=SCORE_RIGHT)}\n\n{bullets(score_lines(page.scores))}"
    )


def _corrected(page: Page) -> str:
    rows = corrected_cells(page)
    return (
        f"{markdown_table(corrected_headers(page), rows, right={2, 3, 4})}\n\n{CORRECTED_NOTE}"
        if rows
        else ""
    )


def _together(page: Page) -> str:
    if not (rows := together_cells(page)):
        return ""
    return f"{markdown_table(TOGETHER_HEADERS, rows, right=TOGETHER_RIGHT)}\n\n{TOGETHER_NOTE}"


def _path_shares(page: Page) -> str:
    if not (rows := path_share_cells(page)):
        return ""
    return f"{markdown_table(PATH_HEADERS, rows, right=PATH_RIGHT)}\n\n{path_share_note(page)}"


def _own_clock(page: Page) -> str:
    if not (rows := own_clock_cells(page)):
        return ""
    return f"{markdown_table(own_clock_headers(page), rows, right=OWN_CLOCK_RIGHT)}\n\n{OWN_CLOCK_NOTE}"


def _scalings(page: Page) -> str:
    if not (rows := scaling_cells(page)):
        return ""
    shown = markdown_table(scaling_headers(page), rows, right=range(1, 6))
    return f"{shown}\n\n{SCALING_NOTE}\n\n{bullets(scaling_lines(page))}"


def _layouts(page: Page) -> str:
    maps = [
        f"**{escape(map_title(shown))}**\n\n{markdown_table(map_headers(shown), map_cells(shown))}\n\n"
        f"{bullets(map_lines(shown))}"
        for shown in page.layouts
    ]
    return "\n\n".join([*maps, bullets([*held_lines(page), LAYOUT_NOTE])]) if maps else ""


def _landscapes(page: Page) -> str:
    maps = [
        f"**{escape(landscape_title(shown))}**\n\n"
        f"{markdown_table(landscape_headers(shown), landscape_cells(shown), right=range(1, len(shown.records) + 1))}\n"  # noqa: E501
        "\n"
        f"{bullets(landscape_lines(shown))}".rstrip()
        for shown in page.landscapes
    ]
    return "\n\n".join([*maps, bullets([LANDSCAPE_NOTE])]) if maps else ""


def _weights(page: Page) -> str:
    if not (rows := weight_cells(page)):
        return ""
    return (
        f"{markdown_table(WEIGHT_HEADERS, rows, right=range(1, 10))}\n\n"
        f"{bullets([WEIGHT_NOTE, *weight_lines(page)])}"
    )
