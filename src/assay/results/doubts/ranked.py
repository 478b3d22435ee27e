"""Doubts in the order of what they do to the figures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from assay.explain.sanity import severity_of
from assay.model.doubt import Severity
from assay.pages.context import DoubtCount


def ranked(doubts: Iterable[DoubtCount]) -> tuple[DoubtCount, ...]:
    """Return doubts with what they do to the figures, the gravest first; alike ones in the order in which
    they came.
    """
    reported = (replace(doubt, severity=severity_of(doubt.code)) for doubt in doubts)
    return tuple(sorted(reported, key=lambda doubt: Severity.rank(doubt.severity)))
