"""A result's losses as CSV: one line a metric, empty where a loss is not known."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

from assay.report import Exporter, Page


def _losses(page: Page, _flames: Callable[[], Any]) -> str:
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(("workload", "metric", "unit", "loss"))
    for row in page.estimates:
        lines.writerow((row.workload, row.metric, row.unit, "" if row.loss is None else row.loss))
    return text.getvalue()


LOSSES = Exporter("losses-csv", "losses, one line a metric", _losses)
