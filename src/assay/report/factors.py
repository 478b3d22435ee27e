"""The catalogue of factors for people and programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from assay.factors.evidence import Host
from assay.factors.factor import Factor
from assay.report.tables import table


def factor_rows(factors: Sequence[Factor], host: Host) -> list[dict[str, Any]]:
    """Return each factor as JSON holds it, with what a host says of it."""
    return [_row(factor, host) for factor in factors]


def factor_table(rows: Sequence[dict[str, Any]]) -> str:
    """Return a line for each factor."""
    cells = [
        [row["name"], row["title"], row["levels"], row["cost"], row["refused"] or "can be used"]
        for row in rows
    ]
    return table(("factor", "what it is", "levels", "a change costs", "here"), cells)


def factors_in_full(rows: Sequence[dict[str, Any]]) -> str:
    """Return all that is known of each factor."""
    return "\n\n".join(_in_full(row) for row in rows)


def _row(factor: Factor, host: Host) -> dict[str, Any]:
    refused = factor.needs(host, None)
    levels = {level: factor.needs(host, level) for level in factor.levels.choices}
    return {
        "name": factor.name,
        "title": factor.title,
        "levels": factor.levels.words,
        "choices": [
            {"level": level, "usable": not (refused or reason), "reason": refused or reason}
            for level, reason in levels.items()
        ],
        "default": factor.default,
        "applied": factor.applied,
        "verified": factor.verified,
        "cost": str(factor.cost),
        "hazards": [str(hazard) for hazard in factor.hazards],
        "effects": [asdict(effect) for effect in factor.effects],
        "note": factor.note,
        "usable": refused is None,
        "refused": refused,
    }


def _in_full(row: dict[str, Any]) -> str:
    barred = [f"{one['level']}: {one['reason']}" for one in row["choices"] if one["reason"]]
    lines = [
        ("levels", row["levels"]),
        ("default", row["default"]),
        ("applied", row["applied"]),
        ("verified", row["verified"]),
        ("a change costs", row["cost"]),
        ("may risk", ", ".join(row["hazards"])),
        (
            "seen",
            "; ".join(f"{one['figure']} ({one['workload']}, {one['source']})" for one in row["effects"]),
        ),
        ("note", row["note"]),
        ("here", row["refused"] or "; ".join(barred) or "can be used"),
    ]
    told = [f"  {name:15} {text}" for name, text in lines if text]
    return "\n".join([f"{row['name']}: {row['title']}", *told])
