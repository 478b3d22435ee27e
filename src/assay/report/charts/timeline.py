"""Trials over time: one small chart a panel and trial, all of one timeline on the same scales."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.pages.track import Line, PhaseSpan, Quantity, Timeline, Track
from assay.report.charts.chart_style import NEUTRAL, Spec, frame
from assay.report.tables.tables import plain

HEIGHT, BAND = 74, 20
"""Pixels of a panel, and of one copy's band of phases."""
MOST_BANDS = 8
"""More copies than these are not drawn: they would fill the page."""
NARROW, LETTER = 300, 7
"""A name stands in its band only where a panel this wide has room for letters of this width."""
AXIS = 58
"""Pixels left of every panel, so that moments stand below each other."""
DIGITS = 5
"""Significant figures of a drawn value: a thousandth of a pixel. The page's JSON holds all of them."""

SEEN = ("mean of the guest's vCPUs, seen from the host", "#8a3ffc")
"""Word and colour of the host's view."""
RANGE = ("smallest to largest between two samples of a step", "#c9ced6")
"""Word of the bands of quantities whose samples were joined, each by itself in its colour."""
PHASES = ("#b8d4ee", "#f5c9a3", "#b7e0cf", "#dcc8ea", "#f3dd9b", "#f2bcd0")
"""Light colours of phases in the order in which they are met: dark words stay readable on them."""


@dataclass(frozen=True)
class Panel:
    """What is drawn in one panel: quantities by their word and colour.

    Attributes:
        title: What the axis measures.
        looks: Word and colour of each quantity, after Okabe and Ito.
        stacked: Areas upon each other, else lines.
        bytes: The axis counts bytes.
        host: A guest's mean as its host saw it is drawn across.
        over: What the host saw of the guest, as a line over the areas.
    """

    title: str
    looks: dict[Quantity, tuple[str, str]]
    stacked: bool = False
    bytes: bool = False
    host: bool = False
    over: dict[Quantity, tuple[str, str]] = field(default_factory=dict)


PANELS = (
    Panel("job, cores used", {"job_user": ("user", "#1f77c4"), "job_system": ("system", "#d1570f")},
          stacked=True, host=True),
    Panel("whole machine, cores", {
        "machine_user": ("user", "#1f77c4"), "machine_system": ("system", "#d1570f"),
        "machine_iowait": ("iowait", "#0a9373"), "machine_steal": ("steal", "#c1121f")}, stacked=True,
        over={"vcpu_run": ("the guest's vCPUs, seen from the host", "#8a3ffc")}),
    Panel("QEMU on its host, cores", {
        "vcpu_wait": ("vCPUs wait for a processor", "#c1121f"), "qemu_other": ("other threads", "#d1570f"),
        "vcpu_run": ("vCPUs run", "#8a3ffc")}, stacked=True),
    Panel("resident memory of the job", {"job_rss": ("largest of each step", "#9a6bb8")}, bytes=True),
    Panel("storage, bytes/s", {"read": ("read", "#1f77c4"), "write": ("written", "#d1570f")}, bytes=True),
    Panel("read and write calls, bytes/s", {
        "logical_read": ("read", "#1f77c4"), "logical_write": ("written", "#d1570f")}, bytes=True),
    Panel("QEMU's storage on its host, bytes/s", {
        "qemu_read": ("read", "#1f77c4"), "qemu_write": ("written", "#d1570f")}, bytes=True),
    Panel("the guest's network, seen from its host, bytes/s", {
        "net_received": ("received", "#1f77c4"), "net_sent": ("sent", "#d1570f")}, bytes=True),
    Panel("events/s", {"events": ("events", "#0a9373")}),
)  # fmt: skip


def panels(timeline: Timeline) -> tuple[Panel, ...]:
    """Return the panels that have something to show on any of a timeline's trials."""
    known = {line.quantity for track in timeline.tracks for line in track.lines if any(_known(line))}
    known |= {q for q in ("job_user", "job_system", "job_rss") if _measured(timeline, q)}
    return tuple(panel for panel in PANELS if known & set(panel.looks))


@dataclass(frozen=True)
class Shown:
    """A row of charts as shown: its title, its legend (word and colour), one chart a trial."""

    title: str
    legend: tuple[tuple[str, str], ...]
    charts: tuple[Spec, ...]


def timeline_rows(timeline: Timeline) -> list[Shown]:
    """Return the rows of a timeline: phases first where there are any, then each panel."""
    rows = [
        Shown(
            panel.title,
            _legend(timeline, panel),
            tuple(_panel(timeline, t, panel) for t in timeline.tracks),
        )
        for panel in panels(timeline)
    ]
    if not any(track.phases for track in timeline.tracks):
        return rows
    colours = tuple(phase_colours(timeline).items())
    return [Shown("phases", colours, tuple(_phases(timeline, track) for track in timeline.tracks)), *rows]


