"""The start of jobs in one guest and in several as one chart a workload: cores used over the time since."""

from __future__ import annotations

from collections.abc import Iterator

from assay.pages.context import Page
from assay.pages.families.initialization import CoresUsed, Initialization
from assay.report.charts.chart_style import NEUTRAL, Spec, frame
from assay.report.tables.initialization import initialization_title
from assay.report.tables.tables import plain

HEIGHT = 240
COLOURS = ("#1f77c4", "#d1570f", "#0a9373", "#9a6bb8", "#8c6d1f", "#6fb1e6", "#c1121f", "#5f6b7a")
"""Of the lines, after Okabe and Ito; from the ninth on they come again."""
DIGITS = 5
"""Significant figures of a drawn value."""
AIR = 1.08
"""Room above the highest step."""


def initialization_charts(page: Page) -> list[Spec]:
    """Return one chart a workload that was started in the fewest and in the most guests."""
    return [initialization_chart(shown) for shown in page.initializations]


def initialization_chart(shown: Initialization) -> Spec:
    """Return the cores used by all jobs, a line a treatment; dashed the last end of its initialization, grey
    the processors that there are.
    """
    looks = initialization_looks(shown)
    cores = max(one.cores for one in shown.treatments)
    top = AIR * max(float(cores), *(value or 0.0 for one in shown.treatments for value in one.used))
    end_s = _digits(shown.bounds_s[-1])
    axis = {"title": "seconds since the common start", "grid": False, "tickCount": 8}
    x = {"type": "quantitative", "scale": {"domain": [0, end_s], "nice": False}, "axis": axis}
    scale = {"domain": [0, _digits(top)], "nice": False}
    y = {"type": "quantitative", "scale": scale, "axis": {"title": None, "tickCount": 5}}
    domain = {"domain": [*looks], "range": [*looks.values()]}
    colour = {"color": {"field": "look", "type": "nominal", "scale": domain}}
    title = {
        "text": plain(initialization_title(shown)),
        "subtitle": plain("cores used by all jobs; dashed: all had initialized"),
    }
    line = {"type": "line", "interpolate": "step-after", "strokeWidth": 1.8}
    rule = {"type": "rule", "strokeDash": [5, 4], "strokeWidth": 1.6}
    tip = [{"field": "look"}, {"field": "end", "title": "last end of an initialization"}]
    return frame(plain(initialization_title(shown))) | {
        "height": HEIGHT,
        "title": title,
        "data": {"name": "initialization", "values": list(_values(shown))},
        "layer": [
            {
                "name": "cores",
                "data": {"values": [{"cores": cores}]},
                "mark": {"type": "rule", "color": NEUTRAL, "strokeWidth": 1.2},
                "encoding": {"y": {"field": "cores"} | y},
            },
            {
                "name": "end",
                "data": {"values": list(_ends(shown))},
                "mark": rule,
                "encoding": {"x": {"field": "at"} | x, "tooltip": tip} | colour,
            },
            {
                "name": "line",
                "mark": line,
                "encoding": {"x": {"field": "at"} | x, "y": {"field": "cores"} | y} | colour,
            },
        ],
    }


def initialization_looks(shown: Initialization) -> dict[str, str]:
    """Return the colour of each treatment by its name as shown."""
    names = dict.fromkeys(map(_name, shown.treatments))
    return {name: COLOURS[at % len(COLOURS)] for at, name in enumerate(names)}


def _values(shown: Initialization) -> Iterator[Spec]:
    """Yield a row at the begin of each step and one at the end of the last."""
    for one in shown.treatments:
        for at, cores in zip(shown.bounds_s, (*one.used, one.used[-1]), strict=True):
            drawn = None if cores is None else _digits(cores)
            yield {"look": _name(one), "at": _digits(at), "cores": drawn}


def _ends(shown: Initialization) -> Iterator[Spec]:
    for one in shown.treatments:
        yield {"look": _name(one), "at": _digits(one.ended_s[-1]), "end": f"{one.ended_s[-1]:.3g} s"}


def _name(one: CoresUsed) -> str:
    return plain(one.label)


def _digits(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
