"""The mark of figures that may be read but not compared."""

from __future__ import annotations

from dataclasses import replace

from assay.model.work.tool_output import NOT_COMPARABLE, Figure


def marked(figure: Figure, reason: str | None) -> Figure:
    """Return a figure with the reason why it cannot be compared; without a reason, or with one already, as it
    is.
    """
    if not reason or not figure.comparable:
        return figure
    return replace(figure, labels={**figure.labels, NOT_COMPARABLE: reason})