def _legend(timeline: Timeline, panel: Panel) -> tuple[tuple[str, str], ...]:
    seen = panel.host and any(_level(track) is not None for track in timeline.tracks)
    over = (look for quantity, look in panel.over.items() if _measured(timeline, quantity))
    ranged = any(
        line.most for track in timeline.tracks for line in track.lines if line.quantity in panel.looks
    )
    return (*panel.looks.values(), *((SEEN,) if seen else ()), *over, *((RANGE,) if ranged else ()))


def timeline_charts(timeline: Timeline) -> list[Spec]:
    """Return the charts of a timeline in the order shown, row by row."""
    return [chart for row in timeline_rows(timeline) for chart in row.charts]


def phase_colours(timeline: Timeline) -> dict[str, str]:
    """Return the colour of each phase by its name as shown, the same on all trials."""
    names = dict.fromkeys(plain(span.phase) for track in timeline.tracks for span in track.phases)
    return {name: PHASES[at % len(PHASES)] for at, name in enumerate(names)}


def _known(line: Line) -> Iterator[float]:
    return (value for value in line.values if value)


def _measured(timeline: Timeline, quantity: str) -> bool:
    lines = [line for track in timeline.tracks for line in track.lines if line.quantity == quantity]
    return any(value is not None for line in lines for value in line.values)


def _phases(timeline: Timeline, track: Track) -> Spec:
    copies = sorted({span.copy for one in timeline.tracks for span in one.phases})[:MOST_BANDS]
    colours = phase_colours(timeline)
    rows = [_band(span, _end_s(timeline)) for span in track.phases if span.copy in copies]
    y = {"field": "copy", "type": "ordinal", "scale": {"domain": copies, "padding": 0.12}}
    labels = {"title": None, "minExtent": AXIS, "maxExtent": AXIS, "labelExpr": "'copy ' + datum.value"}
    x = _x(timeline) | {"field": "started"}
    colour = {"field": "phase", "type": "nominal", "legend": None,
              "scale": {"domain": list(colours), "range": list(colours.values())}}  # fmt: skip
    text = {"type": "text", "align": "left", "dx": 5, "baseline": "middle", "fontSize": 11}
    return frame(f"Phases of {track.trial}") | {
        "name": "phases",
        "height": BAND * len(copies) + 4,
        "data": {"name": "phases", "values": rows},
        "encoding": {"y": y | {"axis": labels if len(copies) > 1 else labels | {"labelExpr": "''"}}, "x": x},
        "layer": [
            {"name": "band", "mark": {"type": "bar"},
             "encoding": {"x2": {"field": "ended"}, "color": colour, "tooltip": _TOOLTIP}},
            {"name": "phase", "mark": text, "encoding": {"text": {"field": "label"}}},
        ],
    }  # fmt: skip


_TOOLTIP = [{"field": field} for field in ("phase", "copy", "seconds", "share", "events")]


def _band(span: PhaseSpan, end_s: float) -> Spec:
    name = plain(span.phase)
    room = (span.ended_s - span.started_s) / end_s * NARROW
    return {
        "label": name if room > LETTER * (len(name) + 1) else "",
        "copy": span.copy,
        "phase": name,
        "started": _digits(span.started_s),
        "ended": _digits(span.ended_s),
        "seconds": f"{span.ended_s - span.started_s:.4g} s",
        "share": f"{span.share:.1%}",
        "events": "-" if span.events is None else str(span.events),
    }


def _panel(timeline: Timeline, track: Track, panel: Panel) -> Spec:
    words, colours = zip(*panel.looks.values(), strict=True)
    form = {"format": "~s"} if panel.bytes else {"labelExpr": _COUNT}
    axis = {"title": None, "tickCount": 3, "minExtent": AXIS, "maxExtent": AXIS} | form
    scale = {"domain": [0, _top(timeline, panel)], "nice": False}
    colour = {
        "field": "line",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": words, "range": colours},
    }
    y = {"field": "value", "type": "quantitative", "axis": axis, "scale": scale}
    mark = {"interpolate": "step-after"} | (_AREA if panel.stacked else _LINE)
    values = {"mark": mark, "encoding": {"x": _x(timeline) | {"field": "at"}, "color": colour,
              "y": y | {"stack": "zero" if panel.stacked else None}}}  # fmt: skip
    return frame(f"{panel.title} of {track.trial}") | {
        "name": "panel",
        "height": HEIGHT,
        "data": {"name": "steps", "values": list(_steps(track, panel.looks))},
        "layer": [
            _turns(track),
            values | {"name": "values"},
            *_ranges(timeline, track, panel),
            *(_seen(track) if panel.host else ()),
            *_over(track, panel),
        ],
    }


