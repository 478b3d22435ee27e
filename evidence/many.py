"""The product's intervals over many campaigns at once; tests hold each equal to the product's function."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from assay.stats.mean import t_quantile
from assay.stats.rank import hodges_lehmann, interval_rank
from assay.stats.verdicts.sequence import SHARE, STAKES, VARIANCE
from evidence.noise import Array

Ends = tuple[Array, Array, Array]
"""Value, low and high of each campaign."""


NAMES = ("inconclusive", "loss", "gain", "equivalent")
"""What a verdict is called, by its code."""


def losses(d: Array) -> Array:
    """Return the losses of log slowdowns."""
    return -np.expm1(-d)


def student(d: Array, *, confidence: float = 0.95) -> Ends:
    """Return the mean of each row with its t interval, in log units."""
    n = d.shape[1]
    mean, half = d.mean(axis=1), t_quantile(confidence, n - 1) * d.std(axis=1, ddof=1) / math.sqrt(n)
    return mean, mean - half, mean + half


def typical(d: Array, *, confidence: float = 0.95) -> Ends:
    """Return the median of each row's Walsh averages with its interval, in log units; from 6 columns on."""
    first, second = np.triu_indices(d.shape[1])
    walsh = (d[:, first] + d[:, second]) / 2
    rank, last = interval_rank(d.shape[1], confidence)[0], len(first) - 1
    middle = (last // 2, (last + 1) // 2)
    low, high = rank - 1, last - rank + 1
    walsh.partition(sorted({low, high, *middle}), axis=1)
    return (walsh[:, middle[0]] + walsh[:, middle[1]]) / 2, walsh[:, low], walsh[:, high]


def fieller(treatment: Array, baseline: Array, *, confidence: float = 0.95) -> Ends:
    """Return the ratio of totals of each row of paired values (not logs) with Fieller's interval."""
    n = treatment.shape[1]
    a, b = treatment.mean(axis=1), baseline.mean(axis=1)
    scale = t_quantile(confidence, n - 1) ** 2 / n
    va, vb = (scale * x.var(axis=1, ddof=1) for x in (treatment, baseline))
    both = scale * ((treatment - a[:, None]) * (baseline - b[:, None])).sum(axis=1) / (n - 1)
    middle, square = a * b - both, b**2 - vb
    root = np.sqrt(np.maximum(middle**2 - square * (a**2 - va), 0.0))
    return a / b, (middle - root) / square, (middle + root) / square


def evidence(d: Array, centre: float = 0.0) -> Array:
    """Return the logarithm of the evidence against a centre after each column of each row."""
    counts = np.arange(1, d.shape[1] + 1)
    away = d - centre
    mean = np.cumsum(away, axis=1) / counts
    squares = np.maximum(np.cumsum(away**2, axis=1) - counts * mean**2, 1e-300)
    grown, t_squared = 1 + counts * VARIANCE, counts * mean**2 / squares
    by_t = (counts * (np.log1p(t_squared) - np.log1p(t_squared / grown)) - np.log(grown)) / 2
    distance = np.abs(away)
    before = [(distance[:, :at] < distance[:, at : at + 1]).sum(axis=1) for at in range(d.shape[1])]
    scores = np.sign(away) * (1 + (1 + np.stack(before, axis=1)) / counts) / 2
    by_sign = [np.cumsum(np.log1p(side * stake * scores), axis=1) for stake in STAKES for side in (1, -1)]
    by_rank = np.logaddexp.reduce(by_sign, axis=0) - math.log(len(by_sign))
    found: Array = np.logaddexp(by_t + math.log(SHARE), by_rank + math.log(1 - SHARE))
    found[:, 0] = 0.0
    return found


def verdicts(d: Array, *, margin: float, confidence: float = 0.95) -> tuple[NDArray[np.int64], Array]:
    """Return after which column (from 0) each row first has a verdict, and which: its place in ``NAMES``.

    A row without one has the last column and 0.
    """
    wanted = -math.log(1 - confidence)
    refuted = evidence(d) >= wanted
    same = np.logical_and(*(evidence(d, -math.log1p(end)) >= wanted for end in (margin, -margin)))
    ended = refuted | same
    last = np.where(ended.any(axis=1), ended.argmax(axis=1), d.shape[1] - 1)
    codes = np.zeros(len(d))
    for row in np.flatnonzero(ended.any(axis=1)):
        side = hodges_lehmann(d[row, : last[row] + 1].tolist()).value
        codes[row] = (1 if side > 0 else 2) if refuted[row, last[row]] else 3
    return last, codes
