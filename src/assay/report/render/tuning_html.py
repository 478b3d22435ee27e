"""A search for the settings that pay as one HTML file, which asks the network for nothing."""

from __future__ import annotations

from assay.pages.tuning import Tuning
from assay.report.charts.tuning import tuning_charts
from assay.report.render.html import SCRIPTS, embedded, environment, script_hash, static
from assay.report.tables import tuning as words


def html_tuning(tuning: Tuning) -> str:
    """Return the page; every text of it is escaped."""
    scripts = [static(name) for name in SCRIPTS]
    return (
        environment()
        .get_template("tuning.html")
        .render(
            tuning=tuning,
            words=words,
            found=[*words.found_sets(tuning)],
            style=static("page.css"),
            scripts=scripts,
            hashes=[script_hash(script) for script in scripts],
            charts=embedded(tuning_charts(tuning)),
        )
    )
