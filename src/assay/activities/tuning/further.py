"""Further blocks of a confirmation that shows a gain, but not that the rest of the mix is unharmed."""

from __future__ import annotations

from dataclasses import replace

from assay.activities.tuning.time_taken import room_blocks
from assay.design.stopping import decides_from
from assay.model.errors import AssayError
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


def with_further(tuning: Tuning, blocks: int) -> Tuning:
    """Return a search with further blocks of its confirmation begun, which is its last activity then.

    Args:
        tuning: The search.
        blocks: How many, 1 or more.

    Raises:
        AssayError: Something of it is left to run, or the mix of no change-set is undecided.
    """
    if not tuning.over:
        msg = f"cannot extend the confirmation of search {tuning.id}: it has not ended"
        raise AssayError(msg, hint=f"assay tune resume {tuning.id}")
    if not any(one.undecided for one in tuning.found):
        msg = f"cannot extend the confirmation of search {tuning.id}: no change-set of it is undecided"
        raise AssayError(msg, hint=f"assay tune show {tuning.id}")
    return extended(tuning, blocks)


def extended(tuning: Tuning, blocks: int) -> Tuning:
    """Return a search whose confirmation has begun to be extended, which is its last activity then."""
    run = next(run for run in tuning.runs if run.kind == "confirm")
    others = tuple(one for one in tuning.runs if one is not run)
    run = replace(run, blocks=run.blocks + blocks, extended=run.extended + blocks, state="begun")
    return replace(tuning, state="begun", runs=(*others, run))
