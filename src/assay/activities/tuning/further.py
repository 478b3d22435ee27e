"""Further blocks of a confirmation that shows a gain, but not that the rest of the mix is unharmed."""

from __future__ import annotations

from assay.activities.tuning.time_taken import room_blocks
from assay.design.stopping import decides_from
from assay.pages.tuning import Tuning

MOST_BLOCKS = 100
"""Of a confirmation in all."""


def further_blocks(tuning: Tuning, confidence: float) -> int:
    """Return by how many blocks a confirmation is extended now; 0 where it is not.

    As many as would decide the metrics of the mix that are undecided, at the noise so far, but no more than
    it has: few blocks tell little of their noise, and what is significantly worse ends it sooner. Once it is
    extended it is judged by confidence sequences (``activities.extend``), which say less at first: the first
    extension is made only where the budget has room for all of it.

    Args:
        tuning: The search; its last activity is the confirmation, which has ended.
        confidence: Of the intervals of a change-set together.
    """
    run = tuning.runs[-1] if tuning.runs else None
    sets = [one for one in tuning.found if one.undecided]
    wanted = [row.blocks_more for one in sets for row in one.mix if row.undecided and row.blocks_more]
    if run is None or run.kind != "confirm" or tuning.killed or not wanted:
        return 0
    finite = decides_from(confidence, max(len(one.mix) for one in sets)) - run.blocks
    more = max(finite, min(max(wanted), run.blocks))
    most = min(room_blocks(tuning), MOST_BLOCKS - run.blocks)
    if run.extended:
        return max(0, min(more, most))
    return more if more <= most else 0
