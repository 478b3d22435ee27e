"""Landscapes as three panels an operation: the baseline's values, the treatment's on the same colours, and
the loss.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

from assay.model.units import format_bytes
from assay.pages.context import Page
from assay.pages.families.landscapes import Landscape, LandscapeCell
from assay.pages.numbers import NOTHING, value_text
from assay.report.charts.chart_style import CROSS, NEUTRAL, Spec, frame
from assay.report.tables.landscape import figure_text, landscape_title, place_text, size_names
from assay.report.tables.tables import plain

ROW = 40
"""Pixels of a file size."""
VALUES = ("#e8f1fa", "#5aa5e0")
"""Of the least and of the largest value: light enough for dark figures on them."""
LOSSES = ("#3fb99a", "#f2f2ee", "#ee8f55")
"""Of a gain, of zero and of a loss; colour-blind readers tell them apart."""
SLASH = "M-0.6,0.6L0.6,-0.6"
"""An SVG path in the square from -1 to 1."""
ROOM = 54
"""Pixels of a cell that a figure needs."""
MOST = 1.0
"""A gain of more than 100 % has the colour of 100 %."""
LEAST = 0.01
"""Losses that are all smaller, or within the margin, stay pale: the colours end no nearer to zero."""


def landscape_charts(page: Page) -> list[Spec]:
    """Return three charts a landscape of which anything was measured."""
    most = largest_loss(page)
    result = page.result
    return [
        chart
        for shown in page.landscapes
        if shown.measured
        for chart in (
            _panel(shown, "baseline", result.baseline, _values_scale(shown)),
            _panel(shown, "treatment", shown.treatment or result.treatment, _values_scale(shown)),
            _panel(shown, "loss", "loss of throughput", _loss_scale(most)),
        )
    ]


def largest_loss(page: Page) -> float:
    """Return where the colours of a loss end, in all landscapes: at the largest, at least at the margin, at
    most at 1.
    """
    known = _losses(page)
    return min(MOST, max(LEAST, page.result.margin, *known)) if known else MOST


def cut_gains(page: Page) -> bool:
    """Tell whether a gain has the colour of the end though it is larger."""
    return any(loss > MOST for loss in _losses(page))


def _losses(page: Page) -> list[float]:
    cells = (cell for shown in page.landscapes for cell in shown.cells if cell.shown)
    return [abs(cell.loss) for cell in cells if cell.loss is not None]


def ends_of(shown: Landscape) -> tuple[float, float]:
    """Return the least and the largest value of both arms, where they can be compared."""
    known = [
        value
        for cell in shown.cells
        if cell.shown
        for value in (cell.baseline_value, cell.treatment_value)
        if value is not None and value > 0
    ]
    low, high = min(known, default=1.0), max(known, default=1.0)
    return (low, high) if high > low else (low / 1.1, high * 1.1)


def _values_scale(shown: Landscape) -> Spec:
    return {
        "type": "log",
        "domain": list(ends_of(shown)),
        "range": list(VALUES),
        "interpolate": "rgb",
        "clamp": True,
    }


def _loss_scale(most: float) -> Spec:
    return {"domain": [-most, 0, most], "range": list(LOSSES), "interpolate": "rgb", "clamp": True}


def _panel(shown: Landscape, what: str, title: str, colours: Spec) -> Spec:
    across, down, rows = _grid(shown, what)
    axis = {"grid": False, "title": None, "labelOverlap": False, "labelLimit": 90}
    x_axis = axis | {"labelAngle": 0, "title": _across(shown)}
    y_axis = axis | {"title": None} if len(down) > 1 else None
    unit = f", {shown.unit}" if shown.unit and what != "loss" else ""
    return frame(plain(f"{landscape_title(shown)}: {title} by file size and record")) | {
        "height": ROW * len(down),
        "title": {"text": plain(f"{title}{unit}"), "fontWeight": "normal"},
        "data": {"name": "cells", "values": rows},
        "encoding": {
            "x": {"field": "across", "type": "ordinal", "scale": _scale(across), "axis": x_axis},
            "y": {"field": "down", "type": "ordinal", "scale": _scale(down), "axis": y_axis},
        },
        "layer": list(_layers(colours, len(across))),
    }


def _scale(domain: list[str]) -> Spec:
    return {"domain": domain, "paddingInner": 0.06, "paddingOuter": 0.02}


def _across(shown: Landscape) -> str:
    """Return what stands below a panel; of records or sizes alone, which one it is of."""
    (first, *sizes), (record, *records) = shown.sizes, shown.records
    if sizes and records:
        return "record (across) and file size (down)"
    if sizes:
        return "file size" if record is None else f"file size, records of {format_bytes(record)}"
    return f"record, file of {format_bytes(first)}"


def _grid(shown: Landscape, what: str) -> tuple[list[str], list[str], list[Spec]]:
    """Return the columns, the rows and what each cell shows: records across, or sizes where only
    they differ.
    """
    cells = {(cell.size_bytes, cell.record_bytes): cell for cell in shown.cells}
    turned = len(shown.records) == 1
    sizes, records = size_names(shown.sizes), size_names(shown.records)
    rows = []
    for size, record in product(shown.sizes, shown.records):
        columns = (records[record], sizes[size])
        across, down = columns[::-1] if turned else columns
        place = {"across": across, "down": down}
        cell = cells.get((size, record))
        rows.append(place | ({"state": "missing", "tip": "not run"} if cell is None else _value(cell, what)))
    distinct = (list(dict.fromkeys(str(row[key]) for row in rows)) for key in ("across", "down"))
    across_names, down_names = distinct
    return across_names, down_names, rows


def _value(cell: LandscapeCell, what: str) -> Spec:
    reported: Spec = {"place": place_text(cell), "loss": figure_text(cell)}
    if cell.not_comparable is not None:
        return reported | {"state": "apart", "tip": plain(cell.not_comparable)}
    values = {"baseline": cell.baseline_value, "treatment": cell.treatment_value, "loss": cell.loss}
    value = values[what]
    if value is None or (what != "loss" and value <= 0) or not math.isfinite(value):
        return reported | {"state": "missing", "tip": plain(cell.reason or "not measured")}
    text = f"{value * 100:.0f} %".replace("-0 %", "0 %") if what == "loss" else value_text(value)
    return reported | {
        "state": "zero" if what == "loss" and cell.holds_zero else "figure",
        "value": value,
        "text": text,
        "baseline": value_text(cell.baseline_value),
        "treatment": value_text(cell.treatment_value) if cell.treatment_value is not None else NOTHING,
        "blocks": cell.blocks,
    }


def _layers(colours: Spec, columns: int) -> Iterator[Spec]:
    tip = {"tooltip": [{"field": name} for name in ("place", "baseline", "treatment", "loss", "blocks")]}
    colour = {"color": {"field": "value", "type": "quantitative", "scale": colours}}
    yield {
        "name": "cell",
        "transform": [{"filter": "isValid(datum.value)"}],
        "mark": {"type": "rect", "cornerRadius": 2},
        "encoding": colour | tip,
    }
    yield {
        "name": "zero",
        "transform": [{"filter": "datum.state === 'zero'"}],
        "mark": {
            "type": "rect", "filled": False, "stroke": "#1b2330", "strokeDash": [3, 3], "strokeWidth": 1.4,
            "cornerRadius": 2,
        },
    }  # fmt: skip
    none = "datum.state === 'missing' || datum.state === 'apart'"
    why = {"tooltip": [{"field": "place"}, {"field": "tip", "title": "no figure"}]}
    hollow = {"type": "rect", "filled": False, "stroke": NEUTRAL, "strokeDash": [2, 3], "cornerRadius": 2}
    yield {"name": "hollow", "transform": [{"filter": none}], "mark": hollow, "encoding": why}
    for name, state, shape in (("missing", "missing", CROSS), ("apart", "apart", SLASH)):
        mark = {"type": "point", "shape": shape, "size": 220, "stroke": NEUTRAL, "strokeWidth": 2}
        yield {
            "name": name,
            "transform": [{"filter": f"datum.state === '{state}'"}],
            "mark": mark,
            "encoding": why,
        }
    room = {"expr": f"width > {ROOM * columns} ? 1 : 0"}
    yield {
        "name": "cell_text",
        "transform": [{"filter": "isValid(datum.value)"}],
        "mark": {"type": "text", "fontSize": 12, "baseline": "middle", "opacity": room},
        "encoding": {"text": {"field": "text"}} | tip,
    }
