"""What the figures of a result's page open: the trials behind them, and their records."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode

from assay.pages.context import Page, Row, TrialPoint
from assay.pages.families.events import EventScan, SizeLoss
from assay.pages.score import Score
from assay.pages.summary import Estimate
from assay.report.tables.words import named
from assay.scenes.values.chosen import sized_name
from assay.web.found import address


def trials_at(result: str, row: Row | Estimate) -> str:
    """Return the address of the trials behind a row of a result's losses."""
    told = {"workload": row.workload, "metric": row.metric, "treatment": row.treatment}
    asked = urlencode({name: value for name, value in told.items() if value is not None})
    return f"{address(result, 'trials')}?{asked}"


class Opened:
    """The links of a result's page: ``report.render.links.Links``.

    Args:
        page: The page.
    """

    def __init__(self, page: Page) -> None:
        self._result, self._default = page.result.id, page.result.treatment
        self._rows: dict[tuple[str, str, str], Row] = {}
        for row in page.estimates:
            key = row.workload, row.metric, row.treatment or self._default
            self._rows.setdefault(key, row)

    def trials(self, workload: str | None, metric: str | None, treatment: str | None) -> str | None:
        """Return the address of the trials behind a figure; ``None`` of one that is no loss of the page."""
        row = self._rows.get((workload or "", metric or "", treatment or self._default))
        return None if row is None else trials_at(self._result, row)

    def size(self, scan: EventScan, size: SizeLoss) -> str | None:
        """Return the address of the trials of one event number, by the first time that they have."""
        workload, _, label = scan.workload.partition(", ")
        name = sized_name(workload, size.events)
        of = [row for row in self._rows.values() if row.workload == name and row.treatment == (label or None)]
        times = [row for row in of if row.unit == "s"]
        return trials_at(self._result, (times or of)[0]) if of else None

    def parts(self, score: Score) -> list[tuple[str, str]]:
        """Return the parts of a score that were measured, each with the address of its trials."""
        return [*self._parts(score)]

    def _parts(self, score: Score) -> Iterator[tuple[str, str]]:
        wanted = score.treatment or self._default
        for (workload, metric, treatment), row in self._rows.items():
            if treatment == wanted and f"{workload} {metric}" in score.parts:
                yield named(workload, metric), trials_at(self._result, row)

    def record(self, trial: TrialPoint) -> str | None:
        """Return the address of a trial's record; ``None`` where it has none yet."""
        there = trial.state in {"ended", "failed"}
        return address(self._result, "trials", str(trial.index)) if there else None
