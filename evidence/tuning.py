"""Which settings pay: how often the search finds them, beside other ways, on landscapes that are known."""

from __future__ import annotations

import math
import os
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from assay.tune.batches import next_batch, tell_batch
from assay.tune.change_set import smallest
from assay.tune.outcome import outcome_of
from assay.tune.search import Search, Wanted
from evidence.landscapes import (
    COUNTS,
    FAMILIES,
    LARGE,
    NOTHING,
    SHORT_SHARE,
    STANDARD,
    Config,
    Family,
    Landscape,
    LargeLandscape,
    ten,
)
from evidence.page import Figures, Page

SEED, CAMPAIGNS, FEWER, LARGE_ONES = 71, 100, 50, 40
BUDGET, SHORT_COST, PAIRS, STEP = 96, 20, 8, 7
WITHIN = math.log(1.01)
DEFAULT: Config = (0,) * len(COUNTS)
Land = Landscape | LargeLandscape
CONFIRMED, ALONE, SHORT, NO_FALSE, OVERSTATED = 0.70, 0.82, 0.50, 0.95, 0.003


@dataclass(frozen=True)
class Found:
    """What a way of searching ends with.

    Attributes:
        config: What it recommends.
        gain: The gain that it claims.
        slowest_s: Its longest step; 0 where it was not looked at.
    """

    config: Config
    gain: float
    slowest_s: float = 0.0


Way = Callable[[Land, int], Found]


def page() -> Page:
    """All families by the search, and the standard one by the others."""
    cases: list[tuple[str, Family, Way, int]] = [
        ("assay, confirmed", family, ours, CAMPAIGNS if family is STANDARD else FEWER) for family in FAMILIES
    ]
    cases += [
        ("assay, confirmed", NOTHING, ours, CAMPAIGNS),
        (f"assay, in steps of {STEP}", STANDARD, in_steps, CAMPAIGNS),
        (f"assay, in steps of {STEP}", NOTHING, in_steps, CAMPAIGNS),
        ("assay, not confirmed", STANDARD, partial(ours, confirm=False), CAMPAIGNS),
        ("assay, not confirmed", NOTHING, partial(ours, confirm=False), CAMPAIGNS),
        (f"assay, short ones first, cost of {SHORT_COST}", STANDARD, short_first, CAMPAIGNS),
        ("Optuna, TPE multivariate", STANDARD, partial(optuna, multivariate=True), FEWER),
        ("Optuna, TPE", STANDARD, partial(optuna, multivariate=False), FEWER),
        ("random, confirmed", STANDARD, at_random, CAMPAIGNS),
        ("one factor at a time", STANDARD, one_at_a_time, CAMPAIGNS),
    ]
    for family in LARGE:
        cases += [
            ("assay, not confirmed", family, partial(ours, confirm=False), LARGE_ONES),
            ("Optuna, TPE multivariate", family, partial(optuna, multivariate=True), LARGE_ONES),
        ]
    rows = [_row(*case) for case in cases]
    by = {(str(row["way"]), str(row["family"])): row for row in rows}
    standard = by["assay, confirmed", STANDARD.name]
    held = {
        f"confirmed within {BUDGET} evaluations: the best to 1 % in at least {CONFIRMED:.0%}": standard[
            "within"
        ]
        >= CONFIRMED,
        f"not confirmed: in at least {ALONE:.0%}": by["assay, not confirmed", STANDARD.name]["within"]
        >= ALONE,
        f"with short ones, at the cost of {SHORT_COST} full ones: in at least {SHORT:.0%}": by[
            f"assay, short ones first, cost of {SHORT_COST}", STANDARD.name
        ]["within"]
        >= SHORT,
        "the gain is overstated by less than 0.3 points": standard["overstated"] < OVERSTATED,
        f"without any effect nothing is recommended in at least {NO_FALSE:.0%}": 1
        - by["assay, confirmed", NOTHING.name]["won"]
        >= NO_FALSE,
        f"not confirmed: without any effect nothing is recommended in at least {NO_FALSE:.0%}": 1
        - by["assay, not confirmed", NOTHING.name]["won"]
        >= NO_FALSE,
        f"in steps of {STEP}: in at least {CONFIRMED:.0%}": by[f"assay, in steps of {STEP}", STANDARD.name][
            "within"
        ]
        >= CONFIRMED,
        f"in steps of {STEP}: without any effect nothing is recommended in at least {NO_FALSE:.0%}": 1
        - by[f"assay, in steps of {STEP}", NOTHING.name]["won"]
        >= NO_FALSE,
        "a step takes less than a second": max(row["slowest_s"] for row in rows) < 1,
    }
    text = f"""
Six factors of two levels and four of three: 5,184 combinations. {CAMPAIGNS} landscapes a row ({FEWER} of the other families and of Optuna), seed {SEED},
{BUDGET} evaluations each, all included: start, repetitions of the default, confirmation. Standard: 70 % of the factors do something
(4 % a level), 35 % of the pairs do something together (30 % of the variance of single factors), noise of 2 %. *Within 1 %*: what is
recommended takes no more than 1 % longer than the best of all combinations. *Overstated*: the gain that is claimed less the true
one, where something is recommended; of Optuna and of one factor at a time the best value beside the default's. A short evaluation
costs {SHORT_SHARE:.0%} of a full one, and its effects are off by 30 % of themselves. *In steps*: as `assay tune SCENE` does, {STEP} configurations beside
the default at a time. *20 factors*: of three levels each, {LARGE_ONES} landscapes; few at work: 40 % of the factors and 5 % of the pairs, many together: 70 % and 25 %;
the best is the best of sixty descents.
"""  # noqa: E501
    shown = {
        "way": ("search", ""),
        "family": ("landscapes", ""),
        "within": ("within 1 %", ".0%"),
        "median": ("median above the best", ".1%"),
        "won": ("something recommended", ".0%"),
        "overstated": ("overstated", ".2%"),
        "slowest_s": ("longest step, s", ".2f"),
    }
    return Page("tuning", "Which settings pay", text, rows, shown, held)


