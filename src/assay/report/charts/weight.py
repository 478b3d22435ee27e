"""The weight of guests as two charts: against the guest's size, and over its age."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from assay.model.units import format_bytes
from assay.pages.context import Page
from assay.pages.families.weight import GuestWeights
from assay.report.charts.chart_style import Spec, frame, scales
from assay.report.tables.tables import plain
from assay.report.tables.weight import MIB

HEIGHT = 240
LOOKS = (
    ("#1f77c4", "circle"), ("#d1570f", "square"), ("#0a9373", "triangle-up"), ("#9a6bb8", "diamond"),
    ("#8c6d1f", "circle"), ("#6fb1e6", "square"), ("#c1121f", "triangle-up"), ("#5f6b7a", "diamond"),
)  # fmt: skip
"""Colour and shape of each line, after Okabe and Ito; from the ninth on they come again."""
EACH = "diamond"
"""Shape of what is over the number of vCPUs."""
DASHES = {"condition": {"test": "datum.each", "value": [5, 4]}, "value": [1, 0]}
Name = Callable[[GuestWeights], str]
Looks = dict[str, tuple[str, str]]


def weight_charts(page: Page) -> list[Spec]:
    """Return two charts where guests of several sizes were weighed, else none."""
    shown = _sized(page)
    return [size_chart(shown), age_chart(shown)] if shown else []


def _sized(page: Page) -> list[GuestWeights]:
    """Return the guests that were weighed at the end of a visit, if they are of several sizes."""
    shown = [weights for weights in page.weights if any(point.last for point in weights.points)]
    return shown if len({(weights.memory_bytes, weights.vcpus) for weights in shown}) > 1 else []


def size_chart(shown: Sequence[GuestWeights]) -> Spec:
    """Return what QEMU held beside the guest's memory against it, one line a number of vCPUs.

    Where there are at least as many numbers of vCPUs as memory sizes, against the former: one line a memory
    size, and below it, dashed, the same over the number of vCPUs.
    """
    name = _name(shown)
    by_memory = name is _by_vcpus
    values = [value for weights in shown for value in _ends(weights, by_memory=by_memory)]
    what = "guest memory, MiB" if by_memory else "vCPUs"
    told = "a point a boot" if by_memory else "a point a boot; dashed: for each vCPU"
    table = _sized_table(shown)
    points = _points(table, ("look", "size", "beside", "trial"))
    return _frame("QEMU beside the guest's memory, MiB", f"against {what}, {told}", values) | {
        "encoding": {"x": _sizes(values, what, log=by_memory)},
        "layer": [_means(table, each=not by_memory), points],
    }


def _ends(weights: GuestWeights, *, by_memory: bool) -> Iterator[Spec]:
    """Yield each boot's last weighing, against the number of vCPUs also over it."""
    for point in weights.points:
        if not point.last:
            continue
        beside = point.beside_bytes / MIB
        value: Spec = {
            "look": _by_vcpus(weights) if by_memory else _by_memory(weights),
            "size": weights.memory_bytes / MIB if by_memory else weights.vcpus,
            "beside": beside,
            "trial": point.trial,
        }
        yield value
        if not by_memory:
            each = {"look": _each(value["look"]), "beside": beside / weights.vcpus, "each": True}
            yield value | each


def age_chart(shown: Sequence[GuestWeights]) -> Spec:
    """Return what QEMU held beside the guest's memory over its age, one line a boot."""
    values = [
        {
            "look": weights.label,
            "boot": f"{weights.label} {point.boot}",
            "age": point.age_s,
            "beside": point.beside_bytes / MIB,
            "touched": point.touched_bytes / MIB,
            "trial": point.trial,
        }
        for weights in shown
        for point in weights.points
    ]
    table = _table(shown, _label)
    axis = {"title": "age of the QEMU process, s", "grid": False, "tickCount": 6}
    x = {"field": "age", "type": "quantitative", "scale": {"zero": True}, "axis": axis}
    line = {
        "name": "line",
        "mark": {"type": "line", "strokeWidth": 1.6},
        "encoding": {"y": _y(), "color": scales(table)["color"], "detail": {"field": "boot"}},
    }
    fields = ("look", "age", "beside", "touched", "trial")
    return _frame("QEMU beside the guest's memory, MiB", "over time, a line a boot", values) | {
        "encoding": {"x": x},
        "layer": [line, _points(table, fields)],
    }


def weight_legends(page: Page) -> list[list[tuple[str, tuple[str, str]]]]:
    """Return the legend of each of the charts: words with colour and shape."""
    shown = _sized(page)
    tables = (_sized_table(shown), _table(shown, _label)) if shown else ()
    return [list(table.items()) for table in tables]


def _frame(title: str, subtitle: str, values: list[Spec]) -> Spec:
    return frame(plain(f"{title} {subtitle}")) | {
        "height": HEIGHT,
        "title": {"text": title, "subtitle": plain(subtitle)},
        "data": {"name": "weights", "values": values},
    }


def _sizes(values: Sequence[Spec], what: str, *, log: bool) -> Spec:
    sizes = sorted({value["size"] for value in values})
    axis = {"title": what, "values": sizes, "format": "d", "grid": False, "labelOverlap": True}
    scale = ({"type": "log", "base": 2} if log else {"zero": False}) | {"nice": False, "padding": 24}
    return {"field": "size", "type": "quantitative", "scale": scale, "axis": axis}


def _y() -> Spec:
    axis = {"title": None, "tickCount": 5}
    return {"field": "beside", "type": "quantitative", "scale": {"zero": True}, "axis": axis}


def _means(table: Looks, *, each: bool) -> Spec:
    """Draw a line through the means of the boots of each size."""
    y = _y() | {"aggregate": "mean"}
    dashes = {"detail": {"field": "each"}, "strokeDash": DASHES} if each else {}
    mark = {"type": "line", "strokeWidth": 2}
    return {"name": "line", "mark": mark, "encoding": {"y": y, "color": scales(table)["color"]} | dashes}


def _points(table: Looks, fields: Sequence[str]) -> Spec:
    point = {"type": "point", "filled": True, "size": 50, "opacity": 0.85}
    tip = [{"field": field} for field in fields]
    return {"name": "point", "mark": point, "encoding": {"y": _y(), "tooltip": tip} | scales(table)}


def _table(shown: Sequence[GuestWeights], name: Name) -> Looks:
    names = dict.fromkeys(map(name, shown))
    return {word: LOOKS[at % len(LOOKS)] for at, word in enumerate(names)}


def _sized_table(shown: Sequence[GuestWeights]) -> Looks:
    """Return the looks of the lines against the size."""
    name = _name(shown)
    table = _table(shown, name)
    if name is _by_vcpus:
        return table
    return table | {_each(word): (colour, EACH) for word, (colour, _) in table.items()}


def _name(shown: Sequence[GuestWeights]) -> Name:
    """Return what names the lines against the size: that of which there are fewer, the memory in doubt."""
    memories = {weights.memory_bytes for weights in shown}
    return _by_vcpus if len(memories) > len({weights.vcpus for weights in shown}) else _by_memory


def _each(word: str) -> str:
    return f"{word}, a vCPU"


def _label(weights: GuestWeights) -> str:
    return plain(weights.label)


def _by_vcpus(weights: GuestWeights) -> str:
    return f"{weights.vcpus} vCPU{'' if weights.vcpus == 1 else 's'}"


def _by_memory(weights: GuestWeights) -> str:
    return format_bytes(weights.memory_bytes)
