"""The losses corrected by a reference workload, each beside the uncorrected one."""

from __future__ import annotations

from assay.pages.context import Page
from assay.pages.numbers import size_text
from assay.report.tables.words import name_of

NOTE = (
    "corrected: the loss of the reference in the same blocks is taken out (d - d of the "
    "reference), for a difference of clock frequency or other hardware; the loss itself is the one measured"
)


def corrected_headers(page: Page) -> tuple[str, ...]:
    """Return the names of the columns of ``corrected_cells``; the label names the reference."""
    names = {row.corrected.reference for row in page.estimates if row.corrected}
    return ("workload", "metric", "loss", f"corrected by {', '.join(sorted(names))}", "blocks")


def corrected_cells(page: Page) -> list[tuple[str, ...]]:
    """Return a row for each loss that was corrected; empty where no reference is named."""
    return [
        (
            row.workload,
            name_of(row),
            size_text(row),
            size_text(row.corrected),
            str(row.corrected.blocks),
        )
        for row in page.estimates
        if row.corrected
    ]
