"""The only place that formats: values in, text, Markdown, HTML, chart specifications and JSON out.

Here belongs how a figure is *shown*: digits, alignment, colours, tables, charts, and the words of doubts.
Every page is a pure function of one documented JSON context (``pages.context.Page``,
``pages.comparison.ComparisonPage``), described in ``docs/report.md``. Figures are computed in ``stats``;
files are opened and written by whoever calls.

Importing the room costs next to nothing: jinja2 and the charts' library are loaded by ``html`` alone.
"""

from typing import TYPE_CHECKING, Any

from assay.report.render.exporters import Exporter

__all__ = ["Exporter", "Page"]

if TYPE_CHECKING:
    from assay.pages.context import Page
else:

    def __getattr__(name: str) -> Any:
        if name == "Page":  # a start of assay needs no page
            from assay.pages.context import Page

            return Page
        msg = f"module 'assay.report' has no attribute '{name}'"
        raise AttributeError(msg)
