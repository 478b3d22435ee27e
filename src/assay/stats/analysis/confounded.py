"""Are arm and order one? Then what drifts over time is taken for loss."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.model.doubt import Raised, raised
from assay.model.figures.coded import distinct
from assay.model.figures.measured import Blocks, MeasuredRuns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Places = NDArray[np.intp]
    Mask = NDArray[np.bool_]

APART = 0.90
"""Share of the pairs of a baseline run and a treatment run in which the same arm came first, from which the
arms are apart.
"""
SEVERAL = 2
"""Blocks of a session for its arms to be apart: in a single one either must come first."""
FEWEST_BLOCKS = 6
"""Below, even the same arm first in every block is no surprise (1 in 32 with six)."""
SURPRISE = 0.05
"""Chance below which blocks of a random order begin so often with the same arm."""
NEARLY_ALL = 0.80
"""Share of blocks that begin with the same arm, below which the order still balances most of a drift."""
GROUPS = ("machine", "session")
"""What shares a clock, or a stretch of time."""


def order_doubts(runs: MeasuredRuns, *, baseline: str, treatment: str) -> Iterator[Raised]:
    """Yield that arm and order are one, as far as runs tell their order; nothing where one does not.

    The arms are apart where in each machine, or in each session, nearly all runs of the one come before
    nearly all of the other, the same one in all of them. Else the blocks are counted that begin with the same
    arm, by the pairs of runs inside a block (an arm that comes first and last begins none), and held against
    chance by a sign test.

    Args:
        runs: Of equal work; both arms in each block that counts.
        baseline: Arm that the loss is measured against.
        treatment: Arm whose loss is measured.

    Source:
        H. B. Mann, D. R. Whitney, Ann. Math. Statist. 18 (1947) 50-60: the share of pairs. W. J. Dixon, A. M.
        Mood, "The statistical sign test", JASA 41 (1946) 557-566.

    Limits:
        It tells that a drift would be in the loss, not that there is one.
    """
    import numpy as np

    if np.isnan(runs.order).any():
        return
    held = _of_whole_blocks(runs, baseline, treatment)
    if not len(held.block):
        return
    doubt = _apart(held, runs.blocks, baseline, treatment) or _begun(held, baseline, treatment)
    if doubt is not None:
        yield doubt


@dataclass(frozen=True, eq=False)
class _Held:
    """Runs of the blocks that hold both arms, in the order of time; columns of one length.

    Attributes:
        order: Position in time, shape (runs,).
        ours: Whether it is one of the baseline.
        block: Place of its block.
    """

    order: Numbers
    ours: Mask
    block: Places


def first_pairs(order: Numbers, ours: Mask, groups: Places) -> tuple[Places, Places]:
    """Count the pairs of one of our runs and one of the others, and those in which ours came first.

    Args:
        order: Position of each run in time, ascending, shape (runs,).
        ours: Whether it is one of ours.
        groups: The group of each, 0 and up; runs of two groups are no pair.

    Returns:
        Of each group twice the pairs in which ours came first, runs at once counted half, and twice all of
        its pairs; whole numbers, shape (groups,).
    """
    import numpy as np

    rows = np.argsort(groups, kind="stable")
    group, at, mine = groups[rows], order[rows], ours[rows]
    count = int(group[-1]) + 1
    others = np.concatenate([[0], np.cumsum(~mine)])  # how many of them come before each row, and in all
    begins = np.concatenate([[True], (group[1:] != group[:-1]) | (at[1:] != at[:-1])])
    bounds = np.append(np.flatnonzero(begins), len(rows))
    moment, of = np.cumsum(begins)[mine], group[mine]  # from 1 on: runs at once share one
    last = others[np.searchsorted(group, np.arange(count), side="right")]
    after = 2 * last[of] - others[bounds[moment - 1]] - others[bounds[moment]]
    first = np.bincount(of, after, minlength=count).astype(np.intp)  # below 2^53: exact
    sizes = np.bincount(group, minlength=count)
    here = np.bincount(of, minlength=count)
    return first, 2 * here * (sizes - here)


def _of_whole_blocks(runs: MeasuredRuns, baseline: str, treatment: str) -> _Held:
    import numpy as np

    ours, theirs = runs.arm.equal(baseline), runs.arm.equal(treatment)
    held = [np.bincount(runs.block[rows], minlength=len(runs.blocks)) > 0 for rows in (ours, theirs)]
    rows = np.flatnonzero((ours | theirs) & (held[0] & held[1])[runs.block])
    rows = rows[np.argsort(runs.order[rows], kind="stable")]
    return _Held(runs.order[rows], ours[rows], runs.block[rows])


def _groups(blocks: Blocks, what: str) -> Places:
    """Return the group of each block, from 0 on."""
    machines, sessions = len(blocks.machine.values), len(blocks.session.values)
    if what == "machine":
        return distinct(blocks.machine.codes, machines)[1]
    return distinct(blocks.sessions, machines * sessions)[1]


def _apart(runs: _Held, blocks: Blocks, baseline: str, treatment: str) -> Raised | None:
    """Return that the arms are apart in time; ``None`` where they are not."""
    import numpy as np

    present = np.bincount(runs.block, minlength=len(blocks)) > 0
    for what in GROUPS:
        group = _groups(blocks, what)
        several = np.bincount(group[present], minlength=int(group.max()) + 1) >= SEVERAL
        held = several[group[runs.block]]
        if 2 * int(held.sum()) <= len(held):
            continue
        before, pairs = first_pairs(runs.order[held], runs.ours[held], group[runs.block[held]])
        whole = pairs > 0
        for first, second, counted in (
            (baseline, treatment, before[whole]),
            (treatment, baseline, (pairs - before)[whole]),
        ):
            shares = (counted / pairs[whole]).tolist()
            if min(shares) >= APART:
                return _apart_doubt(first, second, shares, what)
    return None


def _apart_doubt(first: str, second: str, shares: Sequence[float], what: str) -> Raised:
    return raised(
        "order-confounded",
        case="apart",
        first=first,
        second=second,
        share=min(shares),
        groups=len(shares),
        group=what,
    )


def _begun(runs: _Held, baseline: str, treatment: str) -> Raised | None:
    """Return that nearly all blocks begin with the same arm; ``None`` where they do not."""
    before, pairs = first_pairs(runs.order, runs.ours, runs.block)
    ours, theirs = int((2 * before > pairs).sum()), int((2 * before < pairs).sum())
    blocks = ours + theirs
    often, first = max((ours, baseline), (theirs, treatment))
    if blocks < FEWEST_BLOCKS or often < NEARLY_ALL * blocks or _chance(often, blocks) >= SURPRISE:
        return None
    return raised("order-confounded", case="first", first=first, often=often, blocks=blocks)


def _chance(often: int, of: int) -> float:
    """Return the chance that one of two equally likely sides comes up so often or oftener."""
    from scipy.special import bdtrc

    return 2 * float(bdtrc(often - 1, of, 0.5))
