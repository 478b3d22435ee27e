"""A result as flat tables: what a spreadsheet, a data frame or a database takes, one row an item.

The columns come from the fields of a page and have their help.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from assay.model.errors import UnknownNameError
from assay.pages.budget import BudgetPart, BudgetShown, CauseShown
from assay.pages.context import DoubtCount, Page, Result, Row, TrialPoint, Value
from assay.pages.fleet import FleetPage, FleetRow, LaneSummary, MachineLoss
from assay.pages.schema import help_of
from assay.pages.summary import Estimate, Summary
from assay.pages.track import PhaseSpan

Cell = str | int | float | bool | None
"""``None`` is "not measured" or "not known"."""
Cells = tuple[Cell, ...]
Kind = type[str] | type[int] | type[float] | type[bool]


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: Its name, words joined by underscores.
        kind: What its cells are, where they are not ``None``.
        about: What it holds, for people.
    """

    name: str
    kind: Kind
    about: str


@dataclass(frozen=True)
class Table:
    """A flat table.

    Attributes:
        name: Its name, as ``assay report --table`` takes it.
        about: What a row is, one sentence.
        columns: Its columns.
        rows: Gives its rows anew, each with a cell a column.
    """

    name: str
    about: str
    columns: tuple[Column, ...]
    rows: Callable[[], Iterable[Cells]]


@dataclass(frozen=True)
class _Field:
    """A column, and how its cell is had from an item."""

    column: Column
    get: Callable[[Any], Cell]


@dataclass(frozen=True)
class _Source:
    """What columns come from: a kind of item, which of its fields (all where none are named), and other names
    for some, where they stand beside those of another kind.
    """

    kind: type[Any]
    wanted: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Part:
    """A table of a page: its items, and the sources of its columns, one for each part of an item."""

    about: str
    sources: tuple[_Source, ...]
    items: Callable[[Any], Iterable[tuple[Any, ...]]]


def page_table(page: Page, name: str) -> Table:
    """Return a table of a page.

    Args:
        page: The page of a result, with what the table needs (budgets).
        name: One of ``PAGE_TABLES``.

    Raises:
        UnknownNameError: No table is called so.
    """
    return _table(page, name, _PARTS)


def fleet_table(page: FleetPage, name: str) -> Table:
    """Return a table of a page of several machines.

    Args:
        page: The page.
        name: One of ``FLEET_TABLES``.

    Raises:
        UnknownNameError: No table is called so.
    """
    return _table(page, name, _FLEET_PARTS)


def _table(page: Any, name: str, parts: Mapping[str, _Part]) -> Table:
    part = parts.get(name)
    if part is None:
        raise UnknownNameError(kind="table", name=name, known=list(parts))
    known = [_fields(source) for source in part.sources]

    def rows() -> Iterator[Cells]:
        for item in part.items(page):
            yield tuple(one.get(of) for of, some in zip(item, known, strict=True) for one in some)

    return Table(name, part.about, tuple(one.column for some in known for one in some), rows)


def visit_columns() -> tuple[tuple[Column, ...], Callable[[TrialPoint], Cells]]:
    """Return the columns that say which trial a row is of, and what gives their cells."""
    known = _fields(_VISIT)
    return tuple(one.column for one in known), lambda trial: tuple(one.get(trial) for one in known)


_VISIT = _Source(
    TrialPoint,
    ("index", "name", "block", "order", "arm", "replicate", "treatment", "workload", "state"),
    {"index": "trial"},
)
"""By which rows of one trial are told from those of others."""
_DIVIDED = _Source(BudgetShown, ("workload", "treatment", "against", "loss"), {"loss": "whole_loss"})
"""By which rows of one budget are told from those of others."""


def _of_trials(inner: Callable[[TrialPoint], Iterable[Any]]) -> Callable[[Page], Iterator[tuple[Any, ...]]]:
    return lambda page: ((trial, one) for trial in page.trials for one in inner(trial))


def _of_budgets(inner: Callable[[BudgetShown], Iterable[Any]]) -> Callable[[Page], Iterator[tuple[Any, ...]]]:
    return lambda page: ((budget, one) for budget in page.budgets for one in inner(budget))


