"""Records that can no longer be read: left out of a page, with a doubt that names them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.model.errors import AssayError
from assay.pages.context import DoubtCount, Page
from assay.report.doubts import NEXT
from assay.results.doubts.ranked import ranked


def with_damage(page: Page, damaged: Sequence[AssayError]) -> Page:
    """Return a page that says which records it leaves out; the same page where there are none."""
    if not damaged:
        return page
    reasons = dict.fromkeys(error.message for error in damaged)
    sentence = f"Damaged records are left out: {'; '.join(reasons)}."
    doubt = DoubtCount("record-unreadable", sentence, len(damaged), NEXT["record-unreadable"])
    return replace(page, doubts=ranked((*page.doubts, doubt)))
