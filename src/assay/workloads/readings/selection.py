"""A figure by the reader of a tool's output: its metric, and the labels that tell it from others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.model.errors import choices
from assay.model.metric import Metric
from assay.model.work.reading import Of, Reading
from assay.model.work.tool_output import NOT_COMPARABLE, Figure, Refused, ToolOutput
from assay.workloads.readings.numbers import SEVERAL, measured, one_of


def by_figure(output: ToolOutput, reading: Reading) -> float | None:
    """Return the figure that a reading selects; ``None`` where the tool printed no number for it.

    Raises:
        ValueError: no such figure, several, another unit or another direction; the message says it.
    """
    if why_refused(output, reading) is not None:
        return None
    selected = [figure for figure in output.measurements if _selected(figure, reading)]
    if not selected:
        raise ValueError(_none(output, reading))
    if len(selected) > 1 and reading.of is None:
        msg = (
            f"expected one figure {_spell(reading)}, got {len(selected)} that differ in "
            f"{_differ(selected)}; {SEVERAL}"
        )
        raise ValueError(msg)
    for figure in selected:
        _compare(figure, reading.metric)
    return one_of([measured(figure.value) for figure in selected], reading.of or Of.FIRST)


def why_refused(output: ToolOutput, reading: Reading) -> str | None:
    """Return why the tool printed no number for a figure that is selected; ``None`` where it did."""
    return next((one.reason for one in output.refused if _selected(one, reading)), None)


def why_not_comparable(output: ToolOutput, reading: Reading) -> str | None:
    """Return why a figure that is selected is not to be compared; ``None`` where it may be."""
    reasons = (
        figure.labels.get(NOT_COMPARABLE) for figure in output.measurements if _selected(figure, reading)
    )
    return next((reason for reason in reasons if reason is not None), None)


def _selected(one: Figure | Refused, reading: Reading) -> bool:
    return one.metric == reading.figure and all(
        one.labels.get(label) == value for label, value in reading.labels
    )


def _compare(figure: Figure, metric: Metric) -> None:
    """Refuse a figure of another unit than the scene says: its number would mean something else."""
    if figure.unit != metric.unit:
        msg = f"expected the unit '{metric.unit}' as the scene says, got '{figure.unit}'"
        raise ValueError(msg)
    if figure.direction is not None and figure.direction is not metric.direction:
        msg = (
            f"expected '{metric.direction}' to be better as the scene says, for {figure.metric} it "
            f"is '{figure.direction}'"
        )
        raise ValueError(msg)


def _none(output: ToolOutput, reading: Reading) -> str:
    ours = [figure for figure in output.measurements if figure.metric == reading.figure]
    if not ours:
        known = {figure.metric for figure in output.measurements}
        return (
            f"expected a figure '{reading.figure}' of {output.tool}, got "
            f"none{choices(reading.figure or '', known)}"
        )
    for label, value in reading.labels:
        known = {figure.labels[label] for figure in ours if label in figure.labels}
        if not known:
            names = {name for figure in ours for name in figure.labels}
            return f"expected a label '{label}' of {reading.figure}, got none{choices(label, names)}"
        if value not in known:
            return f"expected {reading.figure} with {label}: {value}, got none{choices(value, known)}"
    return f"expected a figure {_spell(reading)}, got none with all of these labels together"


def _spell(reading: Reading) -> str:
    labels = ", ".join(f"{label}: {value}" for label, value in reading.labels)
    return f"'{reading.figure}'" + (f" ({labels})" if labels else "")


def _differ(figures: Iterable[Figure]) -> str:
    """Name the labels in which figures differ, with what they are."""
    values: dict[str, list[str]] = {}
    every: list[Mapping[str, str]] = [figure.labels for figure in figures]
    for label in dict.fromkeys(name for labels in every for name in labels):
        values[label] = list(dict.fromkeys(labels.get(label, "none") for labels in every))
    reported = [f"{label} ({', '.join(some)})" for label, some in values.items() if len(some) > 1]
    return f"{', '.join(reported):.160}" or "nothing"
