"""What publications state, computed anew from the raw figures that they carry."""

from __future__ import annotations

from evidence.page import Page
from evidence.publications import atlas, boss, ijclab, juno, proof

TEXT = """
From the files in `tests/reference`, each with the publication that its figures are from. *Stated* is what the
publication prints, or what its figures were worked out to be in an earlier study of them. A mean of three runs without
an interval is given one here: Student's, at 95 %, as a share of the mean. PROOF's figures are limits read off curves;
without the curves' points there is nothing to fit, so only their ratios are given. Nothing here is random.
"""  # noqa: E501


def page() -> Page:
    """All publications."""
    rows = [*boss(), *atlas(), *juno(), *ijclab(), *proof()]
    held = {
        f"{row['publication']}: {row['what']}": abs(row["found"] - row["stated"]) <= row["within"]
        for row in rows
        if row["stated"] is not None
    }
    shown = {
        "publication": ("publication", ""),
        "what": ("figure", ""),
        "found": ("recomputed", ".4g"),
        "stated": ("stated", ".4g"),
        "unit": ("unit", ""),
    }
    return Page("published", "Published tables, recomputed", TEXT, rows, shown, held)
