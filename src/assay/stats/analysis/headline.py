"""Which runs of a table with event numbers are the headline's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.model.doubt import Raised, raised
from assay.model.figures.measured import MeasuredRun
from assay.stats.replication.blocks import Key, geometric_mean, key_of

ENOUGH = 6
"""Blocks from which the exact interval is finite (at 95 %)."""
REPEATED, SHARE = 3, 20
"""An event number is no repeated one in fewer blocks, nor in fewer than one of so many."""
Cell = tuple[Key, int, str]
"""Block, event number and arm."""


@dataclass(frozen=True)
class Chosen:
    """The runs of the headline.

    Attributes:
        runs: Runs of equal work inside each block.
        events: Their event number; ``None`` where there are none, or where they vary from block to block.
        unpaired: Blocks that are in ``runs`` on no arm for want of a partner of equal events.
        doubts: What must be known of the choice.
    """

    runs: Sequence[MeasuredRun]
    events: int | None
    unpaired: int = 0
    doubts: tuple[Raised, ...] = ()


def choose(runs: Sequence[MeasuredRun], *, baseline: str, treatment: str) -> Chosen:
    """Return the runs at the largest event number that blocks enough hold on both arms.

    That is 6 blocks; where no number has them, the one that most blocks hold, the largest of those. Where
    event numbers vary from block to block, so that none is repeated, all that a block holds on both arms
    count, each event number as much as another; where no block holds one on both arms, those at the largest
    of both arms.
    """
    held = _cells(runs, (baseline, treatment))
    if not held:
        return Chosen([run for run in runs if run.events is None], None)
    paired = sorted(
        {(key, n) for key, n, _ in held if all((key, n, arm) in held for arm in (baseline, treatment))}
    )
    counts = Counter(events for _, events in paired)
    blocks = {key for key, _ in paired}
    if paired and _vary(counts, len(blocks)):
        all_blocks = {key for key, _, _ in held}
        kept = [_one(held[key, n, arm]) for key, n in paired for arm in (baseline, treatment)]
        return Chosen(kept, None, len(all_blocks) - len(blocks), (_doubt(counts),))
    events = _largest(counts) if paired else _of_both(held, baseline, treatment)
    return Chosen([run for run in runs if events is not None and run.events == events], events)


def _cells(runs: Sequence[MeasuredRun], arms: Sequence[str]) -> dict[Cell, list[MeasuredRun]]:
    held: dict[Cell, list[MeasuredRun]] = {}
    for run in runs:
        if run.arm in arms and run.events is not None:
            held.setdefault((key_of(run), run.events, run.arm), []).append(run)
    return held


def _vary(counts: Counter[int], blocks: int) -> bool:
    most = max(counts.values())
    return most < min(ENOUGH, blocks) and (most < REPEATED or most * SHARE < blocks)


def _largest(counts: Counter[int]) -> int:
    enough = min(ENOUGH, max(counts.values()))
    return max(events for events, count in counts.items() if count >= enough)


def _of_both(held: dict[Cell, list[MeasuredRun]], baseline: str, treatment: str) -> int | None:
    numbers = [{events for _, events, of in held if of == arm} for arm in (baseline, treatment)]
    return max(numbers[0] & numbers[1], default=None)


def _one(runs: Sequence[MeasuredRun]) -> MeasuredRun:
    """Return one run for several of one block, arm and event number: each event number counts once."""
    return runs[0] if len(runs) == 1 else replace(runs[0], value=geometric_mean([run.value for run in runs]))


def _doubt(counts: Counter[int]) -> Raised:
    return raised("events-vary", least=min(counts), most=max(counts))
