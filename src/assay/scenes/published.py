"""Published figures, which come with the package: read when first asked for."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from assay.model.figures.published import Publication, PublishedFigure, Quantity

if TYPE_CHECKING:
    from collections.abc import Mapping


@cache
def publications() -> Mapping[str, Publication]:
    """Return all publications by their key."""
    made = (
        Publication(
            key=row["key"],
            authors=row["authors"],
            year=int(row["year"]),
            title=row["title"] or None,
            venue=row["venue"] or None,
            url=row["url"] or None,
            platform=row["platform"] or None,
            about=row["about"],
            machines=row["machines"],
            runs=row["runs"],
        )
        for row in _rows("publications.csv")
    )
    return {publication.key: publication for publication in made}


@cache
def published_figures() -> Mapping[str, tuple[PublishedFigure, ...]]:
    """Return all figures by their full name, ``juno-2017/cpu-loss``; several are of several kinds of
    hardware.
    """
    named: dict[str, tuple[PublishedFigure, ...]] = {}
    for row in _rows("figures.csv"):
        figure = _figure(row)
        named[figure.full_name] = (*named.get(figure.full_name, ()), figure)
    return named


def _figure(row: dict[str, str]) -> PublishedFigure:
    return PublishedFigure(
        publication=row["publication"],
        name=row["figures"],
        quantity=Quantity(row["quantity"]),
        what=row["what"],
        low=float(row["low"]),
        high=float(row["high"]),
        unit=row["unit"],
        hardware=row["hardware"] or None,
        condition=row["condition"] or None,
        place=row["place"],
        printed=row["printed"] or None,
        note=row["note"] or None,
    )


def _rows(name: str) -> list[dict[str, str]]:
    import csv
    from importlib import resources

    text = (resources.files("assay.scenes") / "reference" / name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
