"""The tables of several results beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.pages.numbers import NOTHING, size_text, value_text
from assay.pages.several import SeveralPage
from assay.pages.summary import Estimate, Summary
from assay.report.tables.words import named

RESULTS = ("result", "scene", "started", "compared", "machines", "state", "outcome")
LOSSES = ("metric", "result", "baseline", "treatment", "loss", "blocks", "verdict")
NOTE = "each result by itself, with its own interval; whether two differ says: assay result compare A B"


@dataclass(frozen=True)
class Metric:
    """One metric with its rows in all results.

    Attributes:
        name: Workload and metric.
        unit: Unit of its values.
        rows: Each result that has it, with its estimate, several of a result with several treatments.
    """

    name: str
    unit: str
    rows: tuple[tuple[Summary, Estimate], ...]


def metrics_of(page: SeveralPage) -> tuple[Metric, ...]:
    """Return the metrics of all results in the order in which they are met."""
    held: dict[tuple[str, str, str], list[tuple[Summary, Estimate]]] = {}
    for one in page.results:
        for row in one.estimates:
            held.setdefault((row.workload, row.metric, row.unit), []).append((one, row))
    return tuple(
        Metric(named(workload, metric), unit, tuple(rows)) for (workload, metric, unit), rows in held.items()
    )


def result_cells(page: SeveralPage) -> list[tuple[str, ...]]:
    """Return a row for each result."""
    return [
        (
            one.result.id,
            one.result.scene,
            one.result.started,
            f"{one.result.treatment} against {one.result.baseline}",
            "; ".join(one.machines) or NOTHING,
            one.result.state,
            one.headline,
        )
        for one in page.results
    ]


def loss_cells(metric: Metric) -> list[tuple[str, ...]]:
    """Return a row for each result that has a metric."""
    unit = f" {metric.unit}" if metric.unit else ""
    return [
        (
            metric.name,
            label_of(one, row),
            f"{value_text(row.baseline_value)}{unit}",
            f"{value_text(row.treatment_value)}{unit}",
            size_text(row),
            str(row.blocks),
            str(row.verdict),
        )
        for one, row in metric.rows
    ]


def label_of(one: Summary, row: Estimate) -> str:
    """Return what a row of a result is called: its id, its day, and whose loss it is."""
    whose = row.treatment or one.result.treatment
    return f"{one.result.id}, {one.result.started[:10]}, {whose}"


def doubt_lines(page: SeveralPage) -> Iterator[str]:
    """Yield the doubts of all results, the gravest of each first."""
    for one in page.results:
        for doubt in one.doubts:
            yield f"{one.result.id}: {doubt.sentence}{f' Next: {doubt.next}' if doubt.next else ''}"


def doubts_or_none(page: SeveralPage) -> Sequence[str]:
    """Return these, or a word that there are none."""
    return tuple(doubt_lines(page)) or ("none",)
