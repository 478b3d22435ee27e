"""Plots of points with errors and of curves, as one SVG: the same bytes for the same figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

Point = tuple[float, float, float]
"""Place, value, and half the length of its error bar."""
Scale = Callable[[float], float]
"""Where on the picture a value lies."""
WIDE, HIGH, COLUMNS = 420, 300, 2
LEFT, END, TOP, FLOOR = 62, 406, 34, 254
"""Of the axes' rectangle in a panel."""
INK, GRID, POINT, CURVE, BAND = "#222", "#ddd", "#1f5fa8", "#b8541c", "#f2efe6"
_SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" \
role="img" font-family="sans-serif" font-size="12" fill="{ink}">"""
_BARE = 1e-9


@dataclass(frozen=True)
class Panel:
    """One plot.

    Attributes:
        title: Above it.
        x: Title of its horizontal axis, with the unit.
        y: The same of the vertical one.
        points: What was found.
        low: Lowest value of the vertical axis.
        high: The highest; points beyond lie at the end.
        curve: Places and values of a line beside them; empty for none.
        curve_says: What the line is.
        band: Values between which points are held to be; ``None`` shows none.
        logarithmic: The horizontal axis is.
        ticks: Values marked on the horizontal axis; round ones where empty.
    """

    title: str
    x: str
    y: str
    points: Sequence[Point]
    low: float
    high: float
    curve: Sequence[tuple[float, float]] = ()
    curve_says: str = ""
    band: tuple[float, float] | None = None
    logarithmic: bool = False
    ticks: Sequence[float] = field(default=())


def svg(panels: Sequence[Panel], says: str) -> str:
    """Return panels in two columns as an SVG document.

    Args:
        panels: In reading order.
        says: What it shows, for those who do not see it.
    """
    rows = math.ceil(len(panels) / COLUMNS)
    wide, high = WIDE * COLUMNS, HIGH * rows
    parts = [
        _SVG.format(wide=wide, high=high, ink=INK),
        f"<title>{escape(says)}</title>",
        f'<rect width="{wide}" height="{high}" fill="#fff"/>',
    ]
    for number, panel in enumerate(panels):
        place = (number % COLUMNS * WIDE, number // COLUMNS * HIGH)
        parts.append(f'<g transform="translate({place[0]},{place[1]})">')
        parts += _panel(panel)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(panel: Panel) -> list[str]:
    head = [f'<text x="{LEFT}" y="20" font-weight="bold">{escape(panel.title)}</text>']
    scales = _across(panel), _up(panel)
    return [
        *head,
        *_band(panel, scales[1]),
        *_axes(panel, *scales),
        *_curve(panel, *scales),
        *_dots(panel, *scales),
    ]


def _marks(panel: Panel) -> Sequence[float]:
    places = [_log(panel, x) for x, *_ in (*panel.points, *panel.curve)]
    return panel.ticks or [_back(panel, tick) for tick in _round(min(places), max(places))]


def _across(panel: Panel) -> Scale:
    places = [_log(panel, x) for x, *_ in (*panel.points, *panel.curve)]
    places += [_log(panel, tick) for tick in _marks(panel)]
    start, stop = min(places), max(places)
    edge = (stop - start) * 0.03

    def at(value: float) -> float:
        share = (_log(panel, value) - start + edge) / (stop - start + 2 * edge)
        return LEFT + share * (END - LEFT)

    return at


def _up(panel: Panel) -> Scale:
    def at(value: float) -> float:
        share = (min(max(value, panel.low), panel.high) - panel.low) / (panel.high - panel.low)
        return FLOOR - share * (FLOOR - TOP)

    return at


def _band(panel: Panel, at_y: Scale) -> list[str]:
    if panel.band is None:
        return []
    bottom, top = map(at_y, panel.band)
    size = f'width="{END - LEFT}" height="{bottom - top:.1f}"'
    return [f'<rect x="{LEFT}" y="{top:.1f}" {size} fill="{BAND}"/>']


def _axes(panel: Panel, at_x: Scale, at_y: Scale) -> list[str]:
    parts = []
    for tick in _round(panel.low, panel.high):
        y = at_y(tick)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{END}" stroke="{GRID}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{_number(tick)}</text>')
    for tick in _marks(panel):
        x = at_x(tick)
        parts.append(f'<path d="M{x:.1f} {FLOOR}v4" stroke="{INK}"/>')
        parts.append(f'<text x="{x:.1f}" y="{FLOOR + 17}" text-anchor="middle">{_number(tick)}</text>')
    turned = f"translate(15,{(TOP + FLOOR) / 2}) rotate(-90)"
    return [
        *parts,
        f'<path d="M{LEFT} {TOP}V{FLOOR}H{END}" stroke="{INK}" fill="none"/>',
        f'<text x="{(LEFT + END) / 2}" y="{HIGH - 10}" text-anchor="middle">{escape(panel.x)}</text>',
        f'<text transform="{turned}" text-anchor="middle">{escape(panel.y)}</text>',
    ]


def _curve(panel: Panel, at_x: Scale, at_y: Scale) -> list[str]:
    if not panel.curve:
        return []
    places = " ".join(f"{at_x(x):.1f},{at_y(y):.1f}" for x, y in panel.curve)
    place = f'x="{END - 4}" y="{TOP + 14}" text-anchor="end"'
    return [
        f'<polyline points="{places}" fill="none" stroke="{CURVE}" stroke-width="1.5"/>',
        f'<text {place} fill="{CURVE}">{escape(panel.curve_says)}</text>',
    ]


def _dots(panel: Panel, at_x: Scale, at_y: Scale) -> list[str]:
    parts = []
    for x, value, error in panel.points:
        bar = f"M{at_x(x):.1f} {at_y(value - error):.1f}V{at_y(value + error):.1f}"
        parts.append(f'<path d="{bar}" stroke="{POINT}" stroke-width="1.5"/>')
        parts.append(f'<circle cx="{at_x(x):.1f}" cy="{at_y(value):.1f}" r="3" fill="{POINT}"/>')
    return parts


def _log(panel: Panel, value: float) -> float:
    return math.log10(value) if panel.logarithmic else value


def _back(panel: Panel, value: float) -> float:
    return 10**value if panel.logarithmic else value


def _round(low: float, high: float) -> list[float]:
    """Return about five round numbers between two."""
    step = 10 ** math.floor(math.log10((high - low) / 2))
    step *= next((wide for wide in (1, 2, 2.5, 5) if (high - low) / (step * wide) <= 6), 10)
    first = math.ceil(low / step - _BARE)
    return [number * step for number in range(first, math.floor(high / step + _BARE) + 1)]


def _number(value: float) -> str:
    return format(0.0 if abs(value) < _BARE else value, ".4g").replace("-", "−")
