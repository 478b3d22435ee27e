"""Charts as files for papers and slides: drawn without a browser, by vl-convert (the extra ``figures``)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.model.errors import MissingError
from assay.report.charts.chart_style import Spec

POINTS = 72 / 25.4
"""Points a millimetre."""
LETTERS = 12.0
"""Pixels of a chart's letters (``chart_style``)."""
PPI = 300.0
"""Of a PNG, for print."""
AXIS, ENTRY, LETTER = 34, 28, 7.2
"""Pixels beside and in a legend: the axis's labels at its left, the symbol of an entry with the room around
it, and a letter of DejaVu Sans, the widest font that is taken.
"""


@dataclass(frozen=True)
class Size:
    """How large a chart is drawn.

    Attributes:
        width_mm: Its width.
        letters_pt: Size of its letters.
        about: What it is for.
    """

    width_mm: float
    letters_pt: float
    about: str

    @property
    def scale(self) -> float:
        """Points a pixel of the chart."""
        return self.letters_pt / LETTERS

    @property
    def pixels(self) -> int:
        """Width of the chart in its own pixels, by which it lays itself out."""
        return round(self.width_mm * POINTS / self.scale)


SIZES = {
    "column": Size(84, 7, "a column of a two-column page"),
    "page": Size(174, 8, "the width of a page"),
    "slide": Size(254, 14, "a slide"),
}
FORMATS = ("svg", "png", "pdf")
_EXTENT = re.compile(r'width="([\d.]+)" height="([\d.]+)"')


def draw(chart: Spec, form: str, size: Size) -> bytes:
    """Return a chart as a file; SVG and PNG of the same chart are the same bytes each time.

    Args:
        chart: A Vega-Lite specification of ``report.charts``.
        form: One of ``FORMATS``.
        size: How large.

    Raises:
        MissingError: vl-convert is not there.
    """
    try:
        import vl_convert
    except ImportError as error:
        msg = f"cannot draw a chart as {form.upper()}: vl-convert is not installed"
        hint = "pip install 'assay[figures]', or take the charts of assay report --format html"
        raise MissingError(msg, hint=hint) from error

    whole = alone(chart, size, form)
    drawn = vl_convert.vegalite_to_svg(whole, vl_version=_version(chart), allowed_base_urls=[])
    if form == "svg":
        return _sized(drawn, size, "pt").encode()
    svg = _sized(drawn, size, "")  # what draws it takes a pixel as a point
    return bytes(vl_convert.svg_to_pdf(svg) if form == "pdf" else vl_convert.svg_to_png(svg, ppi=PPI))


def alone(chart: Spec, size: Size, form: str) -> Spec:
    """Return a chart that stands alone: of a fixed width, with a legend; a PNG's ground is white.

    Args:
        chart: A Vega-Lite specification of ``report.charts``.
        size: How large.
        form: One of ``FORMATS``.
    """
    config = chart["config"]
    legend = {**_legend(chart, size), **config.get("legend", {}), "symbolOpacity": 1}
    ground = "white" if form == "png" else "transparent"
    width = {"width": size.pixels} if chart.get("width") == "container" else {}
    return {**chart, **width, "config": {**config, "legend": legend, "background": ground}}


def _legend(chart: Spec, size: Size) -> Spec:
    """Return how a legend is laid out, so that it is in the figure and no label is cut off that has room: as
    one line where that is wide enough, else in columns.
    """
    room = size.pixels - AXIS
    entries = [LETTER * len(label) + ENTRY for label in dict.fromkeys(_labels(chart))]
    line = {"labelLimit": room - ENTRY}
    return line if sum(entries) <= room else line | {"columns": max(1, int(room / max(entries)))}


def _labels(part: object) -> Iterator[str]:
    """Yield the labels of the legends in a specification."""
    if isinstance(part, list):
        for one in part:
            yield from _labels(one)
    elif isinstance(part, dict):
        colour = part.get("color")
        if isinstance(colour, dict) and colour.get("legend", colour) is not None:
            domain = (colour.get("scale") or {}).get("domain", ())
            yield from (label for label in domain if isinstance(label, str))
        for name, one in part.items():
            if name != "data":
                yield from _labels(one)


def _version(chart: Spec) -> str:
    """Return the newest Vega-Lite that is there of the major version that the chart is written for."""
    import vl_convert

    major = re.search(r"/v(\d+)", chart["$schema"])
    wanted = major[1] if major else ""
    fits = [one for one in vl_convert.get_vegalite_versions() if one.split(".")[0] == wanted]
    if not fits:
        msg = f"cannot draw a chart: vl-convert has no Vega-Lite {wanted}"
        raise MissingError(msg, hint="pip install --upgrade 'assay[figures]'")
    return str(max(fits, key=lambda one: [int(part) for part in one.split(".")]))


def _sized(svg: str, size: Size, unit: str) -> str:
    """Return a drawing that is so large that its letters are as large as they are to be."""
    drawn, high = map(float, _EXTENT.findall(svg)[0])
    width = size.width_mm * POINTS
    height = high * width / drawn  # a chart of several panels has a width of its own
    return _EXTENT.sub(f'width="{width:.2f}{unit}" height="{height:.2f}{unit}"', svg, count=1)
