"""What each ablation wins back of a loss, as bars with their intervals: one small chart a metric."""

from __future__ import annotations

from collections.abc import Iterator

from assay.model.figures.estimate import Verdict
from assay.model.figures.proof import Proved
from assay.pages.numbers import interval_text
from assay.pages.proof import Proof, ProofRow
from assay.report.charts.chart_style import NEUTRAL, PERCENT, VERDICTS, Spec, frame
from assay.report.tables.tables import plain
from assay.report.tables.words import named

ROW = 30
"""Pixels a bar."""
LOSS, LEFT = "loss", "left"

COLOURS = {
    LOSS: NEUTRAL,
    str(Proved.CAUSED): VERDICTS[Verdict.LOSS][0],
    str(Proved.ADDS): VERDICTS[Verdict.GAIN][0],
    str(Proved.NOT_PROVED): VERDICTS[Verdict.INCONCLUSIVE][0],
    LEFT: NEUTRAL,
}
"""Colour by verdict; of the loss and of what is left of it, none. The table says the same in words."""


def proof_charts(proof: Proof | None) -> list[Spec]:
    """Return one chart a metric of which something is said, in the order of the proof's rows."""
    return [_chart(row) for row in charted_rows(proof)]


def charted_rows(proof: Proof | None) -> tuple[ProofRow, ...]:
    """Return the metrics that have a chart; none where there is no proof."""
    return tuple(row for row in proof.rows if row.reason is None) if proof else ()


def _chart(row: ProofRow) -> Spec:
    bars = list(_bars(row))
    name = plain(named(row.workload, row.metric))
    axis = {"labelExpr": PERCENT, "tickCount": 5, "title": None}
    x = {"field": "part", "type": "quantitative", "axis": axis}
    y = {
        "field": "name",
        "type": "nominal",
        "sort": None,
        "axis": {"title": None, "grid": False, "labelLimit": 130},
    }
    scale = {"domain": list(COLOURS), "range": list(COLOURS.values())}
    colour = {"field": "look", "type": "nominal", "scale": scale, "legend": None}
    ends = {"x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}}
    return frame(f"{name}: parts of the loss, by what was ablated, with intervals") | {
        "height": ROW * len(bars),
        "title": {"text": name},
        "data": {"name": "parts", "values": bars},
        "encoding": {"y": y},
        "layer": [
            {
                "name": "part",
                "mark": {"type": "bar", "opacity": 0.7, "height": {"band": 0.6}},
                "encoding": {"x": x, "color": colour, "tooltip": _TOOLTIP},
            },
            {
                "name": "share_interval",
                "transform": [{"filter": "isValid(datum.low) && isValid(datum.high)"}],
                "mark": {"type": "rule", "strokeWidth": 1.6, "color": "#1b2330"},
                "encoding": ends,
            },
        ],
    }  # fmt: skip


def _bars(row: ProofRow) -> Iterator[Spec]:
    if row.loss is not None:
        yield _bar(LOSS, LOSS, row.loss.loss, row.loss.low, row.loss.high)
    for share in row.shares:
        yield _bar(share.ablation, str(share.verdict), share.share, share.low, share.high)
    if row.rest is not None:
        yield _bar(LEFT, LEFT, row.rest.loss, row.rest.low, row.rest.high)


def _bar(name: str, look: str, part: float, low: float | None, high: float | None) -> Spec:
    figures = interval_text(part, low, high)
    return {"name": name, "look": look, "part": part, "low": low, "high": high, "figures": figures}


_TOOLTIP = [
    {"field": "name", "title": "part"},
    {"field": "figures", "title": "of the loss"},
    {"field": "look", "title": "verdict"},
]
