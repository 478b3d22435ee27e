"""A search as its file keeps it, and as the method goes on with it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from assay.activities.tuning.factors import COST
from assay.activities.tuning.guests import PLAIN
from assay.activities.tuning.scenes import changes_in, levels_in
from assay.factors.base.factor import Cost, Hazard
from assay.pages.tuning import ChangeSet, Tuning, TuningEffect
from assay.tune.batches import tell_batch
from assay.tune.change_set import NEAR, SURE, smallest
from assay.tune.outcome import Outcome, both, outcome_of
from assay.tune.search import FEWEST_PAIRS, Search, Wanted
from assay.tune.space import Configs, Space, TunedFactor

SAFE, ANY = "safe", "any"
FEWEST = 24
"""Evaluations of a search and a confirmation of up to four arms."""
KEPT_SHARE = 1 / 6
"""What of a budget of twice the fewest or more is kept to extend the confirmation."""


def search_of(tuning: Tuning) -> Search:
    """Return the search that a tuning has come to: all that its ended steps gave is told."""
    ended = [run for run in tuning.runs if run.kind == "search" and run.state == "ended"]
    shares = (1.0,) if tuning.short is None else (1.0, tuning.short)
    wanted = Wanted(_budget(tuning), fidelities=shares)
    search = Search(space_of(tuning), wanted, seed=tuning.seed + len(ended))
    for run in ended:
        configs = (search.space.default, *run.configs)
        values = [(tuple(configs[one.number]), one.value) for one in run.values]
        tell_batch(search, values, fidelity=shares.index(run.share))
    return search


def _budget(tuning: Tuning) -> int:
    """Return the evaluations of the search and its pairs: a confirmation may have more arms than two, a
    second machine has it again, without the default, and it may be extended.
    """
    left = tuning.evaluations - round(tuning.evaluations * kept_share(tuning))
    pairs = Search(space_of(tuning), Wanted(left)).pairs
    return left - (confirmed_arms(tuning) - 2) * pairs


def kept_share(tuning: Tuning) -> float:
    """Return what of the budget is kept to extend the confirmation, a share; 0 of a small one."""
    return KEPT_SHARE if tuning.evaluations >= 2 * fewest_of(tuning) else 0.0


def confirmed_arms(tuning: Tuning) -> int:
    """Return how many arms the confirmation has at most, and the check on a second machine."""
    data = str(Hazard.DATA) in tuning.allowed
    return 2 + data + (not at_default(tuning)) + (0 if tuning.also is None else 2 + data)


def fewest_of(tuning: Tuning) -> int:
    """Return the fewest evaluations of a search with its confirmation: more arms take more."""
    return FEWEST + max(0, confirmed_arms(tuning) - 4) * FEWEST_PAIRS


def at_default(tuning: Tuning) -> bool:
    """Tell whether all factors are at the catalogue's default as the guest is."""
    return all(one.levels[0] == PLAIN.get(one.name, "") for one in tuning.factors)


def space_of(tuning: Tuning) -> Space:
    """Return what may be changed, as the method takes it."""
    factors = tuple(TunedFactor(one.name, one.levels, cost=COST[Cost(one.cost)]) for one in tuning.factors)
    places = {one.name: at for at, one in enumerate(tuning.factors)}
    exclude = tuple(
        {places[name]: tuning.factors[places[name]].levels.index(level) for name, level in one.items()}
        for one in tuning.exclude
    )
    return Space(factors, exclude)


def change_sets(tuning: Tuning, search: Search) -> tuple[ChangeSet, ...]:
    """Return what the search found, before it is confirmed: the best that keeps data safe, and the best of
    all where that is another.
    """
    pool, risky = search.pool(), _risky(tuning)
    must = {at for at, levels in risky.items() if 0 in levels}
    safe = _found(tuning, search, _safe(pool, risky), SAFE, must)
    if str(Hazard.DATA) not in tuning.allowed:
        return (safe,)
    best = _found(tuning, search, pool, ANY)
    return (safe,) if best.config == safe.config else (safe, best)


def _risky(tuning: Tuning) -> dict[int, list[int]]:
    """Return the numbers of the levels that may put data at risk, by factor; none of a factor that has no
    other.
    """
    found = {
        at: [
            number
            for number, level in enumerate(factor.levels)
            if str(Hazard.DATA) in factor.hazards.get(level, ())
        ]
        for at, factor in enumerate(tuning.factors)
    }
    return {at: levels for at, levels in found.items() if len(levels) < len(tuning.factors[at].levels)}


def _safe(pool: Configs, risky: Mapping[int, Sequence[int]]) -> Configs:
    """Return the configurations without a level that may put data at risk."""
    import numpy as np

    kept = np.ones(len(pool), dtype=np.bool_)
    for at, levels in risky.items():
        kept &= ~np.isin(pool[:, at], levels)
    found: Configs = pool[kept]
    return found


def _found(tuning: Tuning, search: Search, pool: Configs, name: str, must: Collection[int] = ()) -> ChangeSet:
    known = search.known()
    config = _milder(tuning, search, smallest(known, pool, search.may_be, must), pool)
    outcome = outcome_of(known, config, None, search.wanted.confidence)
    levels = changes_in(tuning, config)
    whole = levels_in(tuning, config)
    hazards = (risk for one in tuning.factors for risk in one.hazards.get(whole[one.name], ()))
    return ChangeSet(
        name=name,
        changes=levels,
        config=config,
        hazards=tuple(dict.fromkeys(hazards)),
        effects=tuple(_effects(tuning, outcome)),
        reason="" if levels else "no change pays by the search",
    )


def _milder(tuning: Tuning, search: Search, config: tuple[int, ...], pool: Configs) -> tuple[int, ...]:
    """Return a configuration with levels that put less at risk, where they are thought to be as good."""
    known = search.known()
    for at, factor in enumerate(tuning.factors):
        risks = [len(factor.hazards.get(level, ())) for level in factor.levels]
        for other in sorted(range(1, len(risks)), key=risks.__getitem__):
            changed = (*config[:at], other, *config[at + 1 :])
            if (
                config[at] == 0
                or risks[other] >= risks[config[at]]
                or not (pool == changed).all(axis=1).any()
            ):
                continue
            worse, error = known.contrast(*both(changed, config))
            if worse <= min(NEAR, SURE * error):
                config = changed
                break
    return config


def _effects(tuning: Tuning, outcome: Outcome) -> Iterable[TuningEffect]:
    for one in outcome.effects:
        names = tuple(tuning.factors[at].name for at in one.factors)
        yield TuningEffect(names, one.effect, one.low, one.high)
