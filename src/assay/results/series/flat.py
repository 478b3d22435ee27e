"""What lies beside the records of a result as flat tables: samples over time, and the facts of each boot."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from assay.model.errors import AssayError
from assay.model.machines.fingerprint import flatten
from assay.model.trial import Trial
from assay.pages.context import Page
from assay.pages.flat import Cell, Cells, Column, Table, visit_columns
from assay.store.confined import is_plain_name
from assay.store.fingerprints import read_kept_fingerprint

FACTS = (
    Column("boot", str, "Identity of the boot."),
    Column("machine", str, "Host name of what booted."),
    Column("group", str, "Group of the fact (docs/facts.md)."),
    Column("field", str, "Its path in the group."),
    Column("value", str, "Its value as text, lists as JSON; null = not there."),
)
COPY = Column("guest", str, "Guest, of several that ran the trial together; null of one.")
WHOLE = ("_ns", "_bytes", "_processes")
"""Ends of the names of columns that hold whole numbers."""


def samples_table(page: Page, folder: Path) -> Table:
    """Return what was sampled of each trial, a sample a row: the core set (docs/probe.md).

    Args:
        page: The page of the result, which names its trials.
        folder: Folder of the activity.
    """
    visit, cells_of = visit_columns()
    files = [(trial, guest, path) for trial in page.trials for guest, path in _files(folder, trial.name)]
    names = list(dict.fromkeys(name for _, _, path in files for name in _names(path)))
    columns = tuple(Column(name, int if name.endswith(WHOLE) else float, "docs/probe.md") for name in names)

    def rows() -> Iterator[Cells]:
        for trial, guest, path in files:
            before: Cells = (*cells_of(trial), guest)
            for line in _lines(path):
                yield (*before, *(_number(line.get(one.name), one) for one in columns))

    return Table("samples", "One row a sample of a trial, in its order.", (*visit, COPY, *columns), rows)


def facts_table(records: Iterable[Trial], folder: Path) -> Table:
    """Return the facts of every boot that trials ran in, one a row; of a boot without any there are none.

    Args:
        records: The records of the trials.
        folder: Folder of the activity.
    """
    boots = {record.boot: record.facts.hostname for record in records}

    def rows() -> Iterator[Cells]:
        for boot, machine in boots.items():
            if not is_plain_name(boot):
                continue
            try:
                kept = read_kept_fingerprint(folder / "facts" / f"{boot}.json")
            except AssayError:  # there is none, or it is damaged: its doubt says so
                continue
            for (group, field), value in flatten(kept).items():
                yield boot, machine, group, field, _text(value)

    return Table("facts", "One row a fact of a machine or guest in one boot.", FACTS, rows)


def _files(folder: Path, trial: str) -> Iterator[tuple[str | None, Path]]:
    place = folder / "trials" / trial
    alone = place / "samples.csv"
    if alone.is_file():
        yield None, alone
    for path in sorted(place.glob("guest-*/samples.csv"), key=lambda path: (len(path.parent.name), path)):
        yield path.parent.name, path


def _names(path: Path) -> list[str]:
    return next(_split(path), [])


def _lines(path: Path) -> Iterator[dict[str, str]]:
    lines = _split(path)
    names = next(lines, [])
    return (dict(zip(names, cells, strict=True)) for cells in lines if len(cells) == len(names))


def _split(path: Path) -> Iterator[list[str]]:
    """Yield the cells of each line that was wholly written: the probe quotes none (docs/series.md)."""
    with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
        for line in file:
            if line.endswith("\n"):
                yield line[:-1].split(",")


def _number(cell: str | None, column: Column) -> Cell:
    if not cell:
        return None
    try:
        return int(cell) if column.kind is int else float(cell)
    except ValueError:
        return None


def _text(value: object) -> str | None:
    return None if value is None else value if isinstance(value, str) else json.dumps(value)
