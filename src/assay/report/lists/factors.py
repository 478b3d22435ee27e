"""The catalogue of factors for people and programs."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import asdict

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Factor
from assay.factors.catalogue import LevelCheck, Refusal
from assay.factors.export.words import Exported
from assay.factors.export.words_of import TRIED
from assay.pages.factor_page import (
    Choice,
    EffectShown,
    ExportPage,
    FactorShown,
    FactorsPage,
    FoundShown,
    RefusedShown,
    TryPage,
)
from assay.report.tables.tables import plain, table


def factors_page(factors: Sequence[Factor], host: Host) -> FactorsPage:
    """Return factors with what a host says of them."""
    return FactorsPage(tuple(_row(factor, host) for factor in factors))


def try_page(checks: Sequence[LevelCheck], refused: Sequence[Refusal], *, accelerator: str) -> TryPage:
    """Return what was found of levels, and what was refused, of a guest by an accelerator."""
    seen = tuple(FoundShown(one.name, one.wanted, one.actual, one.how, one.ok) for one in checks)
    return TryPage(accelerator, seen, tuple(RefusedShown(one.name, one.reason) for one in refused))


def export_page(form: str, exported: Exported) -> ExportPage:
    """Return levels in the words of a tool."""
    left = tuple(RefusedShown(name, reason) for name, reason in exported.left_out.items())
    return ExportPage(form, exported.text, left, tried=form in TRIED)


def factor_table(page: FactorsPage) -> str:
    """Return a line for each factor."""
    cells = [
        [row.name, row.title, row.levels, row.cost, row.refused or "can be used"] for row in page.factors
    ]
    return table(("factor", "what it is", "levels", "a change costs", "here"), cells)


def factor_list(page: FactorsPage, columns: int) -> str:
    """Return the factors by group, no line wider than so many columns of a terminal.

    Each with what it is, what a change of it costs and risks, what others saw, and why it cannot be had here.
    """
    groups: dict[str, list[FactorShown]] = {}
    for row in page.factors:
        groups.setdefault(row.name.partition(".")[0], []).append(row)
    names = max((len(row.name) for row in page.factors), default=0)
    return "\n\n".join(_group(group, rows, names, columns) for group, rows in groups.items())


def _group(name: str, rows: Sequence[FactorShown], names: int, columns: int) -> str:
    indent = " " * (names + 4)
    lines = [name]
    for row in rows:
        risks = f"; may risk {', '.join(row.hazards)}" if row.hazards else ""
        parts = [f"{row.title} ({row.cost}{risks})"]
        parts += [f"seen: {one.figure} ({one.workload}, {one.source})" for one in row.effects]
        parts += [f"not here: {row.refused}"] if row.refused else []
        for at, part in enumerate(parts):
            before = f"  {row.name:{names}}  " if at == 0 else indent
            lines += textwrap.wrap(plain(part), columns, initial_indent=before, subsequent_indent=indent)
    return "\n".join(lines)


def factors_in_full(page: FactorsPage) -> str:
    """Return all that is known of each factor."""
    return "\n\n".join(map(_in_full, page.factors))


def try_table(page: TryPage) -> str:
    """Return a line for each level that was looked at."""
    cells = [
        [one.name, one.wanted, one.found, "ok" if one.ok else "NOT IN EFFECT", one.how]
        for one in page.factors
    ]
    return table(("factor", "wanted", "found", "", "seen in"), cells)


def _row(factor: Factor, host: Host) -> FactorShown:
    refused = factor.needs(host, None)
    reasons = {level: refused or factor.needs(host, level) for level in factor.levels.choices}
    return FactorShown(
        name=factor.name,
        title=factor.title,
        levels=factor.levels.words,
        accepts=factor.levels.schema,
        unit=factor.unit,
        choices=tuple(Choice(level, reason is None, reason) for level, reason in reasons.items()),
        default=factor.default,
        applied=factor.applied,
        verified=factor.verified,
        undo=factor.undo,
        cost=str(factor.cost),
        hazards=tuple(map(str, factor.hazards)),
        effects=tuple(EffectShown(**asdict(effect)) for effect in factor.effects),
        note=factor.note,
        usable=refused is None,
        refused=refused,
    )


def _in_full(row: FactorShown) -> str:
    barred = [f"{one.level}: {one.reason}" for one in row.choices if one.reason]
    lines = [
        ("levels", row.levels),
        ("default", row.default),
        ("applied", row.applied),
        ("verified", row.verified),
        ("undo", row.undo),
        ("a change costs", row.cost),
        ("may risk", ", ".join(row.hazards)),
        ("seen", "; ".join(f"{one.figure} ({one.workload}, {one.source})" for one in row.effects)),
        ("note", row.note),
        ("here", row.refused or "; ".join(barred) or "can be used"),
    ]
    reported = [f"  {name:15} {text}" for name, text in lines if text]
    return "\n".join([f"{row.name}: {row.title}", *reported])
