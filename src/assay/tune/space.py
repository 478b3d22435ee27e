"""What may be changed: factors with their levels, and combinations that are left out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Configs: TypeAlias = "NDArray[np.int16]"
"""One row a configuration, one column a factor: the number of its level."""
Level = str | int | float | bool
MOST_CONFIGS = 8_000
"""Of a larger space so many are looked at in a step, drawn anew each time."""


@dataclass(frozen=True)
class TunedFactor:
    """A factor and its levels.

    Attributes:
        name: Its name.
        levels: Two or more, no two of them the same.
        default: Number of the level that stands without a change.
        cost: What a change of it costs beside others', any unit, 0 or more.
    """

    name: str
    levels: tuple[Level, ...]
    default: int = 0
    cost: float = 0.0


@dataclass(frozen=True)
class Space:
    """All combinations of levels but those that are left out.

    Attributes:
        factors: At least one.
        exclude: Parts of combinations, level by factor (both as numbers): what holds all of one is left out.
            The default is in none.
    """

    factors: tuple[TunedFactor, ...]
    exclude: tuple[Mapping[int, int], ...] = ()

    @property
    def default(self) -> tuple[int, ...]:
        """Return the numbers of the levels that stand without a change."""
        return tuple(factor.default for factor in self.factors)

    @property
    def counts(self) -> tuple[int, ...]:
        """Return the number of levels of each factor."""
        return tuple(len(factor.levels) for factor in self.factors)

    @property
    def size(self) -> int:
        """Return the number of combinations, those that are left out too."""
        return math.prod(self.counts)

    def levels(self, config: tuple[int, ...]) -> dict[str, Level]:
        """Return the level of each factor by its name."""
        return {factor.name: factor.levels[at] for factor, at in zip(self.factors, config, strict=True)}

    def allowed(self, configs: Configs) -> NDArray[np.bool_]:
        """Tell of each configuration whether it is none of those that are left out."""
        import numpy as np

        out = np.zeros(len(configs), dtype=np.bool_)
        for part in self.exclude:
            columns, levels = list(part), list(part.values())
            out |= (configs[:, columns] == levels).all(axis=1)
        return ~out

    def candidates(self, rng: np.random.Generator, known: Configs | None = None) -> Configs:
        """Return the configurations to look at: all of a small space, else some and the neighbours of others.

        Args:
            rng: Draws those of a large space.
            known: Configurations of which those that differ in one or two factors are looked at, too.
        """
        import numpy as np

        if self.size <= MOST_CONFIGS:
            found = np.indices(self.counts, dtype=np.int16).reshape(len(self.factors), -1).T
            return found[self.allowed(found)]
        drawn = rng.integers(0, self.counts, size=(MOST_CONFIGS // 2, len(self.factors)), dtype=np.int16)
        parts = [np.array([self.default], dtype=np.int16), drawn]
        if known is not None and len(known):
            near = np.repeat(known, -(-(MOST_CONFIGS // 2) // len(known)), axis=0)
            for _ in range(2):
                column = rng.integers(0, len(self.factors), size=len(near))
                level = rng.integers(0, np.array(self.counts)[column])
                near[np.arange(len(near)), column] = level
            parts += [known, near]
        found = np.unique(np.concatenate(parts), axis=0)
        return found[self.allowed(found)]
