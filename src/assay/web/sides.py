"""What is laid beside each other: results, one treatment of a result, the machines of an activity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from assay.activities.pages import page_of
from assay.activities.standing import as_it_stands
from assay.activities.summaries import in_short, summary_of
from assay.model.errors import AssayError, UnknownNameError
from assay.pages.context import Page
from assay.pages.summary import Summary
from assay.store.rows import ActivityRow, FleetRow
from assay.web.found import in_figures, row_of
from assay.web.site import Site

MOST = 20


@dataclass(frozen=True)
class Side:
    """A result, or one treatment of it.

    Attributes:
        row: The result's activity.
        treatment: Label of the treatment; ``None`` is all of them.
    """

    row: ActivityRow
    treatment: str | None

    @property
    def name(self) -> str:
        """What it is asked for by: the id, ``ID:TREATMENT``."""
        return self.row.id if self.treatment is None else f"{self.row.id}:{self.treatment}"


def sides_of(site: Site, names: Iterable[str]) -> tuple[Side, ...]:
    """Return what is asked for, each once: ``ID``, ``ID:TREATMENT``; an activity on several machines is the
    results of each.

    Raises:
        UnknownNameError: There is no such result.
        AssayError: There are more than can be laid beside each other.
    """
    found = tuple({side.name: side for name in names for side in _named(site, name)}.values())
    if len(found) > MOST:
        msg = f"cannot compare {len(found)} results: {MOST} at most"
        raise AssayError(msg, hint="name some machines of an activity by the ids of their own results")
    return found


def _named(site: Site, name: str) -> Iterator[Side]:
    result, _, treatment = name.partition(":")
    row = row_of(site, result)
    rows = site.store.lanes_of(row.id) if isinstance(row, FleetRow) else (row,)
    yield from (Side(one, treatment or None) for one in rows)


def side_summaries(site: Site, sides: Sequence[Side]) -> tuple[Summary, ...]:
    """Return sides in short, in their order.

    Raises:
        UnknownNameError: A result has no such treatment.
        AssayError: One cannot be read.
    """
    whole = [side.row for side in sides if side.treatment is None]
    short = {one.result.id: one for one in in_short(site.store, whole, lambda row: _short(site, row), _raise)}
    return tuple(
        short[side.row.id] if side.treatment is None else summary_of(side_page(site, side)) for side in sides
    )


def _short(site: Site, row: ActivityRow) -> Page:
    return as_it_stands(site.home, row, lambda: page_of(row.folder))


def _raise(_: str, error: AssayError) -> None:
    raise error


def side_page(site: Site, side: Side) -> Page:
    """Return the page of a side, with its own figures alone; arguments and errors as of
    ``side_summaries``.
    """
    page = in_figures(site, side.row)
    return page if side.treatment is None else _of_treatment(page, side.treatment)


def treatments_of(page: Page) -> tuple[str, ...]:
    """Return the treatments of a result that has several; of one that has one none."""
    return tuple(dict.fromkeys(row.treatment for row in page.estimates if row.treatment is not None))


def _of_treatment(page: Page, treatment: str) -> Page:
    known = treatments_of(page) or (page.result.treatment,)
    if treatment not in known:
        raise UnknownNameError(kind=f"treatment of {page.result.id}", name=treatment, known=known)
    held = (replace(row, treatment=None) for row in page.estimates if row.treatment in {None, treatment})
    arms = {page.result.baseline, treatment}
    return replace(
        page,
        result=replace(page.result, treatment=treatment),
        estimates=tuple(held),
        systems=tuple(system for system in page.systems if system.label in arms),
    )
