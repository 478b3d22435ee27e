"""A chart in Python: shown in a notebook, saved for a paper, or taken as its specification."""

from __future__ import annotations

from pathlib import Path

from assay.model.errors import MissingError, UnknownNameError
from assay.report.charts.chart_style import Spec, frame
from assay.report.render.figure import FORMATS, SIZES, draw

CONCAT = {"hconcat", "vconcat", "concat", "facet", "repeat"}
"""Words of specifications of several charts."""


class Chart:
    """A chart of a result, or one of your own.

    Attributes:
        name: Its name, as ``assay report --chart`` takes it.
        spec: The Vega-Lite specification, with its data: a plain mapping to change and to draw with others.
    """

    def __init__(self, name: str, spec: Spec) -> None:
        """Take a specification; what it leaves out of version, width and letters is as in the report.

        Args:
            name: What it is called.
            spec: Vega-Lite, with its data under ``data.values``.
        """
        whole = frame(name)
        if CONCAT & spec.keys():  # each part has a width of its own
            whole = {one: whole[one] for one in ("$schema", "description", "config")}
        self.name, self.spec = name, {**whole, **spec}

    def svg(self, *, size: str = "page") -> str:
        """Return it as SVG.

        Args:
            size: ``column``, ``page`` or ``slide``.

        Raises:
            MissingError: What draws is not installed (the extra ``figures``).
            UnknownNameError: No size is called so.
        """
        return self._drawn("svg", size).decode()

    def save(self, path: str | Path, *, size: str = "column") -> None:
        """Write it into a file, whose ending says the format: ``.svg``, ``.png`` or ``.pdf``.

        Raises:
            MissingError: What draws is not installed (the extra ``figures``).
            UnknownNameError: No format or size is called so.
            OSError: The file cannot be written.
        """
        Path(path).write_bytes(self._drawn(Path(path).suffix.lower().removeprefix("."), size))

    def _drawn(self, form: str, size: str) -> bytes:
        if size not in SIZES:
            raise UnknownNameError(kind="size", name=size, known=list(SIZES))
        if form not in FORMATS:
            raise UnknownNameError(kind="format of a chart", name=form, known=list(FORMATS))
        return draw(self.spec, form, SIZES[size])

    def __repr__(self) -> str:
        return f"<assay chart {self.name}: {self.spec['description']}>"

    def _repr_html_(self) -> str | None:
        try:
            return self.svg()
        except MissingError:
            return None
