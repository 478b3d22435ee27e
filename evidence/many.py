"""The product's intervals over many campaigns at once; tests hold each equal to the product's function."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from evidence.noise import Array


def losses(d: Array) -> Array:
    """Losses of log slowdowns."""
    return -np.expm1(-d)


def quantile(confidence: float, freedom: float) -> float:
    """Return Student's two-sided quantile."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + confidence) / 2))


def student(d: Array, *, confidence: float = 0.95) -> tuple[Array, Array, Array]:
    """Return mean, low and high of each row, in log units."""
    n = d.shape[1]
    mean, half = d.mean(axis=1), quantile(confidence, n - 1) * d.std(axis=1, ddof=1) / math.sqrt(n)
    return mean, mean - half, mean + half


@cache
def rank(n: int, confidence: float) -> int:
    """Return how many Walsh averages lie outside the interval on each side (0: no finite interval)."""
    ways = np.zeros(n * (n + 1) // 2 + 1)
    ways[0] = 1.0
    for step in range(1, n + 1):
        ways[step:] = ways[step:] + ways[:-step]
    below = np.cumsum(ways) / 2.0**n
    return int(np.searchsorted(below, (1 - confidence) / 2, side="right"))


def hodges_lehmann(d: Array, *, confidence: float = 0.95) -> tuple[Array, Array, Array]:
    """Return median of Walsh averages, low and high of each row, in log units; at least 6 columns."""
    i, j = np.triu_indices(d.shape[1])
    walsh = (d[:, i] + d[:, j]) / 2
    count, last = rank(d.shape[1], confidence), len(i) - 1
    middle = (last // 2, (last + 1) // 2)
    low, high = count - 1, last - count + 1
    walsh.partition(sorted({low, high, *middle}), axis=1)
    return (walsh[:, middle[0]] + walsh[:, middle[1]]) / 2, walsh[:, low], walsh[:, high]


def fieller(treatment: Array, baseline: Array, *, confidence: float = 0.95) -> tuple[Array, Array, Array]:
    """Return ratio of totals, low and high of each row of paired values (not logs)."""
    n = treatment.shape[1]
    a, b = treatment.mean(axis=1), baseline.mean(axis=1)
    scale = quantile(confidence, n - 1) ** 2 / n
    va, vb = (scale * x.var(axis=1, ddof=1) for x in (treatment, baseline))
    both = scale * ((treatment - a[:, None]) * (baseline - b[:, None])).sum(axis=1) / (n - 1)
    middle, square = a * b - both, b**2 - vb
    root = np.sqrt(np.maximum(middle**2 - square * (a**2 - va), 0.0))
    return a / b, (middle - root) / square, (middle + root) / square


def floor_half_width(sigma: float, sessions: int, *, confidence: float = 0.95) -> float:
    """Return what the arm's own day adds to the half-width over so many sessions, in log units."""
    return quantile(confidence, sessions - 1) * math.sqrt(2) * sigma / math.sqrt(sessions)


def sequences(d: Array, *, confidence: float = 0.95) -> tuple[Array, Array]:
    """Return the ends of the confidence sequence after each column of each row, infinite where they are."""
    n = np.arange(1, d.shape[1] + 1)
    mean = np.cumsum(d, axis=1) / n
    squares = np.maximum(np.cumsum(d**2, axis=1) - n * mean**2, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        radius = np.sqrt(_widths(n, confidence) * squares)
    return np.where(n > 1, mean - radius, -np.inf), np.where(n > 1, mean + radius, np.inf)
