"""Ask and tell: what to evaluate next, until the budget is spent or nothing more is to be won."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from assay.stats.centre import scatters
from assay.tune.change_set import smallest
from assay.tune.coding import coding_of
from assay.tune.known import Known
from assay.tune.model import Evaluations, Posterior, fit, nothing_known
from assay.tune.outcome import FEWEST, Outcome, Pair, outcome_of
from assay.tune.process import Process, fit_process, nothing_known_of
from assay.tune.space import MOST_CONFIGS, Configs, Space

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

REFERENCE_EVERY = 10
"""The default is evaluated again and again: a drift is seen by it."""
CONFIRM_SHARE, FEWEST_PAIRS, MOST_PAIRS = 1 / 6, 4, 20
"""What of the budget is kept to evaluate the recommended configuration beside the default, in pairs."""
NEAR, SURE, DRAWS = math.log(1.01), 0.97, 200
"""The search ends where the best is known so surely to within 1 %."""
SHORT = 0.8
"""Share of the search that is done at the lowest fidelity, where there are several."""
FEWEST_FULL = 2
"""So many full ones follow the short ones: the default and another."""
BEST = 10
"""Of a large space the neighbours of so many of the best that were evaluated are looked at, beside others."""
START = 20
"""Evaluations of a large space that are chosen for what they tell."""
GIVE_UP = 2
"""A level that failed so often and never worked is asked for no more."""


def least_budget(*, confirm: bool) -> int:
    """Return the fewest evaluations of which anything can be recommended: a third of them are the pairs;
    without, the default and another twice.
    """
    return 3 * FEWEST if confirm else 4


class Direction(StrEnum):
    """Which way is better."""

    LOWER = "lower"
    HIGHER = "higher"


@dataclass(frozen=True)
class Wanted:
    """What is asked of a search.

    Attributes:
        budget: Evaluations in all, never exceeded.
        direction: Which way is better.
        confirm: The recommended configuration is evaluated anew beside the default.
        fidelities: Shares of a full evaluation, the full one first: (1.0,) without cheaper ones.
        confidence: Coverage of intervals.
    """

    budget: int
    direction: Direction = Direction.LOWER
    confirm: bool = True
    fidelities: tuple[float, ...] = (1.0,)
    confidence: float = 0.95


@dataclass(frozen=True)
class Ask:
    """What is to be evaluated next.

    Attributes:
        number: From 1.
        config: Number of each factor's level.
        fidelity: Number of the fidelity in ``Wanted.fidelities``.
        pair: Number of the confirming pair that it belongs to; ``None`` in the search.
    """

    number: int
    config: tuple[int, ...]
    fidelity: int = 0
    pair: int | None = None


@dataclass(frozen=True)
class Told:
    """What an evaluation gave.

    Attributes:
        ask: What was asked.
        value: What was measured, above 0; ``None`` where it failed.
    """

    ask: Ask
    value: float | None


class Search:
    """The search for the configuration that pays, one evaluation after the other.

    The same space, wish, seed and answers give the same questions: a search is gone on with by telling it
    again what was told before.

    Args:
        space: What may be changed.
        wanted: What is asked of it.
        seed: Of all that is drawn.

    Source:
        W. R. Thompson, "On the likelihood that one unknown probability exceeds another", Biometrika 25 (1933)
        285-294; for the start K. Chaloner, I. Verdinelli, "Bayesian experimental design: a review", Stat.
        Sci. 10 (1995) 273-304.
    """

    def __init__(self, space: Space, wanted: Wanted, *, seed: int = 0) -> None:
        import numpy as np

        self.space, self.wanted = space, wanted
        self.told: list[Told] = []
        self.rng = np.random.default_rng(seed)
        coding = coding_of(space)
        self._coding = coding if coding.has_all_pairs else None
        self._known: Known | None = None
        self._fitted = 0
        self._pooled: tuple[int, Configs] | None = None
        self._asked: Ask | None = None
        self._chosen: tuple[int, ...] | None = None

    @cached_property
    def for_search(self) -> int:
        """Return how many evaluations the search may take."""
        budget = self.wanted.budget
        return budget - 2 * self.pairs if self.wanted.confirm else budget

    @cached_property
    def pairs(self) -> int:
        """Return how many pairs confirm."""
        pairs = round(self.wanted.budget * CONFIRM_SHARE / 2)
        return min(max(FEWEST_PAIRS, min(pairs, MOST_PAIRS)), self.wanted.budget // 3)

    @cached_property
    def start(self) -> int:
        """Return how many evaluations are chosen for what they tell of all factors."""
        telling = START if self._coding is None else self._coding.mains + 4
        return min(telling, max(2, self.for_search // 2))

    @property
    def shorts(self) -> int:
        """Return how many evaluations come first at the lowest fidelity, where there are several."""
        if len(self.wanted.fidelities) == 1:
            return 0
        shorts = max(self.start, round(SHORT * self.for_search))
        return max(0, min(shorts, self.for_search - FEWEST_FULL))

    @property
    def fidelity(self) -> int:
        """Return the number of the fidelity of the next evaluation of the search."""
        return len(self.wanted.fidelities) - 1 if len(self.told) < self.shorts else 0

    @property
    def share(self) -> float:
        """Return the share of a full evaluation that the next one of the search is."""
        return self.wanted.fidelities[self.fidelity]

    def ask(self) -> Ask | None:
        """Return what to evaluate next; ``None`` where the search is over. Asked again, it is the same."""
        if self._asked is None:
            self._asked = self._next()
        return self._asked

    def tell(self, value: float | None) -> None:
        """Say what the evaluation that was asked for gave: a value above 0, or ``None`` where it failed.

        Raises:
            ValueError: Nothing was asked, or the value is not a number above 0.
        """
        if self._asked is None:
            raise ValueError("nothing was asked")  # noqa: EM101
        if value is not None and not (math.isfinite(value) and value > 0):
            msg = f"expected a number above 0, got {value}"
            raise ValueError(msg)
        self.told.append(Told(self._asked, value))
        self._asked = None

    def outcome(self) -> Outcome:
        """Return what pays, once the search is over."""
        chosen = self._chosen or self.space.default
        pairs = self._confirmed() if self.wanted.confirm else None
        count = sum(one.value is not None and one.ask.pair is None for one in self.told)
        exact = self._exact(chosen)
        return outcome_of(self.known(), chosen, pairs, self.wanted.confidence, exact=exact, count=count)

    def _exact(self, chosen: tuple[int, ...]) -> Pair | None:
        """Return the logarithms of the default and of the chosen configuration, where all full evaluations of
        each agree, two at least.
        """
        sign = 1.0 if self.wanted.direction is Direction.LOWER else -1.0
        values: dict[tuple[int, ...], list[float]] = {self.space.default: [], chosen: []}
        for one in self.told:
            if one.value is not None and one.ask.fidelity == 0 and one.ask.config in values:
                values[one.ask.config].append(sign * math.log(one.value))
        default, other = values[self.space.default], values[chosen]
        if min(len(default), len(other)) < 2 or scatters(default) or scatters(other):
            return None
        return default[0], other[0]

    @property
    def has_default(self) -> bool:
        """Tell whether the default was evaluated: everything is compared with it."""
        return any(one.value is not None and one.ask.config == self.space.default for one in self.told)

    def _next(self) -> Ask | None:
        number = len(self.told) + 1
        if not self._may_work():
            return None
        if self._chosen is None and number <= self.for_search and not self.is_known():
            return Ask(number, *self._searched())
        if self._chosen is None or not self._may_be_chosen():  # it failed while it was confirmed
            self._chosen = smallest(self.known(), self.pool(), self.may_be)
        if not self.wanted.confirm or self._chosen == self.space.default:
            return None
        return self._confirming(number)

    def _may_be_chosen(self) -> bool:
        import numpy as np

        return bool(self.may_be(np.array([self._chosen], dtype=np.int16))[0])

    def _may_work(self) -> bool:
        """Tell whether the default works, or has not failed often enough to be given up."""
        failed = sum(one.value is None and one.ask.config == self.space.default for one in self.told)
        return self.has_default or failed < GIVE_UP

    def _searched(self) -> tuple[tuple[int, ...], int]:
        """Return the next configuration of the search, and its fidelity: the first of each is the default,
        without which the others of that fidelity could be compared with nothing.
        """
        done, fidelity = len(self.told), self.fidelity
        is_first = all(one.ask.fidelity != fidelity for one in self.told)
        if done % REFERENCE_EVERY == 0 or is_first or not self.has_default:
            return self.space.default, fidelity
        pool = self.pool()
        if done < self.start:
            return self._most_telling(pool), fidelity
        drawn = self.known().draws(pool, 1, self.rng)[0]
        return self._cheapest_near(pool, drawn), fidelity

    def _most_telling(self, pool: Configs) -> tuple[int, ...]:
        """Return the configuration of which least is known, by what effects are taken to be at first."""
        import numpy as np

        spread = self.known().spread(pool)
        best = np.flatnonzero(spread >= spread.max() * (1 - 1e-9))
        return _row(pool[self.rng.choice(best)])

    def _cheapest_near(self, pool: Configs, expected: np.ndarray) -> tuple[int, ...]:
        """Return the best configuration, or one as good of which less is to be changed from the last."""
        import numpy as np

        costs = np.array([factor.cost for factor in self.space.factors])
        if not costs.any():
            return _row(pool[int(np.argmin(expected))])
        near = np.flatnonzero(expected <= expected.min() + NEAR / 5)
        last = self.told[-1].ask.config
        change = ((pool[near] != last) * costs).sum(axis=1)
        return _row(pool[near[int(np.argmin(change))]])

    def known(self) -> Known:
        """Return what is known by all that was told so far."""
        good = [one for one in self.told if one.value is not None and one.ask.pair is None]
        if not good:
            return nothing_known_of(self.space) if self._coding is None else nothing_known(self._coding)
        if self._known is None or self._fitted != len(good):
            self._known = self._fit(self._evaluations(good), learn=len(good) >= self.start)
            self._fitted = len(good)
        return self._known

    def _fit(self, told: Evaluations, *, learn: bool) -> Known:
        """Return what evaluations say, by the model that the space is small enough for."""
        before = self._known
        if self._coding is None:
            start = before.scales if isinstance(before, Process) else None
            return fit_process(self.space, told, start, learn=learn)
        scales = before.scales if isinstance(before, Posterior) else None
        return fit(self._coding, told, scales, learn=learn)

    def _evaluations(self, good: list[Told]) -> Evaluations:
        import numpy as np

        sign = 1.0 if self.wanted.direction is Direction.LOWER else -1.0
        return Evaluations(
            np.array([one.ask.config for one in good], dtype=np.int16),
            np.array([sign * math.log(one.value) for one in good if one.value is not None]),
            np.array([one.ask.fidelity for one in good]),
        )

    def pool(self) -> Configs:
        """Return the configurations that may be asked for, the default always among them."""
        if self._pooled is None or self._pooled[0] != len(self.told):
            self._pooled = len(self.told), self._drawn_pool()
        return self._pooled[1]

    def _drawn_pool(self) -> Configs:
        import numpy as np

        told = np.array([one.ask.config for one in self.told if one.value is not None], dtype=np.int16)
        if len(told) > BEST and self.space.size > MOST_CONFIGS:
            told = np.unique(told, axis=0)
            told = told[np.argsort(self.known().expected(told), kind="stable")[:BEST]]
        pool = self.space.candidates(self.rng, told if len(told) else None)
        kept: Configs = pool[self.may_be(pool)]
        return kept

    def may_be(self, configs: Configs) -> NDArray[np.bool_]:
        """Tell of each configuration whether it may be asked for and recommended: it is not left out, and has
        not failed. The default always may.
        """
        failed = [one.ask.config for one in self.told if one.value is None]
        out = ~self.space.allowed(configs)
        for config in set(failed):
            out |= (configs == config).all(axis=1)
        for at, level in self._failing(failed):
            out |= configs[:, at] == level
        found: NDArray[np.bool_] = ~out | (configs == self.space.default).all(axis=1)
        return found

    def _failing(self, failed: list[tuple[int, ...]]) -> list[tuple[int, int]]:
        """Return the levels that failed more than once and never worked, and are not the default's."""
        worked = {(at, level) for one in self.told if one.value for at, level in enumerate(one.ask.config)}
        counts: dict[tuple[int, int], int] = {}
        for config in failed:
            for place in enumerate(config):
                counts[place] = counts.get(place, 0) + 1
        kept = set(enumerate(self.space.default)) | worked
        return [place for place, count in counts.items() if count >= GIVE_UP and place not in kept]

    def is_known(self) -> bool:
        """Tell whether the best is surely known to within 1 %: then no more of the budget is spent on it.
        Short ones alone never tell it where nothing is confirmed by full ones.
        """
        import numpy as np

        pool = self.pool()
        if len(pool) == 1:  # all others have failed
            return True
        full = sum(one.ask.fidelity == 0 for one in self.told)
        if full < FEWEST_FULL and not self.wanted.confirm:
            return False
        if len(self.told) < 2 * self.start or len(self.told) % 4:
            return False
        known = self.known()
        draws = known.draws(pool, DRAWS, self.rng)
        best = int(np.argmin(known.expected(pool)))
        return bool(np.mean(draws[:, best] <= draws.min(axis=1) + NEAR) >= SURE)

    def _confirming(self, number: int) -> Ask | None:
        """Return the next evaluation of the pairs that confirm; which of a pair comes first is drawn. A pair
        of which one failed is made anew where the budget has room; ``None`` where too few can be made.
        """
        both = (self.space.default, self._chosen or self.space.default)
        asked = [one for one in self.told if one.ask.pair is not None]
        pairs = [one.ask.pair for one in asked if one.ask.pair is not None]
        if pairs and asked[-1].value is not None and pairs.count(pairs[-1]) == 1:
            other = both[1] if asked[-1].ask.config == both[0] else both[0]
            return Ask(number, other, pair=pairs[-1])
        done, room = len(self._confirmed()), (self.wanted.budget - number + 1) // 2
        if done >= self.pairs or not room or done + room < FEWEST:
            return None
        return Ask(number, both[int(self.rng.integers(2))], pair=pairs[-1] + 1 if pairs else 0)

    def _confirmed(self) -> list[Pair]:
        """Return the logarithms of both of each whole pair: of the default, of the recommended."""
        sign = 1.0 if self.wanted.direction is Direction.LOWER else -1.0
        found: dict[int, dict[tuple[int, ...], float]] = {}
        for one in self.told:
            if one.ask.pair is not None and one.value is not None:
                found.setdefault(one.ask.pair, {})[one.ask.config] = sign * math.log(one.value)
        default, chosen = self.space.default, self._chosen or self.space.default
        whole = [pair for pair in found.values() if len(pair) == 2 and pair.keys() == {default, chosen}]
        return [(pair[default], pair[chosen]) for pair in whole]


def _row(config: np.ndarray) -> tuple[int, ...]:
    return tuple(int(level) for level in config)
