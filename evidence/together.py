"""False verdicts where many metrics are judged: of any of them, in a comparison of a machine with itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from assay.design.stopping import Metered, Wanted
from assay.model.figures.estimate import Estimate
from assay.model.goal import Goal
from assay.stats.replication.resolution import resolution_of
from assay.stats.verdicts.together import Judge, judged_together
from assay.stats.verdicts.verdict import CALLED
from evidence.families import FAMILIES, draw_family
from evidence.page import Figures, Page

SEED = 33
CAMPAIGNS = 400
METRICS = 11
BLOCKS = (3, 10)
LOSS = 0.03
DEPENDENT = "correlated"
ALLOWED = 0.05 + 2 * math.sqrt(0.05 * 0.95 / CAMPAIGNS)
"""5 % and two standard errors."""


def page() -> Page:
    """All families at all numbers of blocks."""
    rows = [_row(family, blocks) for family in FAMILIES for blocks in BLOCKS]
    sound = [row for row in rows if row["family"] != DEPENDENT]
    held = {
        f"any of {METRICS} metrics called in at most 5 % of A/A results (and two standard "
        "errors), all families of independent blocks": max(row["together"] for row in sound) <= ALLOWED
    }
    text = f"""
{CAMPAIGNS} results a row of {METRICS} metrics whose noise is independent, a declared number of blocks, seed {SEED}
([families](verdicts.md)). *Each by itself* and *together* (Holm): results of a machine with itself in which any metric is
called a loss or a gain. *Seen*: metrics called a loss, judged together, where all lose {100 * LOSS:.0f} %.
"""  # noqa: E501
    shown = {
        "family": ("noise", ""),
        "blocks": ("blocks", "d"),
        "each": ("each by itself", ".3f"),
        "together": ("together", ".3f"),
        "seen": ("seen", ".3f"),
    }
    return Page("together", "Many metrics", text, rows, shown, held)


def _row(family: str, blocks: int) -> Figures:
    alike, slower = (_results(family, blocks, loss) for loss in (0.0, LOSS))
    each = [any(one(0.95, 0.95).verdict in CALLED for one in result) for result in alike]
    return {
        "family": family,
        "blocks": blocks,
        "each": float(np.mean(each)),
        "together": float(np.mean([any(called(result)) for result in alike])),
        "seen": float(np.mean([called(result) for result in slower])),
    }


def _results(family: str, blocks: int, loss: float) -> list[list[Judge[Estimate]]]:
    """Return what estimates the metrics of each result."""
    drawn = draw_family(family, seed=SEED, campaigns=CAMPAIGNS * METRICS, blocks=blocks, loss=loss)
    arms = (drawn.d.tolist(), np.exp(drawn.baseline).tolist(), np.exp(drawn.treatment).tolist())
    wanted = Wanted(Goal())
    made = [
        partial(Metered(d, resolution=resolution_of(one, other)).estimate, wanted)
        for d, one, other in zip(*arms, strict=True)
    ]
    return [made[at : at + METRICS] for at in range(0, len(made), METRICS)]


def called(result: Sequence[Judge[Estimate]]) -> list[bool]:
    """Tell of each metric of a result whether it is called when all are judged together."""
    return [found.verdict in CALLED for found in judged_together(result, 0.95)]
