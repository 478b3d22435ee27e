"""A result of several treatments: their rows side by side."""

from __future__ import annotations

from collections.abc import Iterable

from assay.pages.context import Row


def in_order(parts: Iterable[tuple[Row, ...]]) -> tuple[Row, ...]:
    """Return the rows of all treatments by workload and metric, in each the treatments in their order."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for rows in parts:
        for row in rows:
            groups.setdefault((row.workload, row.metric), []).append(row)
    return tuple(row for rows in groups.values() for row in rows)
