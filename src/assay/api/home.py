"""A home in Python: what was measured, on which machines, by which scenes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from assay.activities.fleet.pages import fleet_page
from assay.activities.home import home as settled
from assay.activities.pages import page_of
from assay.activities.rows import take_up_records
from assay.activities.standing import as_it_stands
from assay.activities.summaries import in_short
from assay.api.result import FleetResult, Result
from assay.api.tables import Table
from assay.model.errors import AssayError
from assay.model.files.home import settle_home
from assay.pages.context import Page
from assay.pages.flat import Column, losses_table, results_table
from assay.pages.flat import Table as FlatTable
from assay.pages.summary import Summary
from assay.report.lists.scene_index import listed_scenes
from assay.store.chosen import Chosen, choose, parsed
from assay.store.rows import ActivityRow, FleetRow
from assay.store.search import Filter
from assay.store.store import Store

READER = " "
"""What who only reads is called in a database of several: a name that no controller can have."""


class Home:
    """A folder of all state, with its database.

    Attributes:
        path: The folder.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        """Open a home.

        Args:
            path: Its folder; ``None`` is that of the commands (``ASSAY_HOME``). An address of PostgreSQL,
                ``postgresql://USER@HOST/DATABASE``, opens what several controllers share: their results in
                short and machines; the records of one can be loaded where they are on a shared disk.

        Raises:
            AssayError: It cannot be one, or its database cannot be read.
        """
        self._reading = ExitStack()
        if path is None:
            self.path = settled()
        elif isinstance(path, str) and path.startswith(("postgresql:", "postgres:")):
            self.path = Path(self._reading.enter_context(TemporaryDirectory(prefix="assay-")))
            parsed(path)
            choose(self.path, Chosen(path, READER))
        else:
            self.path = Path(path).expanduser().absolute()
            settle_home(self.path, lambda _: False)
        self.store = Store(self.path)

    def results(self, *, scene: str | None = None, limit: int | None = None) -> Table:
        """Return the results with their headline, the newest first; of an activity on several machines that
        of each of them. One that cannot be read is left out with a warning.

        Args:
            scene: Only those of this scene.
            limit: No more than so many.
        """
        return Table(results_table(self._summaries(scene, limit)))

    def losses(self, *, scene: str | None = None, limit: int | None = None) -> Table:
        """Return the losses of these results: every metric of each with its interval and verdict."""
        return Table(losses_table(self._summaries(scene, limit)))

    def machines(self) -> Table:
        """Return the machines of the inventory, as ``assay machine list``."""
        names = ("name", "host", "groups", "tags", "role", "notes", "guest_of")
        abouts = (
            "Name of the machine.", "Host name or address; null is this machine.", "Groups that it is in.",
            "Its tags, key=value.", "What it is meant for.", "For people.", "Machine that carries it.",
        )  # fmt: skip

        def rows() -> Iterator[tuple[str | None, ...]]:
            for one in self.store.entries():
                tags = " ".join(f"{key}={value}" for key, value in one.tags)
                yield (
                    one.machine.name, one.machine.host, " ".join(one.groups), tags,
                    None if one.role is None else str(one.role), one.notes, one.guest_of,
                )  # fmt: skip

        columns = tuple(Column(name, str, about) for name, about in zip(names, abouts, strict=True))
        return Table(FlatTable("machines", "One row a machine.", columns, rows))

    def scenes(self) -> Table:
        """Return the ready scenes, as ``assay scene list`` after those of the site."""
        columns = (
            Column("name", str, "Name of the scene."),
            Column("title", str, "One line for people."),
            Column("published", str, "Whose figures stand beside its own; null for nobody's."),
            Column("takes_s", float, "About how long it takes, seconds."),
        )
        rows = [
            (one["name"], one["title"], ", ".join(one["cited"]) or None, one["takes_s"])
            for one in listed_scenes()
        ]
        return Table(FlatTable("scenes", "One row a ready scene.", columns, lambda: rows))

    def load(self, result: str = "last") -> Result | FleetResult:
        """Return a result.

        Args:
            result: Its id, a unique beginning of it, or ``last``.

        Raises:
            AssayError: None is called so.
        """
        take_up_records(self.store)
        row = self.store.find(result)
        if isinstance(row, FleetRow):
            lanes = self.store.lanes_of(row.id)
            return FleetResult(row.folder, fleet_page(row.folder, self.path), self.path, lanes)
        return Result(self.path, row)

    def close(self) -> None:
        """Close its database; ``with assay.open() as home:`` does it at the end."""
        self.store.close()
        self._reading.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        place = self.store.database if self.store.controller == READER else self.path
        return f"<assay home {place}: {len(self.store.ids())} results>"

    def _summaries(self, scene: str | None, limit: int | None) -> Sequence[Summary]:
        rows = self.store.search(Filter(scene=scene), limit=limit, lanes=True).rows
        return in_short(self.store, rows, self._page_of, _left_out)

    def _page_of(self, row: ActivityRow) -> Page:
        return as_it_stands(self.path, row, lambda: page_of(row.folder))


def _left_out(activity: str, error: AssayError) -> None:
    warnings.warn(f"result {activity} is left out: {error.message}", stacklevel=2)
