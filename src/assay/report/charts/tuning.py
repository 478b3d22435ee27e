"""A search in pictures: what each change saves, and the way of the search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.model.figures.estimate import Verdict
from assay.pages.numbers import interval_text
from assay.pages.tuning import ChangeSet, Tuning
from assay.report.charts.chart_style import BASELINE, NEUTRAL, PERCENT, TREATMENT, VERDICTS, Spec, frame
from assay.report.tables.tables import plain
from assay.report.tables.tuning import (
    brought_rows,
    config_text,
    effect_rows,
    figures_text,
    found_sets,
    saved_in,
    searched,
)

ROW = 30
"""Pixels a bar."""
WAY_HEIGHT = 220
LOOKS = {
    "saves": VERDICTS[Verdict.GAIN][0],
    "costs": VERDICTS[Verdict.LOSS][0],
    "not known": VERDICTS[Verdict.INCONCLUSIVE][0],
}
"""Colour by where the interval lies; the table says the same in numbers."""


def tuning_charts(tuning: Tuning) -> list[Spec]:
    """Return what each change saves for each change-set that was found, then what each brought, and then the
    way of the search.
    """
    found = [*found_sets(tuning)]
    sets = [*map(effects_chart, found), *map(brought_chart, found)]
    return [*sets, *([way_chart(tuning)] if searched(tuning) else [])]


def effects_chart(one: ChangeSet) -> Spec:
    """Return what each change saves by the search, and what all of them save as it was confirmed."""
    bars = [_bar(*row) for row in effect_rows(one)]
    title = f"change-set {one.name}: what each change saves, with intervals"
    titles = {"name": "change", "figures": "time saved"}
    return _with_intervals(title, "effect", bars, looks=LOOKS, titles=titles)


def _bar(name: str, effect: float, low: float | None, high: float | None) -> Spec:
    look = "saves" if (low or 0) > 0 else "costs" if high is not None and high < 0 else "not known"
    figures = interval_text(effect, low, high)
    return {"name": plain(name), "effect": effect, "low": low, "high": high, "look": look, "figures": figures}


def brought_chart(one: ChangeSet) -> Spec:
    """Return the time for the same work before a change-set, with it as it was confirmed, and each time that
    it was measured again.
    """
    times = [
        {
            "name": plain(name),
            "time": value,
            "low": low,
            "high": high,
            "look": "before" if number == 0 else "with the change-set",
            "figures": figures_text(value, low, high),
        }
        for number, (name, value, low, high) in enumerate(brought_rows(one))
    ]
    title = f"change-set {one.name}: time before it, with it, and measured again, with intervals"
    looks = {"before": BASELINE[0], "with the change-set": TREATMENT[0]}
    titles = {
        "name": "measured",
        "figures": "time, the guest as it is = 100 %",
        "axis": "time for the same work",
    }
    return _with_intervals(title, "time", times, looks=looks, titles=titles)


def _with_intervals(
    title: str, field: str, bars: Sequence[Spec], *, looks: Mapping[str, str], titles: Mapping[str, str]
) -> Spec:
    """Return a bar for each row, coloured by its ``look``, with its interval where it has one."""
    axis = {"labelExpr": PERCENT, "tickCount": 5, "title": titles.get("axis", titles["figures"])}
    y_axis = {"title": None, "grid": False, "labelLimit": 220}
    scale = {"domain": list(looks), "range": list(looks.values())}
    return frame(title) | {
        "height": ROW * max(1, len(bars)),
        "padding": {"left": 12, "right": 2, "top": 4, "bottom": 4},
        "data": {"name": f"{field}s", "values": bars},
        "encoding": {"y": {"field": "name", "type": "nominal", "sort": None, "axis": y_axis}},
        "layer": [
            {
                "name": field,
                "mark": {"type": "bar", "opacity": 0.7, "height": {"band": 0.6}},
                "encoding": {
                    "x": {"field": field, "type": "quantitative", "axis": axis},
                    "color": {"field": "look", "type": "nominal", "scale": scale, "legend": None},
                    "tooltip": [{"field": name, "title": titles[name]} for name in ("name", "figures")],
                },
            },
            {
                "name": f"{field}_interval",
                "transform": [{"filter": "isValid(datum.low) && isValid(datum.high)"}],
                "mark": {"type": "rule", "strokeWidth": 1.6, "color": "#1b2330"},
                "encoding": {"x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}},
            },
        ],
    }  # fmt: skip


def way_chart(tuning: Tuning) -> Spec:
    """Return what each evaluated configuration saved beside the guest as it is, step by step, and the best so
    far.
    """
    points, best, line = [], 0.0, []
    for step, run in enumerate(searched(tuning), 1):
        saved = saved_in(run)
        points += [
            {
                "step": step,
                "saved": share,
                "figures": f"{100 * share:.1f} %",
                "config": plain(config_text(tuning, run.configs[number - 1])),
            }
            for number, share in saved.items()
        ]
        best = max([best, *saved.values()])
        line.append({"step": step, "best": best})
    x = {"field": "step", "type": "quantitative", "axis": {"tickMinStep": 1, "format": "d", "title": "step"}}
    axis = {"labelExpr": PERCENT, "tickCount": 5, "title": "time saved, single runs"}
    return frame("time saved by each evaluated configuration, step by step, and the best so far") | {
        "height": WAY_HEIGHT,
        "layer": [
            {
                "name": "nothing",
                "data": {"values": [{"zero": 0}]},
                "mark": {"type": "rule", "color": NEUTRAL, "strokeDash": [4, 3]},
                "encoding": {"y": {"field": "zero", "type": "quantitative"}},
            },
            {
                "name": "best",
                "data": {"name": "best", "values": line},
                "mark": {"type": "line", "interpolate": "step-after", "color": BASELINE[0]},
                "encoding": {"x": x, "y": {"field": "best", "type": "quantitative"}},
            },
            {
                "name": "configuration",
                "data": {"name": "configurations", "values": points},
                "mark": {"type": "point", "filled": True, "opacity": 0.75, "color": TREATMENT[0], "size": 45},
                "encoding": {
                    "x": x,
                    "y": {"field": "saved", "type": "quantitative", "axis": axis},
                    "tooltip": [
                        {"field": "config", "title": "configuration"},
                        {"field": "figures", "title": "time saved"},
                    ],
                },
            },
        ],
    }  # fmt: skip
