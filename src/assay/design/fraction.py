"""Which combinations of ablations are run: all of them, or a regular fraction of all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from math import inf

Row = tuple[bool, ...]
"""One run: for each ablation whether it is on."""

MOST_ABLATIONS = 8

_GENERATORS: dict[int, tuple[tuple[int, ...], ...]] = {
    4: ((0, 1, 2),),
    5: ((0, 1, 2, 3),),
    6: ((0, 1, 2), (1, 2, 3)),
    7: ((0, 1, 2), (1, 2, 3), (0, 2, 3)),
    8: ((1, 2, 3), (0, 2, 3), (0, 1, 2), (0, 1, 3)),
}
"""Ablations whose exclusive or each further ablation is: 4 = 123, 5 = 1234, 5 = 123 and 6 = 234, …

Source: G. E. P. Box, W. G. Hunter, J. S. Hunter, "Statistics for Experimenters" (1978), table 12.15. Of the
fractions that the signs in it allow, the exclusive or picks the one that holds the run with all ablations
off.
"""


@dataclass(frozen=True)
class Fraction:
    """A two-level plan.

    Attributes:
        ablations: Number of ablations k, 1 to 8.
        rows: Its runs, 2^(k-p) of them, each once; the first has all ablations off.
        words: The defining relation: sets of ablations (from 0) whose product is constant over all rows;
            empty for a full plan.
    """

    ablations: int
    rows: tuple[Row, ...]
    words: tuple[frozenset[int], ...]

    @property
    def resolution(self) -> float:
        """Length of the shortest word; infinite for a full plan.

        At least 4 means that no effect of a single ablation is mixed with that of another or of a pair.
        """
        return min(map(len, self.words), default=inf)


def fraction(ablations: int) -> Fraction:
    """Return the plan of so many ablations: all 2^k runs up to three, else a fraction of resolution IV or
    more.

    Four ablations take 8 runs, five to eight take 16.

    Args:
        ablations: 1 to 8.

    Raises:
        ValueError: Another number of ablations.

    Source:
        Box, Hunter, Hunter, "Statistics for Experimenters" (1978), chapter 12 and table 12.15.

    Limits:
        From four ablations on, effects of three ablations at once are mixed with those of single ones (of
        five: with pairs) and are taken to be nothing.
    """
    if not 1 <= ablations <= MOST_ABLATIONS:
        msg = f"a plan has 1 to {MOST_ABLATIONS} ablations, got {ablations}"
        raise ValueError(msg)
    generators = _GENERATORS.get(ablations, ())
    free = product((False, True), repeat=ablations - len(generators))
    rows = tuple((*row, *(_exclusive_or(row, generator) for generator in generators)) for row in free)
    return Fraction(ablations, rows, tuple(_words(ablations - len(generators), generators)))


def aliases(plan: Fraction, order: int = 2) -> tuple[tuple[frozenset[int], ...], ...]:
    """Return the groups of effects that a plan cannot tell apart, each with at least two members.

    Args:
        plan: The plan.
        order: Largest number of ablations in an effect that is looked at.
    """
    groups: dict[frozenset[frozenset[int]], list[frozenset[int]]] = defaultdict(list)
    for size in range(order + 1):
        for effect in map(frozenset, combinations(range(plan.ablations), size)):
            groups[frozenset(effect ^ word for word in (frozenset[int](), *plan.words))].append(effect)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def _exclusive_or(row: Row, generator: tuple[int, ...]) -> bool:
    return sum(row[ablation] for ablation in generator) % 2 == 1


def _words(free: int, generators: tuple[tuple[int, ...], ...]) -> Iterator[frozenset[int]]:
    """Yield all products of the generating words."""
    generating = [frozenset((*generator, free + at)) for at, generator in enumerate(generators)]
    for size in range(1, len(generating) + 1):
        for chosen in combinations(generating, size):
            word = frozenset[int]()
            for one in chosen:
                word ^= one
            yield word
