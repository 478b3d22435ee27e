"""Doubts that a tool's own output raises."""

from __future__ import annotations

from assay.report.doubts.said import Said, Wordings


def _no_figure(tool: str, metric: str, reason: str) -> Said:
    return Said(f"{tool} printed no number for {metric}: {_sentence(reason)}")


def _not_comparable(metric: str, reason: str) -> Said:
    return Said(f"{metric} is not to be compared: {_sentence(reason)}")


def _unknown_line(tool: str, line: str, lines: int) -> Said:
    more = f", and {lines - 1} more" if lines > 1 else ""
    return Said(f"{tool} printed a line that is not known: {line}{more}.")


def _sentence(reason: str) -> str:
    return f"{reason.rstrip('.')}."


WORDINGS: Wordings = {
    "no-figure": _no_figure,
    "not-comparable": _not_comparable,
    "unknown-line": _unknown_line,
}
