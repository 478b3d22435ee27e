"""How far the figures of a page can be trusted: the gravest of what its doubts do to them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from assay.model.doubt import Severity
from assay.pages.context import Page
from assay.pages.summary import Summary

LEVELS: Mapping[Severity | None, str] = MappingProxyType(
    {
        Severity.INVALIDATES: "low",
        Severity.SHIFTS: "limited",
        Severity.WIDENS: "good",
        Severity.INFORMS: "good",
        None: "good",
    }
)
_NAMED = 4
_WHAT = {
    Severity.INVALIDATES: "figures are not what they are called",
    Severity.SHIFTS: "figures may be shifted by more than the margin",
    Severity.WIDENS: "less is known than it seems",
}


def trust_level(page: Page | Summary) -> str:
    """Return ``low``, ``limited`` or ``good``."""
    return LEVELS[_gravest(page)]


def trust_text(page: Page) -> str:
    """Return the badge in words: ``trust: limited, figures may be shifted by more than the margin (disturbed,
    emulated)``.
    """
    gravest = _gravest(page)
    if gravest not in _WHAT:
        return "trust: good, no doubt is about the losses"
    codes = list(dict.fromkeys(doubt.code for doubt in page.doubts if doubt.severity is gravest))
    more = f" and {len(codes) - _NAMED} more" if len(codes) > _NAMED else ""
    return f"trust: {LEVELS[gravest]}, {_WHAT[gravest]} ({', '.join(codes[:_NAMED])}{more})"


def _gravest(page: Page | Summary) -> Severity | None:
    return min((doubt.severity for doubt in page.doubts), key=Severity.rank, default=None)
