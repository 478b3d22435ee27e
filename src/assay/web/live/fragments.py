"""Parts of pages that are sent alone when they change: a macro each, the same that fills the page."""

from __future__ import annotations

from functools import cache
from typing import Any

from assay.model.units import format_seconds
from assay.pages.numbers import size_text
from assay.report.charts.course import MOST
from assay.report.tables.words import verdict_name
from assay.web.frame import templates

WORDS = {"seconds": format_seconds, "size": size_text, "verdict": verdict_name, "most_charts": MOST}
"""What these macros call figures by."""


def part(name: str, *given: Any) -> str:
    """Return a part as HTML; every text of it is escaped.

    Args:
        name: Its macro.
        given: What that is given.
    """
    filled: str = getattr(_macros(), name)(*given)
    return filled


@cache
def _macros() -> Any:
    return templates().get_template("activity_parts.html").make_module(WORDS)
