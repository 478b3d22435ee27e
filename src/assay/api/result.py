"""A result in Python: its tables, its charts, its page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from assay.activities.flat import result_table
from assay.activities.pages import explained_page, whole_page
from assay.activities.standing import as_it_stands
from assay.api.chart import Chart
from assay.api.tables import Table, html_table
from assay.model.errors import UnknownNameError
from assay.pages.context import Page
from assay.pages.flat import fleet_table
from assay.pages.fleet import FleetPage
from assay.report.charts.charts import named_charts
from assay.report.charts.fleet import named_fleet_charts
from assay.report.render.fleet import text_fleet
from assay.report.render.text import text_report
from assay.report.tables.fleet import METRICS, fleet_headline, metric_cells
from assay.report.tables.words import cells, headers, headline
from assay.store.rows import ActivityRow


class Result:
    """The outcome of one activity. What is read of it is read once, when it is asked for.

    Attributes:
        id: Identity of the result.
        folder: Folder of its records.
    """

    def __init__(self, home: Path, row: ActivityRow) -> None:
        self.id, self.folder = row.id, row.folder
        self._home, self._row = home, row

    @cached_property
    def page(self) -> Page:
        """All that ``assay report --json`` says but what is shown over time (docs/report.md)."""
        return self._stands(partial(explained_page, self.folder))

    @cached_property
    def estimates(self) -> Table:
        """One row a metric: loss, interval, verdict."""
        return self._table("estimates")

    @cached_property
    def trials(self) -> Table:
        """One row a trial."""
        return self._table("trials")

    @cached_property
    def values(self) -> Table:
        """One row a value that a trial gave."""
        return self._table("values")

    @cached_property
    def phases(self) -> Table:
        """One row a phase of a trial."""
        return self._table("phases")

    @cached_property
    def budget(self) -> Table:
        """One row a part of a loss: where the time went."""
        return self._table("budget")

    @cached_property
    def causes(self) -> Table:
        """One row a cause that a loss is attributed to."""
        return self._table("causes")

    @cached_property
    def doubts(self) -> Table:
        """One row a doubt, the gravest first."""
        return self._table("doubts")

    @cached_property
    def samples(self) -> Table:
        """One row a sample of a trial."""
        return self._table("samples")

    @cached_property
    def facts(self) -> Table:
        """One row a fact of a machine or guest in one boot."""
        return self._table("facts")

    @cached_property
    def charts(self) -> Mapping[str, Chart]:
        """The charts of the report by name, as ``assay report --chart`` takes it."""
        page = self._stands(partial(whole_page, self.folder))
        return {name: Chart(name, spec) for name, spec in named_charts(page).items()}

    def chart(self, name: str = "loss") -> Chart:
        """Return one chart.

        Raises:
            UnknownNameError: There is none of that name.
        """
        return _chart(self.charts, name)

    @property
    def loss(self) -> float | None:
        """The loss of the only metric, a fraction; ``None`` where it was not measured.

        Raises:
            ValueError: There are several metrics: take ``estimates``.
        """
        if len(self.page.estimates) != 1:
            msg = f"expected one metric, got {len(self.page.estimates)}: take .estimates"
            raise ValueError(msg)
        return self.page.estimates[0].loss

    def __repr__(self) -> str:
        return f"<assay result {self.id}, {self.page.result.scene}: {headline(self.page)}>"

    def __str__(self) -> str:
        return text_report(self.page)

    def _repr_html_(self) -> str:
        page = self.page
        note = f"{page.result.scene}, result {self.id}, {page.result.state}: {headline(page)}"
        return html_table(headers(page), [cells(row) for row in page.estimates], note=note) + drawn(
            lambda: self.charts, "loss"
        )

    def _table(self, name: str) -> Table:
        return Table(result_table(self.folder, name, self._stands))

    def _stands(self, make: Callable[[], Page]) -> Page:
        return as_it_stands(self._home, self._row, make)


class FleetResult:
    """The outcome of an activity on several machines; each machine's own is a result: ``lane``.

    Attributes:
        id: Identity of the activity.
        folder: Its folder.
        page: All that ``assay report --json`` says (docs/fleet.md).
    """

    def __init__(self, folder: Path, page: FleetPage, home: Path, lanes: Sequence[ActivityRow]) -> None:
        """Take what was read of it.

        Args:
            folder: Its folder.
            page: Its page.
            home: Folder of all state.
            lanes: The machines' parts that were planned.
        """
        self.id, self.folder, self.page = page.id, folder, page
        known = {row.id: row for row in lanes}
        self._home = home
        self._lanes = {one.machine: known[one.activity] for one in page.lanes if one.activity in known}

    def lane(self, machine: str) -> Result:
        """Return what was measured on one machine, with its trials, values, samples and facts.

        Args:
            machine: Its name in the inventory, as ``machines`` has it.

        Raises:
            UnknownNameError: None of that name was planned.
        """
        if machine not in self._lanes:
            raise UnknownNameError(kind="machine", name=machine, known=list(self._lanes))
        return Result(self._home, self._lanes[machine])

    @cached_property
    def estimates(self) -> Table:
        """One row a metric on one machine."""
        return Table(fleet_table(self.page, "estimates"))

    @cached_property
    def machines(self) -> Table:
        """One row a machine."""
        return Table(fleet_table(self.page, "machines"))

    @cached_property
    def charts(self) -> Mapping[str, Chart]:
        """The charts of the report by name: ``loss``, numbered from 1 where there are several metrics."""
        return {name: Chart(name, spec) for name, spec in named_fleet_charts(self.page).items()}

    def chart(self, name: str | None = None) -> Chart:
        """Return one chart; ``None`` is that of the first metric.

        Raises:
            UnknownNameError: There is none of that name.
        """
        return _chart(self.charts, next(iter(self.charts), "loss") if name is None else name)

    def __repr__(self) -> str:
        return f"<assay result {self.id} of {len(self.page.lanes)} machines: {fleet_headline(self.page)}>"

    def __str__(self) -> str:
        return text_fleet(self.page)

    def _repr_html_(self) -> str:
        page = self.page
        about = f"{page.scene}, result {self.id}, {page.state}, {len(page.lanes)} machines"
        note = f"{about}: {fleet_headline(page)}"
        rows = [each for row in page.rows for each in metric_cells(row)]
        return html_table(METRICS, rows, note=note) + drawn(
            lambda: self.charts, next(iter(self.charts), "loss")
        )


def drawn(charts: Callable[[], Mapping[str, Chart]], name: str) -> str:
    """Return a chart as SVG to stand in HTML; nothing where it cannot be drawn here."""
    from assay.model.errors import MissingError

    try:
        return charts()[name].svg()
    except (KeyError, MissingError):
        return ""


def _chart(charts: Mapping[str, Any], name: str) -> Chart:
    if name not in charts:
        raise UnknownNameError(kind="chart", name=name, known=list(charts))
    found: Chart = charts[name]
    return found
