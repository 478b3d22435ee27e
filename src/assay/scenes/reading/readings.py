"""What a scene says of an own program's figures and success: as values, and back as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.model.metric import Direction, Metric
from assay.model.work.reading import Of, Reading, Success

if TYPE_CHECKING:
    from assay.scenes.forms.reading import MetricForm, SuccessForm


def to_readings(form: Mapping[str, MetricForm]) -> tuple[Reading, ...]:
    """Return how figures are read, in the order written."""
    return tuple(_reading(name, metric) for name, metric in form.items())


def _reading(name: str, form: MetricForm) -> Reading:
    metric = Metric(name, form.unit, Direction(form.direction), form.timed)
    return Reading(
        metric,
        pattern=form.pattern,
        pointer=form.pointer,
        figure=form.figure,
        labels=tuple(form.labels.items()),
        file=form.file,
        of=None if form.of is None else Of(form.of),
    )


def to_success(form: SuccessForm | None) -> Success | None:
    """Return when a program has succeeded; ``None`` for nothing said."""
    if form is None:
        return None
    return Success(form.exit, form.pattern, form.absent, form.log, tuple(form.files))


def say_readings(readings: tuple[Reading, ...]) -> dict[str, object]:
    """Return the words of a scene for them."""
    return {"metrics": {one.metric.name: _say(one) for one in readings}} if readings else {}


def _say(reading: Reading) -> dict[str, object]:
    words = {
        "pattern": reading.pattern,
        "pointer": reading.pointer,
        "figure": reading.figure,
        "labels": dict(reading.labels) or None,
        "file": reading.file,
        "unit": reading.metric.unit,
        "direction": reading.metric.direction.value,
        "timed": None if reading.metric.timed else False,
        "of": reading.of and reading.of.value,
    }
    return {word: value for word, value in words.items() if value is not None}


def say_success(success: Success | None) -> dict[str, object]:
    """Return the words of a scene for it."""
    if success is None:
        return {}
    words = {
        "exit": list(success.exit),
        "pattern": success.pattern,
        "absent": success.absent,
        "log": success.log,
        "files": list(success.files) or None,
    }
    return {"success": {word: value for word, value in words.items() if value is not None}}
