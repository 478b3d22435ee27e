"""What all charts share: colours that colour-blind readers tell apart, shapes, and the plain frame."""

from __future__ import annotations

from typing import Any

from assay.model.figures.estimate import Verdict

Spec = dict[str, Any]
"""A Vega-Lite specification or a part of one: plain dicts, lists, strings and numbers."""

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

VERDICTS: dict[Verdict, tuple[str, str]] = {
    Verdict.LOSS: ("#d1570f", "circle"),
    Verdict.GAIN: ("#0a9373", "diamond"),
    Verdict.EQUIVALENT: ("#1f77c4", "square"),
    Verdict.INCONCLUSIVE: ("#9a6bb8", "triangle-up"),
}
"""Colour and shape by verdict, after Okabe and Ito, darkened for lines on white; the shape says the same
again.
"""

BASELINE, AGAIN, TREATMENT = ("#1f77c4", "circle"), ("#6fb1e6", "square"), ("#d1570f", "triangle-up")
"""Colour and shape of a baseline trial, its second visit, and a treatment trial."""

FAILED = "#c1121f"
NEUTRAL = "#8c95a1"
CROSS = "M-0.6,-0.6L0.6,0.6M0.6,-0.6L-0.6,0.6"
"""An SVG path in the square from -1 to 1."""

PERCENT = "format(datum.value * 100, '.3~r') + ' %'"
"""Label of an axis of shares, in three digits and never with an exponent."""

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"

CONFIG: Spec = {
    "background": "transparent",
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "domain": False, "ticks": False, "labelPadding": 6, "labelFontSize": 11, "titleFontSize": 12,
        "titleFontWeight": "normal", "gridColor": "#d5dae1", "gridOpacity": 0.8, "titlePadding": 8,
    },
    "legend": {"orient": "top", "title": None, "labelFontSize": 12, "symbolSize": 90},
    "title": {"anchor": "start", "fontSize": 13, "subtitleFontSize": 11, "subtitlePadding": 2, "offset": 8},
}  # fmt: skip


def frame(description: str) -> Spec:
    """Return the head of a specification: as wide as its container, transparent, in the house's type."""
    return {
        "$schema": SCHEMA,
        "description": description,
        "width": "container",
        "padding": {"left": 0, "right": 2, "top": 4, "bottom": 4},
        "autosize": {"type": "fit-x", "contains": "padding"},
        "config": CONFIG,
    }


def scales(looks: dict[str, tuple[str, str]]) -> Spec:
    """Return the colour and shape encodings of a field ``look`` for the labels that occur."""
    labels = list(looks)
    colours, shapes = [look[0] for look in looks.values()], [look[1] for look in looks.values()]
    channel = {"field": "look", "type": "nominal"}
    return {
        "color": channel | {"scale": {"domain": labels, "range": colours}},
        "shape": channel | {"scale": {"domain": labels, "range": shapes}},
    }
