"""Are arm and order one? Then what drifts over time is taken for loss."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

from assay.model.doubt import Raised, raised
from assay.model.figures.measured import MeasuredRun
from assay.stats.replication.blocks import Key, key_of

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
Group = Callable[[MeasuredRun], Hashable]
GROUPS: Mapping[str, Group] = {"machine": lambda run: run.machine, "session": lambda run: key_of(run)[:2]}
"""What shares a clock, or a stretch of time, by its name."""


def order_doubts(runs: Sequence[MeasuredRun], *, baseline: str, treatment: str) -> Iterator[Raised]:
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
    if any(run.order is None for run in runs):
        return
    held = _of_whole_blocks(runs, (baseline, treatment))
    if not held:
        return
    doubt = _apart(held, baseline, treatment) or _begun(held, baseline, treatment)
    if doubt is not None:
        yield doubt


def share_before(some: Sequence[MeasuredRun], others: Sequence[MeasuredRun]) -> float:
    """Return the share of pairs in which one of some runs comes before one of the others; at once counts
    half.
    """
    ordered = sorted(run.order or 0.0 for run in others)
    places = [run.order or 0.0 for run in some]
    after = sum(2 * len(ordered) - bisect_left(ordered, at) - bisect_right(ordered, at) for at in places)
    return after / (2 * len(ordered) * len(places))


def _of_whole_blocks(runs: Sequence[MeasuredRun], arms: tuple[str, str]) -> list[MeasuredRun]:
    held = [run for run in runs if run.arm in arms]
    arms_by_block: dict[Key, set[str]] = defaultdict(set)
    for run in held:
        arms_by_block[key_of(run)].add(run.arm)
    return [run for run in held if len(arms_by_block[key_of(run)]) == 2]


def _groups(runs: Sequence[MeasuredRun], group: Group) -> list[list[MeasuredRun]]:
    groups: dict[Hashable, list[MeasuredRun]] = defaultdict(list)
    for run in runs:
        groups[group(run)].append(run)
    return list(groups.values())


def _first(held: Sequence[MeasuredRun], arm: str) -> float:
    """Return in what share of the pairs of a group an arm came first."""
    ours = [run for run in held if run.arm == arm]
    return share_before(ours, [run for run in held if run.arm != arm])


def _apart(runs: Sequence[MeasuredRun], baseline: str, treatment: str) -> Raised | None:
    """Return that the arms are apart in time; ``None`` where they are not."""
    for what, group in GROUPS.items():
        held = [one for one in _groups(runs, group) if len({key_of(run) for run in one}) >= SEVERAL]
        if 2 * sum(map(len, held)) <= len(runs):
            continue
        for first, second in ((baseline, treatment), (treatment, baseline)):
            shares = [_first(one, first) for one in held]
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


def _begun(runs: Sequence[MeasuredRun], baseline: str, treatment: str) -> Raised | None:
    """Return that nearly all blocks begin with the same arm; ``None`` where they do not."""
    shares = [share for one in _groups(runs, key_of) if (share := _first(one, baseline)) != 0.5]
    ours = sum(share > 0.5 for share in shares)
    often, first = max((ours, baseline), (len(shares) - ours, treatment))
    if (
        len(shares) < FEWEST_BLOCKS
        or often < NEARLY_ALL * len(shares)
        or _chance(often, len(shares)) >= SURPRISE
    ):
        return None
    return raised("order-confounded", case="first", first=first, often=often, blocks=len(shares))


def _chance(often: int, of: int) -> float:
    """Return the chance that one of two equally likely sides comes up so often or oftener."""
    from scipy.special import bdtrc

    return 2 * float(bdtrc(often - 1, of, 0.5))
