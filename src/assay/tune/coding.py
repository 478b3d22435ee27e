"""Configurations as numbers that a linear model takes: contrasts of each factor, and of each pair."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

from assay.tune.space import Configs, Space

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Numbers: TypeAlias = "NDArray[np.float64]"
MOST_COLUMNS = 600
"""More coefficients than these take a step over a second, and no budget tells them."""


@dataclass(frozen=True)
class Coding:
    """How configurations of a space are coded.

    Attributes:
        space: The space.
        groups: The factors that each group of columns is of: one alone, then each pair, if any.
        group_of: Group of each column.
    """

    space: Space
    groups: tuple[tuple[int, ...], ...]
    group_of: tuple[int, ...]

    @property
    def has_all_pairs(self) -> bool:
        """Tell whether every pair of factors is coded."""
        count = len(self.space.factors)
        return len(self.groups) == count + math.comb(count, 2)

    @property
    def mains(self) -> int:
        """Return the number of columns of factors alone; they come first."""
        return sum(count - 1 for count in self.space.counts)

    def columns(self, configs: Configs) -> Numbers:
        """Return one row a configuration; over all levels each column has mean 0 and mean square 1."""
        import numpy as np

        alone = [contrasts(count)[configs[:, at]] for at, count in enumerate(self.space.counts)]
        parts = [
            alone[group[0]] if len(group) == 1 else _products(alone[group[0]], alone[group[1]])
            for group in self.groups
        ]
        return np.concatenate(parts, axis=1)


def coding_of(space: Space) -> Coding:
    """Return the coding of a space: its factors, and all pairs of them where these are not too many."""
    places = range(len(space.factors))
    pairs = list(combinations(places, 2))
    alone = [(at,) for at in places]
    few = sum(_width(space, group) for group in (*alone, *pairs)) <= MOST_COLUMNS
    groups: tuple[tuple[int, ...], ...] = (*alone, *(pairs if few else ()))
    widths = [_width(space, group) for group in groups]
    return Coding(space, groups, tuple(at for at, width in enumerate(widths) for _ in range(width)))


def _width(space: Space, group: tuple[int, ...]) -> int:
    return math.prod(space.counts[at] - 1 for at in group)


def _products(one: Numbers, other: Numbers) -> Numbers:
    return (one[:, :, None] * other[:, None, :]).reshape(len(one), -1)


def contrasts(levels: int) -> Numbers:
    """Return Helmert's contrasts of so many levels: a row a level, columns that are orthogonal to each other
    and to the mean, of mean square 1.
    """
    import numpy as np

    found = np.zeros((levels, levels - 1))
    for column in range(levels - 1):
        found[: column + 1, column] = 1.0
        found[column + 1, column] = -(column + 1.0)
    scaled: Numbers = found / np.sqrt((found**2).mean(axis=0))
    return scaled
