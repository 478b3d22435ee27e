"""A farm's jobs as charts: losses beside the lab's, and CPU efficiency on physical and on virtual nodes."""

from __future__ import annotations

from collections.abc import Mapping

from assay.model.figures.estimate import Verdict
from assay.pages.production import ProductionPage, Spread
from assay.report.charts.chart_style import (
    BASELINE,
    NEUTRAL,
    PERCENT,
    TREATMENT,
    VERDICTS,
    Spec,
    frame,
    scales,
)
from assay.report.tables.production import named, share_text
from assay.report.tables.tables import plain

ROW = 46
PRODUCTION, LAB = VERDICTS[Verdict.LOSS], VERDICTS[Verdict.EQUIVALENT]
LOOKS = {"physical": BASELINE, "virtual": TREATMENT}


def production_charts(page: ProductionPage) -> list[Spec]:
    """Return the chart of losses and that of CPU efficiency; one without a figure is drawn empty."""
    said = page.prediction
    losses = [
        _point(named(row), look, spread)
        for row in page.rows
        for look, spread in (("production", row.loss), ("the lab", said.loss if said else None))
        if spread is not None
    ]
    efficiencies = [
        _point(named(row), look, side.efficiency)
        for row in page.rows
        for look, side in (("physical", row.physical), ("virtual", row.virtual))
        if side is not None and side.efficiency is not None
    ]
    return [
        dots("Losses in production and in the lab", "← gain · loss of throughput →", losses,
               {"production": PRODUCTION, "the lab": LAB}, zero=True),
        dots("CPU efficiency", "CPU time / (wall time × cores)", efficiencies, LOOKS, zero=False),
    ]  # fmt: skip


def _point(name: str, look: str, spread: Spread) -> Spec:
    figures = share_text(spread)
    ends = {"value": spread.value, "low": spread.low, "high": spread.high}
    return {"row": plain(name), "look": look, "figures": figures, **ends}


def dots(
    title: str,
    axis: str,
    points: list[Spec],
    looks: Mapping[str, tuple[str, str]],
    *,
    zero: bool,
    labels: str | None = PERCENT,
) -> Spec:
    """Return a chart of figures with their intervals, one row a name.

    Args:
        title: What it shows.
        axis: What its axis tells.
        points: Figures: ``row``, ``look``, ``value``, ``low``, ``high`` and ``figures``, their text.
        looks: The colour and shape of each ``look``, in the order within a row.
        zero: Draw a line at 0.
        labels: Expression of the axis's labels; ``None`` is the numbers.
    """
    rows = [*dict.fromkeys(point["row"] for point in points)]
    y = {
        "field": "row",
        "type": "nominal",
        "sort": rows,
        "axis": {"title": None, "labelLimit": 220, "grid": True},
    }
    offset = {"field": "look", "type": "nominal", "sort": [*looks]}
    x = {
        "type": "quantitative",
        "scale": {"zero": False},
        "axis": {"title": axis, "tickCount": 6} | ({} if labels is None else {"labelExpr": labels}),
    }
    colour = {name: part | {"legend": None} for name, part in scales(dict(looks)).items()}
    place = {"y": y, "yOffset": offset, "color": colour["color"]}
    tips = [
        {"field": field, "title": word}
        for field, word in (("row", "class"), ("look", "of"), ("figures", axis))
    ]
    spans = {
        "transform": [{"filter": "isValid(datum.low) && isValid(datum.high)"}],
        "mark": {"type": "rule", "strokeWidth": 2.5},
        "encoding": place | {"x": x | {"field": "low"}, "x2": {"field": "high"}},
    }
    dots = {
        "mark": {"type": "point", "filled": True, "size": 95, "opacity": 1},
        "encoding": place | {"x": x | {"field": "value"}, "shape": colour["shape"], "tooltip": tips},
    }
    line = {
        "data": {"values": [{}]},
        "mark": {"type": "rule", "color": NEUTRAL},
        "encoding": {"x": {"datum": 0, "type": "quantitative"}},
    }
    return frame(f"{title}, {len(rows)} rows") | {
        "height": ROW * max(1, len(rows)),
        "data": {"values": points},
        "layer": [*([line] if zero else []), spans, dots],
    }
