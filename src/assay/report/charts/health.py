"""How a machine was over time: one small chart a quantity, all on the same axis of time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median

from assay.model.machines.health import Health
from assay.report.charts.chart_style import CROSS, FAILED, Spec, frame

MOST_STEPS = 300
"""Steps of time that are drawn; the looks of one step are joined."""
HEIGHT, AXIS = 96, 52
"""Pixels of a chart, and left of it, so that moments stand below each other."""
PAUSE = 3
"""Steps that are further apart than this many times the usual are not joined: nobody looked meanwhile."""
DIGITS = 5
"""Significant figures of a drawn value: a thousandth of a pixel."""


@dataclass(frozen=True)
class Span:
    """A quantity in one step of time.

    Attributes:
        least: Its smallest value.
        most: Its largest value.
    """

    least: float
    most: float


@dataclass(frozen=True)
class HealthStep:
    """The looks at a machine in one step of time; ``None`` is "not told" by any of them.

    Attributes:
        began_ns: The first of them, ns since 1970.
        ended_ns: The last of them.
        looks: How many they are.
        missed: How many of them did not reach it.
        load: Load average of the last minute.
        busy: Share of all processors' time that somebody had, 0 to 1.
        steal: Share of it that its own hypervisor took, 0 to 1.
        free_bytes: Room where trials work.
        temperature_c: Its hottest sensor, degrees Celsius.
    """

    began_ns: int
    ended_ns: int
    looks: int
    missed: int
    load: Span | None
    busy: Span | None
    steal: Span | None
    free_bytes: Span | None
    temperature_c: Span | None


@dataclass(frozen=True)
class Panel:
    """A chart.

    Attributes:
        title: What it shows.
        looks: Field, word and colour of each quantity.
        axis: How values are written at its axis.
        zero: Whether the axis begins at zero.
    """

    title: str
    looks: tuple[tuple[str, str, str], ...]
    axis: Spec
    zero: bool = True


PLAIN: Spec = {"labelExpr": "format(datum.value, '.4~r')"}
PANELS = (
    Panel("load of the last minute", (("load", "load", "#1f77c4"),), PLAIN),
    Panel(
        "share of the processors' time", (("busy", "busy", "#1f77c4"), ("steal", "stolen", "#c1121f")),
        {"format": "~%"},
    ),
    Panel("free room, bytes", (("free_bytes", "free room", "#0a9373"),), {"format": "~s"}),
    Panel("hottest sensor, °C", (("temperature_c", "temperature", "#d1570f"),), PLAIN, zero=False),
)  # fmt: skip


def thin(looks: Sequence[Health], most: int = MOST_STEPS) -> tuple[HealthStep, ...]:
    """Join the looks of equal steps of time, by the smallest and the largest value of each quantity: a
    peak of one look stays, which a mean would hide.

    Args:
        looks: Of one machine, the oldest first.
        most: No more steps than these.
    """
    if not looks:
        return ()
    first, span = looks[0].at_ns, looks[-1].at_ns - looks[0].at_ns + 1
    steps = groupby(looks, key=lambda look: (look.at_ns - first) * most // span)
    return tuple(_step([*some]) for _, some in steps)


def _step(looks: Sequence[Health]) -> HealthStep:
    return HealthStep(
        began_ns=looks[0].at_ns,
        ended_ns=looks[-1].at_ns,
        looks=len(looks),
        missed=sum(look.why is not None for look in looks),
        load=_span(look.load for look in looks),
        busy=_span(look.busy for look in looks),
        steal=_span(look.steal for look in looks),
        free_bytes=_span(look.free_bytes for look in looks),
        temperature_c=_span(look.temperature_c for look in looks),
    )


def _span(values: Iterable[float | None]) -> Span | None:
    known = [value for value in values if value is not None]
    return Span(min(known), max(known)) if known else None


def health_panels(steps: Sequence[HealthStep]) -> tuple[Panel, ...]:
    """Return the panels that have something to show."""
    told = {field for panel in PANELS for field, _, _ in panel.looks if _told(steps, field)}
    return tuple(panel for panel in PANELS if any(field in told for field, _, _ in panel.looks))


def _told(steps: Sequence[HealthStep], field: str) -> bool:
    return any(getattr(step, field) is not None for step in steps)


def health_charts(steps: Sequence[HealthStep]) -> list[Spec]:
    """Return a chart for each panel that has something to show, in the order of ``health_panels``."""
    return [_chart(panel, steps) for panel in health_panels(steps)]


def _chart(panel: Panel, steps: Sequence[HealthStep]) -> Spec:
    told = [look for look in panel.looks if _told(steps, look[0])]
    axis = {"title": None, "tickCount": 3, "minExtent": AXIS, "maxExtent": AXIS} | panel.axis
    y = {"type": "quantitative", "stack": None, "axis": axis, "scale": {"zero": panel.zero, "nice": True}}
    colour = {
        "field": "word",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": [word for _, word, _ in told], "range": [colour for _, _, colour in told]},
    }
    encoding = {"x": _x(), "y": y | {"field": "least"}, "y2": {"field": "most"}, "color": colour}
    return frame(f"{panel.title} over time") | {
        "name": "health",
        "height": HEIGHT,
        "data": {"name": "steps", "values": [row for look in told for row in _rows(steps, look)]},
        "layer": [
            {"name": "range", "mark": {"type": "area", "opacity": 0.35, "line": False}, "encoding": encoding},
            {
                "name": "looks",
                "mark": {"type": "rule", "strokeWidth": 2, "strokeCap": "round"},
                "encoding": encoding,
            },
            *_missed(steps),
        ],
    }


def _x() -> Spec:
    axis = {"title": None, "tickCount": 6, "grid": False, "labelOverlap": True}
    return {"field": "at", "type": "temporal", "scale": {"type": "utc"}, "axis": axis}


def _rows(steps: Sequence[HealthStep], look: tuple[str, str, str]) -> Iterator[Spec]:
    """Yield a row a step, and one without values where nobody looked for long: nothing is joined there."""
    field, word, _ = look
    ended = [*pairwise(steps), (steps[-1], None)]
    usual = median([_apart(step, after) for step, after in ended if after is not None] or [0])
    for step, after in ended:
        span: Span | None = getattr(step, field)
        least, most = (None, None) if span is None else (_digits(span.least), _digits(span.most))
        yield {"at": _middle(step), "least": least, "most": most, "word": word}
        if after is not None and _apart(step, after) > PAUSE * usual:
            yield {"at": _middle(step) + 1, "least": None, "most": None, "word": word}


def _apart(step: HealthStep, after: HealthStep) -> int:
    return after.began_ns - step.began_ns


def _middle(step: HealthStep) -> int:
    return (_ms(step.began_ns) + _ms(step.ended_ns)) // 2


def _missed(steps: Sequence[HealthStep]) -> Iterator[Spec]:
    """Yield a cross for each step in which a look did not reach the machine."""
    rows = [{"at": _middle(step)} for step in steps if step.missed]
    if rows:
        mark = {"type": "point", "shape": CROSS, "size": 40, "color": FAILED, "strokeWidth": 1.6}
        encoding = {"x": _x(), "y": {"value": HEIGHT - 4}}
        yield {"name": "missed", "data": {"values": rows}, "mark": mark, "encoding": encoding}


def _digits(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _ms(at_ns: int) -> int:
    return at_ns // 1_000_000
