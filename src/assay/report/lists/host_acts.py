"""Changes of the host's settings, told before they are made and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.factors.host_acts import PlannedAct
from assay.report.tables.tables import table


def planned_rows(planned: Sequence[PlannedAct]) -> list[dict[str, Any]]:
    """Return each planned write as JSON holds it."""
    return [
        {
            "factor": one.factor,
            "level": one.level,
            "path": one.act.path,
            "before": one.before,
            "in_force": one.in_force,
            "act": one.act.typed,
            "undo": [act.typed for act in one.undo],
        }
        for one in planned
    ]


def planned_text(planned: Sequence[PlannedAct]) -> str:
    """Return what would be written on the host and what takes it back, one write a line; empty for none."""
    if not planned:
        return ""
    cells = [
        [f"{one.factor}={one.level}", "in force already", ""]
        if one.in_force
        else [f"{one.factor}={one.level}", one.act.typed, "; ".join(act.typed for act in one.undo)]
        for one in planned
    ]
    return table(("on the host", "act", "undo"), cells)
