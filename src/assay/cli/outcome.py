"""What commands say of a result: its page, where it came from, how it goes on."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.output import answer, answer_json, home, say
from assay.cli.stores import open_store

if TYPE_CHECKING:
    from assay.pages.context import Page
    from assay.store.rows import ActivityRow


def show_outcome(folder: Path, *, as_json: bool, saved: ActivityRow | None = None) -> int:
    """Print the page of an activity's folder and return its exit code; ``saved``: nobody here conducts it."""
    from assay.activities.standing import exit_of
    from assay.report.render.json import to_json
    from assay.report.render.text import text_report

    make = partial(_made, folder, whole=as_json)
    page = make() if saved is None else as_it_stands(saved, lambda: _kept(saved, as_json=as_json) or make())
    imported = saved is not None and not saved.is_own
    if as_json:
        answer_json(to_json(page))
    else:
        paths = {"report": str(folder / "report.html"), "records": str(folder / "trials")}
        if imported:  # its page is not copied, but made anew
            del paths["report"]
        colour = sys.stdout.isatty()
        answer(text_report(page, paths=paths, colour=colour), coloured=colour)
    if page.result.state == "interrupted" and not imported:
        say_resume(page.result.id)
    return int(exit_of(page))


def _made(folder: Path, *, whole: bool) -> Page:
    """Return the page that the records make."""
    from assay.activities.pages import explained_page, whole_page  # heavy, and a kept page needs them not

    return whole_page(folder) if whole else explained_page(folder)


def _kept(row: ActivityRow, *, as_json: bool) -> Page | None:
    """Return the page that was written when the activity ended, without what only a picture shows."""
    from assay.activities.summaries import kept_page

    page = kept_page(open_store(), row)
    return page if page is None or as_json else replace(page, timelines=(), initializations=())


def as_it_stands(row: ActivityRow, page: Callable[[], Page]) -> Page:
    """Return a saved page of this home as it stands now."""
    from assay.activities.standing import as_it_stands as stands

    return stands(home(), row, page)


def say_origin(row: ActivityRow) -> None:
    """Say where a result came from that was not measured here."""
    if row.source is not None:
        say(f"result {row.id} was {row.source}")


def say_resume(activity: str) -> None:
    """Say how to go on with an activity that did not reach its end."""
    say(f"what was measured is kept; to go on: assay activity resume {activity}")
