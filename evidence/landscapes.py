"""Landscapes of settings whose best is known: six factors of two levels, four of three; 5,184 in all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from assay.tune.coding import Coding, coding_of
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
NOTHING = Family("no effect at all", active=0.0, pairs=0.0)
SHORT_SHARE, SHORT_BIAS = 0.12, 0.3
"""What a short evaluation costs of a full one, and how far its effects are off, as a share of them."""


@cache
def ten() -> Space:
    """Return the space of all families; the default is the first level of each factor."""
    return Space(tuple(TunedFactor(f"f{at}", tuple(range(count))) for at, count in enumerate(COUNTS)))


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
