"""The trials behind a figure, the record of one, and the files that it brought."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path as Folder
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response

from assay.model.errors import UnknownNameError
from assay.pages.context import Page, Row, TrialPoint
from assay.pages.numbers import value_text
from assay.report.render.frame import Document, document
from assay.report.tables import words
from assay.store.outputs import Brought, brought, read_brought
from assay.store.record import read_trial
from assay.web.downloads import attached
from assay.web.found import address, in_figures, of_one
from assay.web.route import page
from assay.web.site import At

router = APIRouter(tags=["results"])
PER_PAGE = 100
"""Blocks."""
MOST_FILES = 300
MOST_TEXT = 20_000
"""Characters of one field of a record that are shown; the whole is its file."""
Index = Annotated[int, Path(ge=0, le=10_000_000)]


@dataclass(frozen=True)
class Visit:
    """One trial's value.

    Attributes:
        index: Its position in the plan.
        state: ``ended`` or ``failed``.
        value: What it measured; ``None`` where it failed or did not measure that.
    """

    index: int
    state: str
    value: float | None


@dataclass(frozen=True)
class Block:
    """The trials of one block.

    Attributes:
        block: Its number from 0.
        baseline: Those on the baseline, in the order of their visits.
        treatment: Those on the treatment.
    """

    block: int
    baseline: tuple[Visit, ...]
    treatment: tuple[Visit, ...]


@dataclass(frozen=True)
class Trials:
    """The trials behind one figure.

    Attributes:
        result: Id of the result.
        title: The scene's title.
        baseline: Label of what the loss is over.
        treatment: Label of the treatment.
        row: The figure.
        blocks: Some of its blocks.
        start: Number of the first of them among all.
        total: All of them.
    """

    result: str
    title: str
    baseline: str
    treatment: str
    row: Row
    blocks: tuple[Block, ...]
    start: int
    total: int


@dataclass(frozen=True)
class Record:
    """The record of a trial.

    Attributes:
        result: Id of the result.
        name: Name of the trial's folder.
        index: Position of the trial in the plan.
        record: What its ``trial.json`` holds.
        files: What it brought.
    """

    result: str
    name: str
    index: int
    record: dict[str, Any]
    files: tuple[Brought, ...]


def _drawn(one: Trials) -> Document:
    return document(
        "trials_of.html",
        (),
        page=one,
        at=address(one.result),
        words=words,
        value=value_text,
        per_page=PER_PAGE,
        again=lambda start: urlencode({**_names(one.row), "start": start}),
    )


def _names(row: Row) -> dict[str, str]:
    named = {"workload": row.workload, "metric": row.metric, "treatment": row.treatment}
    return {name: value for name, value in named.items() if value is not None}


@page(router, "/results/{result}/trials", _drawn)
def trials(
    site: At,
    result: str,
    workload: str | None = None,
    metric: str | None = None,
    treatment: str | None = None,
    start: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
) -> Trials:
    """The trials behind one figure, by block; without names behind the first."""
    found = in_figures(site, of_one(site, result))
    row = _row(found, workload, metric, treatment)
    held = [one for one in found.trials if one.workload == row.workload and _is_of(one, row)]
    held.sort(key=lambda one: (one.block, one.index))
    blocks = [_block(number, list(group), row) for number, group in groupby(held, lambda one: one.block)]
    some = tuple(blocks[start : start + PER_PAGE])
    about = found.result
    base, treated = row.against or about.baseline, row.treatment or about.treatment
    return Trials(about.id, about.title, base, treated, row, some, start, len(blocks))


def _row(found: Page, workload: str | None, metric: str | None, treatment: str | None) -> Row:
    wanted = {"workload": workload, "metric": metric, "treatment": treatment}
    asked = {name: value for name, value in wanted.items() if value is not None}
    for row in found.estimates:
        its = {**vars(row), "treatment": row.treatment or found.result.treatment}
        if all(its[name] == value for name, value in asked.items()):
            return row
    kind = "figure"
    known = dict.fromkeys(words.named(row.workload, row.metric) for row in found.estimates)
    raise UnknownNameError(kind, " · ".join(asked.values()), list(known))


def _is_of(trial: TrialPoint, row: Row) -> bool:
    return trial.arm == "baseline" or trial.treatment in {row.treatment, row.against or row.treatment}


def _block(number: int, held: list[TrialPoint], row: Row) -> Block:
    base = [one for one in held if one.treatment == row.against and (row.against or one.arm == "baseline")]
    treated = [one for one in held if one.arm == "treatment" and one.treatment == row.treatment]
    return Block(number, tuple(_visits(base, row)), tuple(_visits(treated, row)))


def _visits(held: list[TrialPoint], row: Row) -> Iterator[Visit]:
    for one in held:
        value = next((item.value for item in one.metrics if item.metric == row.metric), None)
        yield Visit(one.index, str(one.state), value)


def _drawn_record(one: Record) -> Document:
    told = {name: value for name, value in one.record.items() if value not in (None, [], {})}
    short = [(name, str(value)) for name, value in told.items() if not isinstance(value, dict | list)]
    nested = [(name, _text(value)) for name, value in told.items() if isinstance(value, dict | list)]
    at = address(one.result)
    return document("record.html", (), page=one, at=at, short=short, nested=nested, path=_path)


def _text(value: Any) -> str:
    text = json.dumps(value, indent=1, ensure_ascii=False)
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}\n… {len(text) - MOST_TEXT} more"


def _path(path: str) -> str:
    return quote(path)


@page(router, "/results/{result}/trials/{index}", _drawn_record)
def record(site: At, result: str, index: Index) -> Record:
    """The record of one trial, and the files that it brought."""
    row = of_one(site, result)
    folder = _folder(row.folder, index)
    read_trial(folder)  # what is no record of ours is not shown
    held = json.loads((folder / "trial.json").read_bytes())
    return Record(row.id, folder.name, index, held, brought(folder, most=MOST_FILES))


def _folder(activity: Folder, index: int) -> Folder:
    """Return the folder of a trial by its position in the plan.

    Raises:
        UnknownNameError: It has no record.
    """
    for place in (activity / "trials").glob(f"{index:04d}-*"):
        if (place / "trial.json").is_file():
            return place
    kind = "trial"
    raise UnknownNameError(kind, str(index), [])


@router.get(
    "/results/{result}/trials/{index}/files/{path:path}",
    summary="The text of a file that a trial brought.",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}},
)
def file(site: At, result: str, index: Index, path: str) -> Response:
    """Return the text of a file that a trial brought, to be kept, never to be shown."""
    folder = _folder(of_one(site, result).folder, index)
    text = read_brought(folder, path)
    return attached(text, f"{folder.name}-{path.rpartition('/')[2]}", "text/plain; charset=utf-8")