_PARTS = {
    "estimates": _Part(
        "One row a metric of a workload, and a treatment where there are several.",
        (_Source(Row),),
        lambda page: zip(page.estimates),
    ),
    "trials": _Part(
        "One row a trial of the plan.",
        (_Source(TrialPoint, names={"index": "trial"}),),
        lambda page: zip(page.trials),
    ),
    "values": _Part(
        "One row a value that a trial gave.",
        (_VISIT, _Source(Value)),
        _of_trials(lambda trial: trial.metrics),
    ),
    "phases": _Part(
        "One row a phase of a trial.", (_VISIT, _Source(PhaseSpan)), _of_trials(lambda trial: trial.phases)
    ),
    "budget": _Part(
        "One row a part of a loss: a phase, and what its time was spent on.",
        (_DIVIDED, _Source(BudgetPart)),
        _of_budgets(lambda budget: budget.parts),
    ),
    "causes": _Part(
        "One row a cause that a loss is attributed to.",
        (_DIVIDED, _Source(CauseShown)),
        _of_budgets(lambda budget: budget.causes),
    ),
    "doubts": _Part("One row a doubt.", (_Source(DoubtCount),), lambda page: zip(page.doubts)),
}
PAGE_TABLES = tuple(_PARTS)
"""Tables that a page holds."""

_OF_ALL = _Source(FleetRow, ("workload", "metric", "unit", "treatment"))
_FLEET_PARTS = {
    "estimates": _Part(
        "One row a metric on one machine.",
        (_OF_ALL, _Source(MachineLoss)),
        lambda page: ((row, one) for row in page.rows for one in row.machines),
    ),
    "machines": _Part("One row a machine.", (_Source(LaneSummary),), lambda page: zip(page.lanes)),
}
FLEET_TABLES = tuple(_FLEET_PARTS)
"""Tables that a page of several machines holds."""


def _fields(source: _Source) -> list[_Field]:
    """Return the columns of a kind of item: its scalars, and those of what lies in it, under both names."""
    hints, helps = get_type_hints(source.kind), {item.name: help_of(item) for item in fields(source.kind)}
    return [
        one
        for name in source.wanted or helps
        for one in _columns(source.names.get(name, name), hints[name], helps[name], attrgetter(name))
    ]


def _columns(name: str, hint: Any, about: str, get: Callable[[Any], Any]) -> Iterator[_Field]:
    inner = _inner(hint)
    if is_dataclass(inner) and isinstance(inner, type):
        for one in _fields(_Source(inner)):
            column = one.column
            yield _Field(Column(f"{name}_{column.name}", column.kind, column.about), _through(get, one.get))
    elif get_origin(inner) is tuple:
        if get_args(inner)[0] is str:
            yield _Field(Column(name, str, about), lambda item: " ".join(get(item)))
    else:
        yield _Field(Column(name, _kind(inner), about), lambda item: _plain(get(item)))


def _inner(hint: Any) -> Any:
    """Return a type without its ``None``."""
    if get_origin(hint) is UnionType:
        return next(one for one in get_args(hint) if one is not NoneType)
    return hint


def _kind(hint: Any) -> Kind:
    if get_origin(hint) is Literal or (isinstance(hint, type) and issubclass(hint, Enum)):
        return str
    return hint if hint in {str, int, float, bool} else str


def _through(outer: Callable[[Any], Any], inner: Callable[[Any], Cell]) -> Callable[[Any], Cell]:
    def get(item: Any) -> Cell:
        one = outer(item)
        return None if one is None else inner(one)

    return get


def _plain(value: Any) -> Cell:
    plain: Cell = value.value if isinstance(value, Enum) else value
    return plain


def results_table(kept: Iterable[Summary]) -> Table:
    """Return results in short, one a row."""
    return _table(tuple(kept), "results", _SUMMARY_PARTS)


def losses_table(kept: Iterable[Summary]) -> Table:
    """Return the losses of results in short, a metric a row."""
    return _table(tuple(kept), "losses", _SUMMARY_PARTS)


_SUMMARY_PARTS = {
    "results": _Part(
        "One row a result.",
        (
            _Source(Result),
            _Source(Summary, ("headline", "machines", "badge", "seconds", "probe_cpu_s", "facts")),
        ),
        lambda kept: ((one.result, one) for one in kept),
    ),
    "losses": _Part(
        "One row a metric of a result.",
        (
            _Source(Result, ("id", "scene", "state", "started", "baseline"), {"id": "result"}),
            _Source(Estimate),
        ),
        lambda kept: ((one.result, estimate) for one in kept for estimate in one.estimates),
    ),
}
