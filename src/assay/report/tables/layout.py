"""Layouts as a map (guests down, ways to start and preload across) and as sentences."""

from __future__ import annotations

from collections.abc import Iterator

from assay.model.platforms.layout import start_words
from assay.model.units import format_bytes
from assay.pages.context import Page
from assay.pages.families.layouts import LayoutGain, LayoutKnee, LayoutMap, LayoutPoint
from assay.pages.numbers import NOTHING, size_text, sized_text
from assay.report.tables.words import verdict_name

Line = tuple[float, int, bool]
"""Stagger, guests that start at once, and preload."""
NOTE = (
    "loss of throughput with its interval and verdict; one guest has nobody to be staggered "
    "against; knee: the first "
    "number of guests that loses more than the margin against the number before it, by its interval"
)


def map_headers(shown: LayoutMap) -> tuple[str, ...]:
    """Return the names of the columns of ``map_cells``."""
    return (f"{shown.of}s", *(line_text(line) for line in columns(shown)))


def map_cells(shown: LayoutMap) -> list[tuple[str, ...]]:
    """Return one row a number of guests."""
    points = {(point.guests, line_of(point)): point for point in shown.points}
    counts = sorted({point.guests for point in shown.points})
    return [(str(count), *(_cell(points.get((count, line))) for line in columns(shown))) for count in counts]


def line_of(shown: LayoutPoint | LayoutKnee) -> Line:
    """Return how the jobs of a point, or of a knee's line, start."""
    return shown.stagger_s, shown.at_once, shown.preload


def columns(shown: LayoutMap) -> list[Line]:
    """Return every way to start and preload of a map, without preload first."""
    lines = {line_of(point) for point in shown.points}
    return sorted(lines, key=lambda line: (line[-1], *line[:-1]))


def line_text(line: Line) -> str:
    """Return what a way to start and preload are called, ``stagger 5 s, 2 at once, preload``."""
    stagger_s, at_once, preload = line
    start = ", ".join(start_words(stagger_s, at_once)) or "together"
    return f"{start}, preload" if preload else start


def map_title(shown: LayoutMap) -> str:
    """Return what a map is of."""
    rest = f", {shown.rest}" if shown.rest else ""
    return f"{shown.workload} {shown.metric}{rest}"


def map_lines(shown: LayoutMap) -> list[str]:
    """Return what a map says: the cheapest layout, its knees, what ways to start and preload win back."""
    title, knees = map_title(shown), [_knee(one, f"{shown.of}s") for one in shown.knees]
    return [f"{title}: {line}" for line in (*_cheapest(shown), *knees, *map(_gain, shown.gains))]


def held_lines(page: Page) -> list[str]:
    """Return what the guests of each number weighed on their host; nothing where that was not told."""
    if not page.layouts:
        return []
    by_count: dict[int, list[LayoutPoint]] = {}
    for point in page.layouts[0].points:
        by_count.setdefault(point.guests, []).append(point)
    weights = [text for count, points in by_count.items() for text in _weight(count, points)]
    return [f"memory of the host held by all QEMU processes: {'; '.join(weights)}"] if weights else []


def _weight(count: int, points: list[LayoutPoint]) -> Iterator[str]:
    beside = [point.beside_bytes for point in points if point.beside_bytes is not None]
    held = [point.held_bytes for point in points if point.held_bytes is not None]
    if beside and held:
        guests = f"{count} guest{'s' if count > 1 else ''}"
        own, whole = sum(beside) / len(beside), sum(held) / len(held)
        yield (
            f"{guests} {format_bytes(round(whole))}, {format_bytes(round(own))} of it beside the guests' own"
        )


def _cell(point: LayoutPoint | None) -> str:
    if point is None:
        return NOTHING
    return f"{size_text(point)} {verdict_name(point.verdict)}"


def _cheapest(shown: LayoutMap) -> Iterator[str]:
    if shown.cheapest is not None:
        others = f"; not to be told from it: {'; '.join(shown.tied)}" if shown.tied else ""
        missing = [point.label for point in shown.points if point.loss is None]
        unmeasured = f"; not measured: {'; '.join(missing)}" if missing else ""
        yield f"cheapest layout: {shown.cheapest}{others}{unmeasured}"


def _knee(knee: LayoutKnee, of: str) -> str:
    line = line_text(line_of(knee))
    if knee.guests is None and not knee.known:
        why = "an interval reaches beyond the margin, or brings no verdict"
        return f"{line}: not known whether there is a knee up to {knee.most} {of}: {why}"
    if knee.guests is None:
        return f"{line}: no knee up to {knee.most} {of}"
    loss = sized_text(knee.loss, knee.low, knee.high, knee.blocks)
    return f"{line}: knee at {knee.guests} {of}, which lose {loss} against the number before"


def _gain(gain: LayoutGain) -> str:
    amount = sized_text(gain.gain, gain.low, gain.high, gain.blocks)
    unclear = gain.low is None or gain.high is None or gain.low <= 0 <= gain.high
    verb = "changes" if unclear else "wins back" if gain.gain > 0 else "costs"
    if verb == "costs":
        amount = sized_text(-gain.gain, _minus(gain.high), _minus(gain.low), gain.blocks)
    return f"{gain.what} {verb} {amount} with {gain.label}"


def _minus(value: float | None) -> float | None:
    return None if value is None else -value
