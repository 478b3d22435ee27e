"""The losses of one metric in several results: a row a result."""

from __future__ import annotations

from collections.abc import Sequence

from assay.pages.numbers import FIGURE_FROM
from assay.pages.several import SeveralPage
from assay.report.charts.chart_style import NEUTRAL, PERCENT, VERDICTS, Spec, frame, scales
from assay.report.tables.several import Metric, label_of, loss_cells, metrics_of
from assay.report.tables.tables import plain
from assay.report.tables.words import verdict_name

ROW = 30
"""Pixels a result."""


def several_charts(page: SeveralPage) -> list[Spec]:
    """Return a chart for each metric."""
    return [_chart(metric) for metric in metrics_of(page)]


def named_several_charts(page: SeveralPage) -> dict[str, Spec]:
    """Return them by name: ``loss``, numbered from 1 where there are several metrics."""
    found = several_charts(page)
    return {"loss" if len(found) == 1 else f"loss-{at}": chart for at, chart in enumerate(found, start=1)}


def _chart(metric: Metric) -> Spec:
    values = [
        {
            "label": plain(label_of(one, row)),
            "loss": row.loss if row.blocks >= FIGURE_FROM or row.low is None else None,
            "low": row.low,
            "high": row.high,
            "look": verdict_name(row.verdict),
            "figures": cells[4],
        }
        for (one, row), cells in zip(metric.rows, loss_cells(metric), strict=True)
    ]
    seen = {row.verdict for _, row in metric.rows}
    looks = scales({verdict_name(verdict): look for verdict, look in VERDICTS.items() if verdict in seen})
    x = {
        "type": "quantitative",
        "scale": {"domain": _domain(values)},
        "axis": {"labelExpr": PERCENT, "title": "← gain · loss of throughput →", "tickCount": 6},
    }
    y = {
        "field": "label",
        "type": "nominal",
        "sort": None,
        "axis": {"title": None, "labelLimit": 230, "labelFontSize": 12},
    }
    tip = {"tooltip": [{"field": name} for name in ("label", "figures", "look")]}
    ends = {"filter": "isValid(datum.low) && isValid(datum.high)"}
    return frame(plain(f"{metric.name} in {len(metric.rows)} results")) | {
        "height": ROW * len(values),
        "title": plain(metric.name),
        "data": {"name": "results", "values": values},
        "layer": [
            {
                "mark": {"type": "rule", "color": NEUTRAL, "strokeWidth": 1.2},
                "encoding": {"x": {"datum": 0} | x},
            },
            {
                "transform": [ends],
                "mark": {"type": "rule", "strokeWidth": 2.5},
                "encoding": {
                    "x": {"field": "low"} | x, "x2": {"field": "high"}, "y": y, "color": looks["color"],
                },
            },
            {
                "transform": [{"filter": "isValid(datum.loss)"}],
                "mark": {"type": "point", "filled": True, "size": 80, "opacity": 1},
                "encoding": {"x": {"field": "loss"} | x, "y": y} | looks | tip,
            },
        ],
    }  # fmt: skip


def _domain(values: Sequence[Spec]) -> list[float]:
    """Return the span of all losses and intervals, with zero."""
    ends = [one[name] for one in values for name in ("loss", "low", "high") if one[name] is not None]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    air = 0.03 * (high - low) or 0.01
    return [low - air, high + air]
