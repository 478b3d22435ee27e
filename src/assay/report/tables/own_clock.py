"""The losses by the clocks as they ran, each beside the one on the host's clock."""

from __future__ import annotations

from assay.pages.context import Interval, Page
from assay.pages.numbers import size_text, value_text
from assay.report.tables.words import name_of

TITLE = "Clock-corrected and not"
NOTE = (
    "uncorrected: by the clock of the machine where it ran, which ran off the host's by at most "
    "1 % and by more than is known of it; a clock that ran off by more left no figure"
)
RIGHT = range(2, 6)


def own_clock_headers(page: Page) -> tuple[str, ...]:
    """Return the names of the columns of ``own_clock_cells``."""
    treated = "its value" if any(row.treatment for row in page.estimates) else page.result.treatment
    return ("workload", "metric", treated, f"{treated} uncorrected", "loss", "loss uncorrected")


def own_clock_cells(page: Page) -> list[tuple[str, ...]]:
    """Return a row for each loss of which a value was corrected; empty without any."""
    return [
        (
            row.workload,
            name_of(row),
            value_text(row.treatment_value),
            value_text(own.treatment_value),
            size_text(row),
            size_text(Interval(own.loss, own.low, own.high, row.blocks)),
        )
        for row in page.estimates
        if (own := row.uncorrected)
    ]