def _row(name: str, family: Family, way: Way, campaigns: int) -> Figures:
    # one thread of the linear algebra for each process: matrices are small
    with ProcessPoolExecutor(os.cpu_count(), initializer=_alone) as pool:
        found = list(pool.map(partial(_campaign, family, way), range(SEED, SEED + campaigns)))
    above, overstated = np.array([one[0] for one in found]), [one[1] for one in found if one[1] is not None]
    return {
        "way": name,
        "family": family.name,
        "campaigns": campaigns,
        "within": float(np.mean(above <= WITHIN + 1e-12)),
        "median": float(np.expm1(np.median(above))),
        "won": len(overstated) / campaigns,
        "overstated": float(np.mean(overstated)) if overstated else None,
        "slowest_s": max(one[2] for one in found),
    }


def _alone() -> None:
    import scipy.linalg  # with a library of its own, to be loaded before it is limited
    import scipy.optimize
    import threadpoolctl

    assert scipy.linalg  # noqa: S101 - it is there
    assert scipy.optimize  # noqa: S101
    threadpoolctl.threadpool_limits(1)


def _campaign(family: Family, way: Way, seed: int) -> tuple[float, float | None, float]:
    """Return how far above the best a way ends, by how much it overstates, and its longest step."""
    land: Land = LargeLandscape(family, seed) if family in LARGE else Landscape(family, seed)
    found, default = way(land, seed), land.space.default
    above, true = (
        land.truth(found.config) - land.best,
        -math.expm1(land.truth(found.config) - land.truth(default)),
    )
    return above, None if found.config == default else found.gain - true, found.slowest_s


def ours(
    land: Land,
    seed: int,
    *,
    confirm: bool = True,
    budget: int = BUDGET,
    shares: Sequence[float] = (1.0,),
) -> Found:
    """The search of this package."""
    search = Search(land.space, Wanted(budget, confirm=confirm, fidelities=tuple(shares)), seed=seed)
    slowest = 0.0
    while True:
        began = time.perf_counter()
        ask = search.ask()
        slowest = max(slowest, time.perf_counter() - began)
        if ask is None:
            break
        search.tell(land.evaluate(ask.config, short=ask.fidelity > 0))
    outcome = search.outcome()
    return Found(outcome.config, outcome.gain, slowest)


