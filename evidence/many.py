"""The product's intervals over many campaigns at once; tests hold each equal to the product's function."""

from __future__ import annotations

import math

import numpy as np

from assay.stats.mean import t_quantile
from assay.stats.rank import interval_rank
from assay.stats.sequence import reach
from evidence.noise import Array

Ends = tuple[Array, Array, Array]
"""Value, low and high of each campaign."""


def losses(d: Array) -> Array:
    """Return the losses of log slowdowns."""
    return -np.expm1(-d)


def student(d: Array, *, confidence: float = 0.95) -> Ends:
    """Return the mean of each row with its t interval, in log units."""
    n = d.shape[1]
    mean, half = d.mean(axis=1), t_quantile(confidence, n - 1) * d.std(axis=1, ddof=1) / math.sqrt(n)
    return mean, mean - half, mean + half


def hodges_lehmann(d: Array, *, confidence: float = 0.95) -> Ends:
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


def sequences(d: Array, *, confidence: float = 0.95) -> tuple[Array, Array]:
    """Return the ends of the confidence sequence after each column of each row, infinite where they are."""
    n = np.arange(1, d.shape[1] + 1)
    mean = np.cumsum(d, axis=1) / n
    squares = np.maximum(np.cumsum(d**2, axis=1) - n * mean**2, 0.0)
    errors = np.sqrt(squares / np.maximum(n * (n - 1.0), 1.0))
    wide = np.array([reach(count, confidence) if count > 1 else math.inf for count in n.tolist()])
    half = np.where(np.isfinite(wide), np.where(np.isfinite(wide), wide, 0.0) * errors, np.inf)
    return mean - half, mean + half
