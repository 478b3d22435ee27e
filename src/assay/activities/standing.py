"""A saved result as it stands now: whether it is still measured, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from assay.model.errors import Exit
from assay.pages.context import Page
from assay.platforms.claims import is_live
from assay.store.record import RecordError
from assay.store.rows import ActivityRow

GOING_ON = ("assay activity resume ", "assay activity extend ")
"""Commands that go on with an activity."""


def as_it_stands(home: Path, row: ActivityRow, page: Callable[[], Page]) -> Page:
    """Return a saved page as it stands now.

    It is *running* instead of *interrupted* where another process conducts its activity; what runs, and what
    was imported, is neither to be resumed nor to be extended.

    Args:
        home: Folder of all state.
        row: The activity.
        page: Makes its page.

    Raises:
        RecordError: It cannot be read.
    """
    live = row.is_own and is_live(home, row.id)  # first: it may end while the page is made
    with _as_imported(row):
        stored = page()
    if stored.result.id != row.id:
        msg = f"cannot show result {row.id}: {row.folder} holds activity {stored.result.id} now"
        raise RecordError(msg)
    if row.is_own and not live:
        return stored
    later = tuple(command for command in stored.next if not command.startswith(GOING_ON))
    state = "running" if live and stored.result.state == "interrupted" else stored.result.state
    return replace(stored, result=replace(stored.result, state=state), next=later)


@contextmanager
def _as_imported(row: ActivityRow) -> Iterator[None]:
    """Tell of an imported result whose records no assay can have written in one line: it is no fault of this
    one.
    """
    try:
        yield
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        if row.is_own:
            raise
        msg = f"cannot show result {row.id}, {row.source}: its records contradict themselves ({error})"
        raise RecordError(msg) from error


def exit_of(page: Page) -> Exit:
    """Return the exit code of a result: done only if every metric was measured."""
    return {
        "complete": Exit.DONE,
        "partial": Exit.PARTIAL,
        "running": Exit.PARTIAL,
        "interrupted": Exit.INTERRUPTED,
        "failed": Exit.NOTHING,
    }[page.result.state]
