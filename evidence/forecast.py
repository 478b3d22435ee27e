"""How many blocks are still needed: what is forecast beside what it took."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from assay.model.figures.estimate import Looks, Verdict
from assay.stats import paired_loss
from assay.stats.verdicts.sequence import evidence_path
from evidence.families import FAMILIES, draw_family
from evidence.page import Figures, Page

SEED = 34
CAMPAIGNS = 150
MOST = 150
AFTER = (8, 12)
LOSSES = (0.02, 0.03)
ENOUGH = 30
WITHIN = (0.8, 1.3)


def page() -> Page:
    """All families, after two numbers of blocks, for two losses."""
    rows = [_row(family, after, loss) for family in FAMILIES for after in AFTER for loss in LOSSES]
    told = [row for row in rows if row["ratio"] is not None and row["open"] >= ENOUGH]
    low, high = WITHIN
    held = {
        (
            f"in every row with {ENOUGH} open results or more the median ratio of all blocks is "
            f"within [{low}, {high}]"
        ): all(low <= row["ratio"] <= high for row in told),
        f"over these rows the median ratio of those still needed is within [{low}, {high}]": (
            low <= float(np.median([row["still"] for row in told])) <= high
        ),
    }
    text = f"""
{CAMPAIGNS} activities a row that may end after every block, seed {SEED} ([families](verdicts.md)). *Open*: without a verdict
after so many blocks, and with one within {MOST}. *Forecast*: the median of the blocks still needed that are told then;
*needed*: of those that it took. *Ratio*: forecast over needed, of the blocks still needed (*still*) and of all from the first
(*all*, with the middle half), medians of all open ones. *None told*: no number was forecast, since the blocks so far see no loss.
"""  # noqa: E501
    shown = {
        "family": ("noise", ""),
        "loss": ("loss", ".0%"),
        "after": ("after", "d"),
        "open": ("open", "d"),
        "none": ("none told", "d"),
        "forecast": ("forecast", ".0f"),
        "needed": ("needed", ".0f"),
        "still": ("still", ".2f"),
        "ratio": ("all", ".2f"),
        "low": ("from", ".2f"),
        "high": ("to", ".2f"),
    }
    return Page("forecast", "Blocks still needed", text, rows, shown, held)


def _row(family: str, after: int, loss: float) -> Figures:
    drawn = draw_family(family, seed=SEED, campaigns=CAMPAIGNS, blocks=MOST, loss=loss)
    found = [_forecast(values, after) for values in drawn.d.tolist()]
    pairs = [one for one in found if one is not None]
    known = [(float(more), float(needed)) for more, needed in pairs if more is not None]
    ratios = [(after + more) / (after + needed) for more, needed in known]
    middle = np.quantile(ratios, [0.25, 0.5, 0.75]).tolist() if ratios else [None] * 3
    return {
        "family": family,
        "loss": loss,
        "after": after,
        "open": len(pairs),
        "none": len(pairs) - len(known),
        "forecast": float(np.median([more for more, _ in known])) if known else None,
        "needed": float(np.median([needed for _, needed in known])) if known else None,
        "still": float(np.median([more / needed for more, needed in known])) if known else None,
        "low": middle[0],
        "ratio": middle[1],
        "high": middle[2],
    }


def _forecast(values: Sequence[float], after: int) -> tuple[int | None, int] | None:
    """Return the blocks still needed, as told after so many and as it took.

    ``None`` where a verdict is there, or never comes.
    """
    called = np.flatnonzero(evidence_path(values) >= -math.log(0.05)) + 1
    if not len(called) or called[0] <= after:
        return None
    found = paired_loss(values[:after], looks=Looks.EVERY)
    if found.verdict is not Verdict.INCONCLUSIVE:
        return None
    return found.blocks_more, int(called[0]) - after
