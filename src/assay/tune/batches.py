"""Several configurations at once: what is evaluated in one block, beside the default."""

from __future__ import annotations

from assay.tune.search import Ask, Search, Told
from assay.tune.space import Configs

TRIES = 8
"""Draws for each place of a batch; what is in it already is not taken again."""


def next_batch(search: Search, most: int) -> list[tuple[int, ...]]:
    """Return the configurations to evaluate next, beside the default; empty where the search is over.

    Args:
        search: What was told so far (``tell_batch``).
        most: How many at most; no more than the budget leaves beside the default itself.

    Source:
        For several draws of one posterior K. Kandasamy et al., "Parallelised Bayesian optimisation via
        Thompson sampling", AISTATS 2018.
    """
    left = search.for_search - len(search.told) - 1
    pool = search.pool()
    if left < 1 or len(pool) == 1 or (search.told and search.is_known()):
        return []
    wanted = min(most, left, len(pool) - 1)
    found = _most_telling(search, pool, wanted) if len(search.told) < search.start else []
    return found or _drawn(search, pool, wanted)


def tell_batch(
    search: Search, values: list[tuple[tuple[int, ...], float | None]], *, fidelity: int = 0
) -> None:
    """Say what the configurations of a batch gave, the default among them, in the order of time.

    Args:
        search: The search.
        values: Each configuration with its value; ``None`` where it failed.
        fidelity: Number of the fidelity at which all of them were evaluated.
    """
    for config, value in values:
        search.told.append(Told(Ask(len(search.told) + 1, config, fidelity), value))


def _most_telling(search: Search, pool: Configs, wanted: int) -> list[tuple[int, ...]]:
    """Return the configurations of which least is known, each as if those before were evaluated."""
    import numpy as np

    known = search.known()
    rows = [int(np.flatnonzero((pool == search.space.default).all(axis=1))[0])]
    spread, told = known.spread(pool), np.zeros((len(pool), 0))
    for _ in range(wanted):
        last = rows[-1]
        along = known.covariance(pool, pool[last : last + 1])[:, 0] - told @ told[last]
        along /= np.sqrt(known.noise**2 + max(0.0, along[last]))
        told, spread = np.column_stack([told, along]), spread - along**2
        left = spread.copy()
        left[rows] = -1.0
        best = np.flatnonzero(left >= left.max() * (1 - 1e-9))
        rows.append(int(search.rng.choice(best)))
    return [_config(pool, row) for row in rows[1:]]


def _drawn(search: Search, pool: Configs, wanted: int) -> list[tuple[int, ...]]:
    """Return the best configurations of so many possible truths, each once, without the default."""
    found: list[tuple[int, ...]] = []
    for drawn in search.known().draws(pool, TRIES * wanted, search.rng):
        config = _config(pool, int(drawn.argmin()))
        if config not in found and config != search.space.default:
            found.append(config)
        if len(found) == wanted:
            break
    return found


def _config(pool: Configs, row: int) -> tuple[int, ...]:
    return tuple(int(level) for level in pool[row])
