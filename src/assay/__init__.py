"""assay: what a virtual platform costs a workload, with an honest interval."""

from __future__ import annotations

from typing import Any

try:
    from assay._version import __version__
except ImportError:  # a tree that was never installed
    __version__ = "0.1.0"

__all__ = ["__version__", "analyse"]


def analyse(
    table: object,
    *,
    kind: str = "time",
    baseline: str | None = None,
    margin: float | str = 0.01,
    confidence: float | str = 0.95,
) -> dict[str, Any]:
    """Return the losses of what was measured elsewhere, as ``assay analyse --json`` prints them.

    Args:
        table: Columns ``block``, ``arm`` and ``value``, and where known ``session``, ``machine`` and
            ``events``: a mapping of columns to sequences, rows as mappings, a data frame, or the path of
            a CSV file.
        kind: ``time`` (lower is better) or ``rate`` (higher is better).
        baseline: Arm that losses are measured against; ``None`` takes one called ``baseline``, ``host``,
            ``physical``, ``pm`` or ``bare-metal``.
        margin: Loss that does not matter, from 0 to below 1: ``0.01`` or ``1 %``.
        confidence: Coverage of intervals, 0.5 to 0.9999: ``0.95`` or ``95 %``.

    Returns:
        The document of ``contracts/analysis-v1.schema.json``; losses are fractions.

    Raises:
        AssayError: With the next step in ``hint``. A wrong row, named by its number from 1 or its line,
            and a wrong question are ``ValueError`` too.
    """
    import json

    from assay.report.render.json import to_json
    from assay.results.analysis.analyse import analyse_table

    page = analyse_table(table, kind=kind, baseline=baseline, margin=margin, confidence=confidence)
    document: dict[str, Any] = json.loads(to_json(page))
    return document