def _ranges(timeline: Timeline, track: Track, panel: Panel) -> Iterator[Spec]:
    """Yield the bands in which quantities stood within their steps: a spike of one sample reaches out."""
    rows = [
        {"at": _digits(at), "low": _drawn(low), "high": _drawn(high), "line": panel.looks[line.quantity][0]}
        for line in track.lines
        if line.quantity in panel.looks and line.most
        for at, low, high in zip(
            track.bounds_s, (*line.least, line.least[-1]), (*line.most, line.most[-1]), strict=True
        )
    ]
    if rows:
        words, colours = zip(*panel.looks.values(), strict=True)
        scale = {"domain": words, "range": colours}
        colour = {"field": "line", "type": "nominal", "legend": None, "scale": scale}
        y = {"field": "low", "type": "quantitative", "stack": None}
        yield {"name": "ranges", "data": {"values": rows}, "mark": _BAND,
               "encoding": {"x": _x(timeline) | {"field": "at"}, "color": colour, "y": y,
                            "y2": {"field": "high"}}}  # fmt: skip


def _drawn(value: float | None) -> float | None:
    return None if value is None else _digits(value)


def _over(track: Track, panel: Panel) -> Iterator[Spec]:
    """Yield lines over the areas: what the host saw meanwhile."""
    for quantity, (_, colour) in panel.over.items():
        if rows := list(_steps(track, {quantity: panel.over[quantity]})):
            mark = _LINE | {"interpolate": "step-after", "color": colour}
            encoding = {
                at: {"field": field, "type": "quantitative"} for at, field in (("x", "at"), ("y", "value"))
            }
            yield {"name": "over", "data": {"values": rows}, "mark": mark, "encoding": encoding}


def _seen(track: Track) -> Iterator[Spec]:
    """Yield a level from the release to the end: what the hypervisor gave to the guest's vCPUs."""
    if (level := _level(track)) is not None:
        row = {"at": 0, "end": _digits(track.wall_s), "value": _digits(level)}
        x = {"field": "at", "type": "quantitative"}
        yield {"name": "seen", "data": {"values": [row]},
               "mark": {"type": "rule", "color": SEEN[1], "strokeWidth": 2, "strokeDash": [6, 3]},
               "encoding": {"x": x, "x2": {"field": "end"},
               "y": {"field": "value", "type": "quantitative"}}}  # fmt: skip


def _level(track: Track) -> float | None:
    return None if track.vcpu_s is None or track.wall_s <= 0 else track.vcpu_s / track.wall_s


_COUNT = "format(datum.value, datum.value >= 1e4 ? '~s' : '.4~r')"
_AREA: Spec = {"type": "area", "opacity": 0.85, "line": False}
_BAND: Spec = {"type": "area", "opacity": 0.45, "line": False, "interpolate": "step-after"}
_LINE: Spec = {"type": "line", "strokeWidth": 1.8, "strokeCap": "butt"}


def _x(timeline: Timeline) -> Spec:
    axis: dict[str, Any] = {"title": None, "tickCount": 6, "format": "~g", "grid": False, "labelFlush": True,
                            "labelExpr": "datum.label + ' s'"}  # fmt: skip
    scale = {"domain": [0, _digits(_end_s(timeline))], "nice": False, "zero": False, "clamp": True}
    return {"type": "quantitative", "scale": scale, "axis": axis}


def _end_s(timeline: Timeline) -> float:
    """Return the end of the axis of time: the last sample may lie behind the end of the job."""
    return max(end for track in timeline.tracks for end in (track.wall_s, *track.bounds_s[-1:])) or 1.0


def _turns(track: Track) -> Spec:
    """Return thin rules where a phase of any copy begins, so that a panel is read against the phases."""
    turns = sorted({_digits(span.started_s) for span in track.phases if span.started_s > 0})
    rows = [{"turn": turn} for turn in (turns if len(turns) <= 12 else ())]
    mark = {"type": "rule", "color": NEUTRAL, "strokeDash": [3, 3], "strokeWidth": 1}
    return {"name": "turns", "data": {"values": rows}, "mark": mark,
            "encoding": {"x": {"field": "turn", "type": "quantitative"}}}  # fmt: skip


def _steps(track: Track, looks: Mapping[Quantity, tuple[str, str]]) -> Iterator[Spec]:
    """Yield a row at the begin of each step and one at the end of the last."""
    for line in track.lines:
        if line.quantity not in looks or not line.values:
            continue
        word = looks[line.quantity][0]
        for at, value in zip(track.bounds_s, (*line.values, line.values[-1]), strict=True):
            yield {"at": _digits(at), "value": _drawn(value), "line": word}


def _top(timeline: Timeline, panel: Panel) -> float:
    """Return the upper end of a panel's axis: a little above the highest step of any trial."""
    highest = [_highest(track, panel) for track in timeline.tracks]
    return _digits(max(highest) * 1.06) or 1.0


def _highest(track: Track, panel: Panel) -> float:
    lines = [[value or 0.0 for value in line.values] for line in track.lines if line.quantity in panel.looks]
    if panel.stacked:
        lines = [[sum(values) for values in zip(*lines, strict=True)]]
    lines += [[value or 0.0 for value in line.most] for line in track.lines if line.quantity in panel.looks]
    if panel.host:
        lines.append([_level(track) or 0.0])
    lines += [[value or 0.0 for value in line.values] for line in track.lines if line.quantity in panel.over]
    return max((value for line in lines for value in line), default=0.0)


def _digits(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
