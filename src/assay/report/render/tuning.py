"""A search for the settings that pay, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.pages.tuning import ChangeSet, Check, Tuning
from assay.report.render.bars import Bar, bar_texts
from assay.report.tables import tuning as words
from assay.report.tables.tables import plain, table

WIDTH = 40
"""Columns of the longest bar of the way of a search."""


def text_tuning(tuning: Tuning) -> str:
    """Return what is known of a search: what was found, what became of it, the way there."""
    head = [
        f"Tuning {tuning.id}: {tuning.title}",
        f"scene {tuning.scene}, for {', '.join(tuning.workloads)}; {words.state_text(tuning)}",
    ]
    parts = ["\n".join(map(plain, head))]
    found = [*words.found_sets(tuning)]
    parts += [text for one in found for text in _found(tuning, one)]
    if tuning.over and not found:
        parts.append(words.NOTHING)
    if extended := words.extended_text(tuning):
        parts.append(plain(extended))
    parts += _killed(tuning)
    parts += _way(tuning)
    parts += [plain(text) for text in (words.kept_text(tuning),) if text]
    parts += _left_out(tuning)
    return "\n\n".join(parts) + "\n"


def text_space(tuning: Tuning) -> str:
    """Return what would be searched."""
    parts = [
        plain(f"{words.budget_text(tuning)}, for {', '.join(tuning.workloads)}"),
        table(words.SPACE, words.space_cells(tuning)),
        *_left_out(tuning),
    ]
    return "\n\n".join(parts) + "\n"


def _found(tuning: Tuning, one: ChangeSet) -> Iterator[str]:
    yield plain(f"{words.NAMES[one.name]}: {words.verdict_text(one)}")
    yield table(words.CHANGES, words.change_cells(tuning, one))
    yield from _bars(words.EFFECTS_HEAD, words.effect_rows(one))
    yield from _bars(words.BROUGHT_HEAD, words.brought_rows(one))
    if lost := words.lost_text(tuning, one):
        yield plain(lost)
    if together := words.together_lines(one):
        yield "\n".join(map(plain, together))
    yield from _measured(one)
    for check in one.checks:
        yield plain(words.check_text(check))
        yield from _measured(check)


def _bars(head: str, rows: Sequence[tuple[str, float, float | None, float | None]]) -> Iterator[str]:
    """Yield values as bars with their intervals."""
    if rows:
        bars = bar_texts([Bar(*row[1:]) for row in rows])
        cells = [(row[0], bar, words.figures_text(*row[1:])) for row, bar in zip(rows, bars, strict=True)]
        yield f"{head}\n{table(('', '', ''), cells)}"


def _measured(one: ChangeSet | Check) -> Iterator[str]:
    if one.saved:
        yield table(words.SAVED, words.saved_cells(one.saved), right={2})
    if one.mix:
        yield table(words.MIX, words.mix_cells(one.mix))
    if most := words.most_text(one):
        yield plain(most)


def _killed(tuning: Tuning) -> Iterator[str]:
    if cells := words.killed_cells(tuning):
        yield f"{words.KILLED_HEAD}\n{table(words.KILLED, cells, right={1, 2, 3, 4})}"
        yield words.NO_POWER_CUT


def _way(tuning: Tuning) -> Iterator[str]:
    """Yield what each step of the search found best, with a bar."""
    cells = words.way_cells(tuning)
    if cells:
        best = [max(words.saved_in(run).values(), default=0.0) for run in words.searched(tuning)]
        bars = ["#" * max(0, round(WIDTH * saved)) for saved in best]
        rows = [(*cell[:2], cell[3], bar, cell[2]) for cell, bar in zip(cells, bars, strict=True)]
        headers = ("step", "guests", "time saved", "", "by")
        yield f"{words.WAY_HEAD}\n{table(headers, rows, right={0, 1, 2})}"


def _left_out(tuning: Tuning) -> Iterator[str]:
    for head, lines in (
        ("Not tried", words.left_out_lines(tuning)),
        (words.REBOOT_HEAD, words.reboot_lines(tuning)),
    ):
        if lines:
            yield "\n".join([head, *(f"  {plain(line)}" for line in lines)])
