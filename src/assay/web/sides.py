"""What is laid beside each other: results, one treatment of a result, the machines of an activity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.activities.pages import page_of
from assay.activities.standing import as_it_stands
from assay.activities.summaries import in_short, summary_of
from assay.model.errors import AssayError, UnknownNameError
from assay.pages.context import Page
from assay.pages.summary import Summary
from assay.store.rows import ActivityRow, FleetRow
from assay.web.found import row_of
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

    def page_of(self, page: Page) -> Page:
        """Return the page of its result with its own figures alone.

        Args:
            page: All of the result's.

        Raises:
            UnknownNameError: The result has no such treatment.
        """
        return page if self.treatment is None else _of_treatment(page, self.treatment)


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


def side_summaries(site: Site, sides: Sequence[Side], pages: Mapping[str, Page]) -> tuple[Summary, ...]:
    """Return sides in short, in their order.

    Args:
        site: What is served.
        sides: The sides.
        pages: The page of each result, by its id.

    Raises:
        UnknownNameError: A result has no such treatment.
        AssayError: One cannot be read.
    """
    whole = [side.row for side in sides if side.treatment is None]
    short = {one.result.id: one for one in in_short(site.store, whole, lambda row: _short(site, row), _raise)}
    return tuple(
        short[side.row.id] if side.treatment is None else summary_of(side.page_of(pages[side.row.id]))
        for side in sides
    )


def _short(site: Site, row: ActivityRow) -> Page:
    return as_it_stands(site.home, row, lambda: page_of(row.folder))


def _raise(_: str, error: AssayError) -> None:
    raise error


def treatments_of(page: Page) -> tuple[str, ...]:
    """Return the treatments of a result that has several; of one that has one none."""
    return tuple(dict.fromkeys(row.treatment for row in page.estimates if row.treatment is not None))


def _of_treatment(page: Page, treatment: str) -> Page:
    known = treatments_of(page) or (page.result.treatment,)
    if treatment not in known:
        raise UnknownNameError(kind=f"treatment of {page.result.id}", name=treatment, known=known)
    held = [replace(row, treatment=None) for row in page.estimates if row.treatment in {None, treatment}]
    base = next((row.against for row in held if row.against is not None), page.result.baseline)
    arms = {base, treatment}
    return replace(
        page,
        result=replace(page.result, treatment=treatment, baseline=base),
        estimates=tuple(held),
        systems=tuple(system for system in page.systems if system.label in arms),
    )
