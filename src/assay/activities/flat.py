"""The flat tables of an activity's folder: those of its page, and those of what lies beside its records."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from assay.activities.pages import explained_page, page_of
from assay.model.errors import UnknownNameError
from assay.pages.context import Page
from assay.pages.flat import PAGE_TABLES, Table, page_table
from assay.results.series.flat import facts_table, samples_table
from assay.store.record import read_trials

TABLES = (*PAGE_TABLES, "samples", "facts")
"""Names of all tables of a result."""
_EXPLAINED = ("budget", "causes")


def result_table(
    folder: Path, name: str, stands: Callable[[Callable[[], Page]], Page] = lambda make: make()
) -> Table:
    """Return a table of an activity.

    Args:
        folder: Its folder.
        name: One of ``TABLES``.
        stands: Gives the page as it stands now, of what makes it from the folder.

    Raises:
        UnknownNameError: No table is called so.
        RecordError: The folder cannot be read.
    """
    if name not in TABLES:
        raise UnknownNameError(kind="table", name=name, known=list(TABLES))
    if name == "facts":
        return facts_table(read_trials(folder, damaged=[]), folder)
    if name == "samples":
        return samples_table(stands(partial(page_of, folder, sampled=False)), folder)
    make = explained_page if name in _EXPLAINED else page_of
    return page_table(stands(partial(make, folder)), name)
