"""Records that can no longer be read: left out of a page, with a doubt that names them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from assay.model.doubt import raised
from assay.model.errors import AssayError
from assay.pages.context import Page
from assay.report.doubts import counted
from assay.results.doubts.ranked import ranked


def with_damage(page: Page, damaged: Sequence[AssayError]) -> Page:
    """Return a page that says which records it leaves out; the same page where there are none."""
    if not damaged:
        return page
    reasons = tuple(dict.fromkeys(error.message for error in damaged))
    doubt = counted(raised("record-unreadable", reasons=reasons), len(damaged))
    return replace(page, doubts=ranked((*page.doubts, doubt)))


def with_missing(page: Page, missing: Collection[str]) -> Page:
    """Return a page that says what its records name and is gone; the same page where all of it is there.

    Args:
        page: The page.
        missing: Digests of what is gone.
    """
    if not missing:
        return page
    return replace(page, doubts=ranked((*page.doubts, counted(raised("object-missing"), len(missing)))))
