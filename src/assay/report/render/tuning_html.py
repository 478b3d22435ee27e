"""A search for the settings that pay as one HTML file, which asks the network for nothing."""

from __future__ import annotations

from assay.pages.tuning import Tuning
from assay.report.charts.tuning import tuning_charts
from assay.report.render.frame import Document, document, whole_file
from assay.report.tables import tuning as words


def html_tuning(tuning: Tuning) -> str:
    """Return the page; every text of it is escaped."""
    return whole_file(tuning_document(tuning))


def tuning_document(tuning: Tuning) -> Document:
    """Return the page, without a frame."""
    return document(
        "tuning.html",
        tuning_charts(tuning),
        tuning=tuning,
        words=words,
        found=[*words.found_sets(tuning)],
    )