def in_steps(land: Land, seed: int) -> Found:
    """The search of ``assay tune SCENE``: steps of seven configurations beside the default, then pairs."""
    search = Search(ten(), Wanted(BUDGET), seed=seed)
    slowest = 0.0
    while True:
        began = time.perf_counter()
        configs = next_batch(search, STEP)
        slowest = max(slowest, time.perf_counter() - began)
        if not configs:
            break
        tell_batch(search, [(config, land.evaluate(config)) for config in (DEFAULT, *configs)])
    chosen = smallest(search.known(), search.pool(), search.may_be)
    pairs = [
        (math.log(land.evaluate(DEFAULT)), math.log(land.evaluate(chosen)))
        for _ in range(search.pairs if chosen != DEFAULT else 0)
    ]
    outcome = outcome_of(search.known(), chosen, pairs, search.wanted.confidence)
    return Found(outcome.config, outcome.gain, slowest)


def short_first(land: Land, seed: int) -> Found:
    """The same with short evaluations first, not confirmed, at the cost of ``SHORT_COST`` full ones."""
    budget = max(n for n in range(2, 200) if _cost(n) <= SHORT_COST)
    return ours(land, seed, confirm=False, budget=budget, shares=(1.0, SHORT_SHARE))


def _cost(budget: int) -> float:
    search = Search(ten(), Wanted(budget, confirm=False, fidelities=(1.0, SHORT_SHARE)))
    return search.shorts * SHORT_SHARE + (budget - search.shorts)


def optuna(land: Land, seed: int, *, multivariate: bool) -> Found:
    """Optuna's tree-structured Parzen estimator; it recommends the best value."""
    import optuna as library

    library.logging.set_verbosity(library.logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", library.exceptions.ExperimentalWarning)
        sampler = library.samplers.TPESampler(seed=seed, multivariate=multivariate)
    study = library.create_study(sampler=sampler)
    counts = land.space.counts
    study.enqueue_trial({f"f{at}": 0 for at in range(len(counts))})

    def value(trial: library.Trial) -> float:
        levels = (trial.suggest_categorical(f"f{at}", list(range(n))) for at, n in enumerate(counts))
        return land.evaluate(tuple(levels))

    study.optimize(value, n_trials=BUDGET)
    best = tuple(study.best_params[f"f{at}"] for at in range(len(counts)))
    return Found(best, 1 - study.best_value / study.trials[0].value)


def at_random(land: Land, seed: int) -> Found:
    """Random configurations, of which the best is confirmed in pairs beside the default."""
    rng = np.random.default_rng(seed)
    drawn = [tuple(map(int, rng.integers(0, COUNTS))) for _ in range(BUDGET - 2 * PAIRS)]
    values = [land.evaluate(config) for config in drawn]
    best = drawn[int(np.argmin(values))]
    logs = [math.log(land.evaluate(best) / land.evaluate(DEFAULT)) for _ in range(PAIRS)]
    gain = -math.expm1(float(np.mean(logs)))
    return Found(best, gain) if gain > 0 else Found(DEFAULT, 0.0)


def one_at_a_time(land: Land, seed: int) -> Found:
    """Each level alone beside the default, as often as the budget lets; the winners combined."""
    del seed
    levels = [(at, level) for at, count in enumerate(COUNTS) for level in range(1, count)]
    times = BUDGET // (len(levels) + 1)
    mean = {
        config: float(np.mean([math.log(land.evaluate(config)) for _ in range(times)]))
        for config in (DEFAULT, *(_with(DEFAULT, at, level) for at, level in levels))
    }
    best, gain = DEFAULT, 0.0
    for at, count in enumerate(COUNTS):
        level = min(range(count), key=lambda level, at=at: mean[_with(DEFAULT, at, level)])
        gain += mean[DEFAULT] - mean[_with(DEFAULT, at, level)]
        best = _with(best, at, level)
    return Found(best, -math.expm1(-gain))


def _with(config: Config, at: int, level: int) -> Config:
    return (*config[:at], level, *config[at + 1 :])
