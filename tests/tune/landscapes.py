"""Landscapes whose truth is known: the logarithm of each configuration, and noise."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from assay.tune.outcome import Outcome
from assay.tune.search import Ask, Search, Wanted
from assay.tune.space import Space, TunedFactor

TEN = (2,) * 6 + (3,) * 4


def space_of(counts: tuple[int, ...], **more: object) -> Space:
    factors = tuple(TunedFactor(f"f{at}", tuple(range(count))) for at, count in enumerate(counts))
    return Space(factors, **more)  # type: ignore[arg-type]


Truth = Callable[[tuple[int, ...]], float]


def added(effects: Mapping[tuple[int, int], float]) -> Truth:
    """Return a landscape in which each level adds what it does (log units), by factor and level."""
    return lambda config: sum(effects.get(place, 0.0) for place in enumerate(config))


def run(search: Search, truth: Truth, *, noise: float, seed: int = 1, rate: bool = False) -> Outcome:
    """Answer all questions of a search."""
    rng = np.random.default_rng(seed)
    while (ask := search.ask()) is not None:
        value = 100 * math.exp(truth(ask.config) + rng.normal(0, noise))
        search.tell(1e4 / value if rate else value)
    return search.outcome()


def asked(search: Search) -> list[Ask]:
    return [one.ask for one in search.told]


def searched(
    counts: tuple[int, ...], truth: Truth, wanted: Wanted, *, noise: float = 0.02, seed: int = 1
) -> Search:
    search = Search(space_of(counts), wanted, seed=seed)
    run(search, truth, noise=noise, seed=seed)
    return search
