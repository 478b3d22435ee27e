"""How a loss is shared among ablations that were made together and apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, variance
from typing import TYPE_CHECKING

from assay.model.figures.proof import Proved
from assay.stats.mean import t_quantile
from assay.stats.replication.paired import loss_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

SATURATED = 3
"""Up to so many ablations all effects are fitted, triples too, since all combinations were run."""


@dataclass(frozen=True)
class Run:
    """One combination of ablations as measured.

    Attributes:
        ablated: For each ablation whether it was on.
        log_slowdowns: log(t_treatment / t_baseline) of each complete block, at least one.
    """

    ablated: tuple[bool, ...]
    log_slowdowns: tuple[float, ...]


@dataclass(frozen=True)
class Bounded:
    """A loss or a part of one, a fraction of throughput, with its interval; ends are ``None`` below two
    blocks.
    """

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Shares:
    """A loss split up; ``loss`` is the sum of all shares and of ``rest``, up to rounding.

    Attributes:
        loss: With all ablations off, by the fit.
        shares: What each ablation wins back, in the order of ``Run.ablated``.
        rest: What is left with all ablations on, by the fit.
    """

    loss: Bounded
    shares: tuple[Bounded, ...]
    rest: Bounded

    @property
    def verdicts(self) -> tuple[Proved, ...]:
        """What the interval of each share says."""
        return tuple(map(verdict_of, self.shares))


def shapley(worth: Mapping[frozenset[int], float], players: int) -> tuple[float, ...]:
    """Return each player's share of what all win together: its mean gain over all orders of joining.

    Args:
        worth: What each of the 2^players sets wins.
        players: Their number, at least 1; they are 0, 1, ….

    Source:
        L. S. Shapley, "A value for n-person games", Contributions to the Theory of Games II (1953) 307-317.
    """
    shares = [0.0] * players
    for subset in _subsets(players):
        for player in set(range(players)) - subset:
            before = math.factorial(len(subset)) * math.factorial(players - len(subset) - 1)
            gain = worth[subset | {player}] - worth[subset]
            shares[player] += gain * before / math.factorial(players)
    return tuple(shares)


def shapley_shares(runs: Sequence[Run], *, confidence: float = 0.95) -> Shares:
    """Split the loss among ablations, and prove what can be proved.

    The losses of all runs are fitted by effects of single ablations and of pairs (of triples, too, up to
    three ablations, where the fit then is what was measured). What a set of ablations wins back is the
    fitted loss without any less the fitted loss with these; the Shapley shares are formed over all 2^k
    sets. All of this is linear in the runs' losses, so a share is a contrast of them, and its variance
    follows from those of the runs' blocks; the interval is Student's t with the degrees of freedom of
    Welch and Satterthwaite.

    Args:
        runs: Runs of a plan of ``assay.design.fraction``, the one with all ablations off among them.
        confidence: Coverage of each two-sided interval.

    Raises:
        ValueError: A run has no block.

    Source:
        Shapley (1953), see ``shapley``; B. L. Welch, Biometrika 34 (1947) 28-35. With effects up to pairs a
        share is the main effect of the design's literature: pairs cancel in it, hence it is free of
        what a fraction of resolution IV mixes up.

    Limits:
        Runs and their blocks must be independent. Each interval stands for itself: of twenty ablations
        that do nothing one is expected to look as if it did. What an arm has in one session and not in
        another is alike in all runs of one session: it cancels in the shares, not in the loss or the rest.
    """
    if empty := next((run for run in runs if not run.log_slowdowns), None):
        msg = f"every run needs a block, got none with {empty.ablated}"
        raise ValueError(msg)
    shares, loss, rest = _contrasts([run.ablated for run in runs])

    def bounded(contrast: Numbers) -> Bounded:
        return _bounded(contrast.tolist(), runs, confidence)

    return Shares(bounded(loss), tuple(map(bounded, shares)), bounded(rest))


def verdict_of(share: Bounded) -> Proved:
    """Return what a share's interval says against zero."""
    if share.low is not None and share.low > 0:
        return Proved.CAUSED
    if share.high is not None and share.high < 0:
        return Proved.ADDS
    return Proved.NOT_PROVED


def _subsets(players: int) -> list[frozenset[int]]:
    return [frozenset(one) for size in range(players + 1) for one in combinations(range(players), size)]


def _contrasts(rows: Sequence[tuple[bool, ...]]) -> tuple[list[Numbers], Numbers, Numbers]:
    """Return the weights of the runs' losses in each share, in the loss with none and with all
    ablations on.
    """
    ablations = len(rows[0])
    subsets = _subsets(ablations)
    fitted = _fit(rows, [tuple(ablation in subset for ablation in range(ablations)) for subset in subsets])
    won = dict(zip(subsets, fitted[0] - fitted, strict=True))
    by_run = [
        shapley({subset: weights[run] for subset, weights in won.items()}, ablations)
        for run in range(len(rows))
    ]
    return list(_array(by_run).T), fitted[0], fitted[-1]


def _fit(rows: Sequence[tuple[bool, ...]], wanted: Sequence[tuple[bool, ...]]) -> Numbers:
    """Return the weights of the runs' losses in each fitted loss; mixed pairs share their sum evenly."""
    import numpy as np

    weights: Numbers = _effects(wanted) @ np.linalg.pinv(_effects(rows))
    return weights


def _effects(rows: Sequence[tuple[bool, ...]]) -> Numbers:
    """Return one column an effect, from the constant on: products of -1 (off) and 1 (on)."""
    import numpy as np

    signs = 2 * _array(rows) - 1
    ablations = signs.shape[1]
    effects = (
        _subsets(ablations) if ablations <= SATURATED else [e for e in _subsets(ablations) if len(e) <= 2]
    )
    return np.stack([np.prod(signs[:, sorted(effect)], axis=1) for effect in effects], axis=1)


def _array(rows: Sequence[Sequence[float]]) -> Numbers:
    import numpy as np

    return np.array(rows, dtype=np.float64)


def _bounded(contrast: Sequence[float], runs: Sequence[Run], confidence: float) -> Bounded:
    means = [fmean(run.log_slowdowns) for run in runs]
    value = math.fsum(weight * loss_of(mean) for weight, mean in zip(contrast, means, strict=True))
    if any(len(run.log_slowdowns) < 2 for run in runs):
        return Bounded(value, None, None)
    terms = [
        (weight**2 * math.exp(-2 * mean) * variance(run.log_slowdowns) / len(run.log_slowdowns), run)
        for weight, mean, run in zip(contrast, means, runs, strict=True)
    ]
    total = math.fsum(term for term, _ in terms)
    if total == 0:
        return Bounded(value, value, value)
    freedom = total**2 / math.fsum(term**2 / (len(run.log_slowdowns) - 1) for term, run in terms)
    half = t_quantile(confidence, freedom) * math.sqrt(total)
    return Bounded(value, value - half, value + half)
