"""What a search ends with: the recommended configuration, its gain, and what each change brings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from assay.stats.centre import ROUNDING, scatters
from assay.stats.mean import student, t_quantile
from assay.tune.known import Known
from assay.tune.space import Configs

Pair = tuple[float, float]
"""Logarithms of the default and of the recommended configuration, evaluated one after the other."""
FEWEST = 3
"""With fewer pairs nothing is confirmed."""
TOO_NARROW = 2.0
"""How much wider than by its model the interval of a gain is that nothing confirms, as the same values have
chosen the settings: so that of landscapes without any effect few are won.
"""


@dataclass(frozen=True)
class Effect:
    """What a change brings beside the others, or two of them beyond what each brings.

    Attributes:
        factors: Numbers of the factors: one, or two for what they do together.
        effect: Share of the value that is won, a fraction; below 0 it is lost.
        low: Lower end of its interval.
        high: Upper end.
    """

    factors: tuple[int, ...]
    effect: float
    low: float
    high: float


@dataclass(frozen=True)
class Outcome:
    """What pays.

    Attributes:
        config: The recommended configuration, the default where nothing was confirmed to pay.
        gain: Share of the default's value that is won, a fraction; 0 for the default.
        low: Lower end of its interval.
        high: Upper end.
        pairs: Pairs by which it was confirmed; ``None`` where that was not asked for.
        effects: What each change brings, and pairs that do something together.
        tried: The configuration that was to be confirmed.
        reason: Why no change is recommended; empty where one is.
    """

    config: tuple[int, ...]
    gain: float
    low: float
    high: float
    pairs: int | None
    effects: tuple[Effect, ...]
    tried: tuple[int, ...]
    reason: str = ""


def outcome_of(
    known: Known,
    chosen: tuple[int, ...],
    pairs: Sequence[Pair] | None,
    confidence: float,
    *,
    exact: Pair | None = None,
    count: int = 0,
) -> Outcome:
    """Return what pays of a chosen configuration.

    Args:
        known: What the search says.
        chosen: The configuration that it chose.
        pairs: What confirms it; ``None`` where nothing was to: then the search itself tells the gain.
        confidence: Coverage of intervals.
        exact: Logarithms of the default and of the chosen configuration, where the same configuration always
            gave the same value: the gain is known exactly.
        count: Evaluations by which the search knows it.
    """
    default = known.space.default
    effects = tuple(_effects(known, chosen, confidence))
    whole = None if pairs is None else len(pairs)
    reason = (
        _unconfirmed(pairs, exact=exact is not None) if chosen != default else "no change is thought to pay"
    )
    if not reason:
        if exact is not None and (pairs is None or not scatters(_won_by(pairs))):
            gain = low = high = _exact(exact)
        elif pairs is None:
            gain, low, high = _thought(known, chosen, confidence, count)
        else:
            gain, low, high = _confirmed(pairs, confidence)
        if low > 0:
            return Outcome(chosen, gain, low, high, whole, effects, chosen)
        reason = f"its gain is not confirmed: the interval {'holds 0' if high >= 0 else 'lies below 0'}"
    return Outcome(default, 0.0, 0.0, 0.0, whole, effects, chosen, reason)


def _unconfirmed(pairs: Sequence[Pair] | None, *, exact: bool) -> str:
    """Return why pairs can confirm nothing, whatever the gain; empty where they can."""
    if pairs is None:
        return ""
    if len(pairs) < FEWEST:
        return f"its gain is not confirmed: {len(pairs)} whole pairs, {FEWEST} are needed"
    if not exact and not scatters(_won_by(pairs)):
        return "its gain is not confirmed: its pairs agree to the last digit, other values of the same do not"
    return ""


def _exact(values: Pair) -> float:
    """Return the share that is won, where both values are known without noise."""
    won = values[0] - values[1]
    return -math.expm1(-won) if abs(won) > ROUNDING else 0.0


def _confirmed(pairs: Sequence[Pair], confidence: float) -> tuple[float, float, float]:
    """Return the share that is won by pairs, with its interval."""
    won = student(_won_by(pairs), confidence)
    return -math.expm1(-won.value), -math.expm1(-won.low), -math.expm1(-won.high)


def _thought(
    known: Known, chosen: tuple[int, ...], confidence: float, count: int
) -> tuple[float, float, float]:
    """Return the share that is won by the search alone, with an interval that is wider than its model's."""
    won, error = known.contrast(*both(known.space.default, chosen))
    single = sum(len(factor.levels) - 1 for factor in known.space.factors)
    half = TOO_NARROW * t_quantile(confidence, max(1, count - single - 1)) * error
    return -math.expm1(-won), -math.expm1(half - won), -math.expm1(-half - won)


def _won_by(pairs: Sequence[Pair]) -> list[float]:
    return [default - recommended for default, recommended in pairs]


def _effects(known: Known, chosen: tuple[int, ...], confidence: float) -> Iterator[Effect]:
    """Yield what each change brings beside the others, then pairs that surely do something together."""
    changed = [at for at, level in enumerate(chosen) if level != known.space.factors[at].default]
    for at in changed:
        yield Effect((at,), *_won(*known.contrast(*both(without(known, chosen, at), chosen)), confidence))
    for pair in combinations(changed, 2):
        effect = Effect(pair, *_won(*_together(known, chosen, pair), confidence))
        if effect.low > 0 or effect.high < 0:
            yield effect


def without(known: Known, config: tuple[int, ...], *places: int) -> tuple[int, ...]:
    """Return a configuration with some of its factors at their default."""
    factors = known.space.factors
    return tuple(factors[at].default if at in places else level for at, level in enumerate(config))


def _together(known: Known, chosen: tuple[int, ...], pair: tuple[int, int]) -> tuple[float, float]:
    """Return what two changes bring beyond what each brings without the other, and its standard error."""
    import numpy as np

    one, other = pair
    configs = (
        chosen,
        without(known, chosen, one, other),
        without(known, chosen, one),
        without(known, chosen, other),
    )
    return known.combined(np.array(configs, dtype=np.int16), (-1.0, -1.0, 1.0, 1.0))


def both(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[Configs, Configs]:
    """Return two configurations as ``Posterior.contrast`` takes them."""
    import numpy as np

    return np.array([one], dtype=np.int16), np.array([other], dtype=np.int16)


def _won(won: float, error: float, confidence: float) -> tuple[float, float, float]:
    """Return a gain of the logarithm as a share of the value, with its interval."""
    half = t_quantile(confidence, math.inf) * error
    return -math.expm1(-won), -math.expm1(half - won), -math.expm1(-half - won)
