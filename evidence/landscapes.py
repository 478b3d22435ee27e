"""Landscapes of settings whose best is known: six factors of two levels and four of three, 5,184 in all; and
twenty of three, 3.5 billion, of which the best of sixty descents stands for the best.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from assay.tune.coding import Coding, coding_of, contrasts
from assay.tune.space import Configs, Space, TunedFactor

COUNTS = (2,) * 6 + (3,) * 4
Config = tuple[int, ...]


@dataclass(frozen=True)
class Family:
    """How landscapes of a family are drawn; log units.

    Attributes:
        name: What it is called.
        active: Share of the factors that do something.
        main: Standard deviation of the effect of a level.
        pairs: Share of the pairs that do something together.
        together: Variance of what pairs do, over that of single factors.
        noise: Standard deviation of an evaluation.
        drift: Of what lasts (autoregressive, 0.9 from one evaluation to the next).
        outliers: Share of evaluations that take a quarter longer.
    """

    name: str
    active: float = 0.7
    main: float = 0.04
    pairs: float = 0.35
    together: float = 0.3
    noise: float = 0.02
    drift: float = 0.0
    outliers: float = 0.0


STANDARD = Family("standard")
FAMILIES = (
    STANDARD,
    Family("strong interactions", pairs=0.6, together=1.0),
    Family("drift of 1.5 %", drift=0.015),
    Family("outliers 5 %", outliers=0.05),
    Family("little noise", noise=0.005),
)
LARGE = (
    Family("20 factors, few at work", active=0.4, pairs=0.05, together=0.5),
    Family("20 factors, many together", active=0.7, pairs=0.25, together=0.5),
)
NOTHING = Family("no effect at all", active=0.0, pairs=0.0)
SHORT_SHARE, SHORT_BIAS = 0.12, 0.3
"""What a short evaluation costs of a full one, and how far its effects are off, as a share of them."""


@cache
def ten() -> Space:
    """Return the space of all families; the default is the first level of each factor."""
    return Space(tuple(TunedFactor(f"f{at}", tuple(range(count))) for at, count in enumerate(COUNTS)))


@cache
def twenty() -> Space:
    """Return the space of large landscapes."""
    return Space(tuple(TunedFactor(f"f{at}", (0, 1, 2)) for at in range(20)))


@cache
def _coded() -> tuple[Coding, Configs, NDArray[np.float64]]:
    coding = coding_of(ten())
    configs = ten().candidates(np.random.default_rng(0))
    return coding, configs, coding.columns(configs)


class Landscape:
    """One landscape: the truth of each configuration, and evaluations of it.

    Args:
        family: How it is drawn.
        seed: Of what is drawn.
    """

    def __init__(self, family: Family, seed: int) -> None:
        self.space = ten()
        self._family, self._rng = family, np.random.default_rng(seed)
        coding, configs, columns = _coded()
        effects = self._effects(coding)
        short = effects * (1 + SHORT_BIAS * self._rng.standard_normal(len(effects)))
        self._places = {tuple(map(int, config)): at for at, config in enumerate(configs)}
        self._truth = np.array([columns @ effects, 0.4 + columns @ short])
        self._lasting = 0.0

    @property
    def best(self) -> float:
        """Return the logarithm of the best configuration."""
        return float(self._truth[0].min())

    def truth(self, config: Config) -> float:
        """Return the logarithm of a configuration."""
        return float(self._truth[0][self._places[config]])

    def evaluate(self, config: Config, *, short: bool = False) -> float:
        """Return the value that an evaluation gives now."""
        family, rng = self._family, self._rng
        self._lasting = 0.9 * self._lasting + family.drift * np.sqrt(1 - 0.81) * rng.standard_normal()
        log = (
            self._truth[int(short)][self._places[config]]
            + self._lasting
            + family.noise * rng.standard_normal()
        )
        late = 1.25 if rng.random() < family.outliers else 1.0
        return float(100 * late * np.exp(log))

    def _effects(self, coding: Coding) -> NDArray[np.float64]:
        family, rng, group_of = self._family, self._rng, np.array(coding.group_of)
        single = np.arange(len(group_of)) < coding.mains
        share = np.array([family.active if len(group) == 1 else family.pairs for group in coding.groups])
        at_work = (rng.random(len(coding.groups)) < share)[group_of]
        drawn = rng.standard_normal(len(group_of)) * at_work * family.main
        ours, theirs = np.sum(drawn[single] ** 2), np.sum(drawn[~single] ** 2)
        if theirs:
            drawn[~single] *= np.sqrt(family.together * ours / theirs)
        return drawn


DESCENTS = 60


class LargeLandscape:
    """A landscape of twenty factors of three levels.

    Args:
        family: How it is drawn; its drift and outliers are none.
        seed: Of what is drawn.
    """

    def __init__(self, family: Family, seed: int) -> None:
        self.space = twenty()
        self._family, self._rng = family, np.random.default_rng(seed)
        rng, levels, count = self._rng, contrasts(3), len(self.space.factors)
        at_work = rng.random(count) < family.active
        self._single = np.where(at_work[:, None], rng.normal(0, family.main, (count, 2)) @ levels.T, 0.0)
        together = [pair for pair in combinations(range(count), 2) if rng.random() < family.pairs]
        drawn = [levels @ rng.normal(0, family.main, (2, 2)) @ levels.T for _ in together]
        ours, theirs = float(np.sum(self._single**2)) / 3, sum(float(np.mean(one**2)) for one in drawn)
        size = np.sqrt(family.together * ours / theirs) if theirs else 0.0
        self._pairs = {pair: size * one for pair, one in zip(together, drawn, strict=True)}
        self.best = min(self._descent() for _ in range(DESCENTS))

    def truth(self, config: Config) -> float:
        """Return the logarithm of a configuration."""
        alone = sum(self._single[at, level] for at, level in enumerate(config))
        return float(alone + sum(one[config[a], config[b]] for (a, b), one in self._pairs.items()))

    def evaluate(self, config: Config, *, short: bool = False) -> float:
        """Return the value that an evaluation gives now."""
        del short
        return float(100 * np.exp(self.truth(config) + self._family.noise * self._rng.standard_normal()))

    def _descent(self) -> float:
        """Return the logarithm that no change of a single level makes smaller, from somewhere."""
        config = tuple(map(int, self._rng.integers(0, 3, len(self.space.factors))))
        value, better = self.truth(config), True
        while better:
            better = False
            for at in range(len(config)):
                for level in range(3):
                    other = (*config[:at], level, *config[at + 1 :])
                    if (there := self.truth(other)) < value - 1e-12:
                        config, value, better = other, there, True
        return value
