"""How the figures of a user's own programs were read, and when these had succeeded, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.model.work.reading import Reading, Success
from assay.pages.method.work import OwnFigures


def own_sentences(programs: Iterable[OwnFigures]) -> Iterator[str]:
    """Yield a sentence for each program that says figures of its own, and one for its success."""
    for own in programs:
        if own.readings:
            how = "; ".join(_reading(reading, own.reader) for reading in own.readings)
            yield f"Figures that {own.program} says itself: {how}."
        if own.success is not None:
            yield f"{own.program} has succeeded where {', '.join(_success(own.success))}."


def _reading(reading: Reading, reader: str | None) -> str:
    place = reading.file or "its standard output"
    which = f" ({reading.of} of several)" if reading.of else ""
    if reading.pattern is not None:
        return f"{reading.metric.name} by '{reading.pattern}' in {place}{which}"
    if reading.pointer is not None:
        return f"{reading.metric.name} at '{reading.pointer}' of {place}"
    labels = "".join(f", {label} {value}" for label, value in reading.labels)
    return f"{reading.metric.name} as {reader}'s {reading.figure}{labels} in {place}{which}"


def _success(success: Success) -> Iterator[str]:
    place = success.log or "its output"
    yield f"it exits with {' or '.join(map(str, success.exit))}"
    if success.pattern is not None:
        yield f"'{success.pattern}' matches a line of {place}"
    if success.absent is not None:
        yield f"'{success.absent}' matches none of {place}"
    for file in success.files:
        yield f"{file} is there and not empty"
